// Products of matrices: a part of the compiler that a page loads on use.

import { fragmentPart } from '../../isa/fragment-part.ts';
import { fragmentWords, matrixForm } from '../../isa/fragments.ts';
import { matrixLowering } from '../../wgsl/warp/index.ts';
import { multiplyMatrices } from '../../wgsl/warp/mma.ts';
import { matrixRow } from '../build/matrix.ts';
import { matrixPart } from '../build/parts.ts';
import { wgmmaRow } from '../build/wgmma.ts';
import { wmmaMemory } from '../build/wmma.ts';
import { wmmaProduct } from '../build/wmma-product.ts';
import { writeMatrix } from '../emit/matrices/matrices.ts';
import { matrixWriterPart } from '../emit/parts.ts';
import { hideMatrixWords } from '../legalize/matrix-words.ts';
import { matrixWordPart } from '../legalize/parts.ts';
import { matrixPassPart } from '../pass-parts.ts';
import { divideCopies } from '../passes/divide-copies.ts';
import { joinProducts } from '../passes/join-products.ts';
import { useMatrices } from '../passes/use-matrices.ts';

export function provideMatrices(): void {
  fragmentPart.provide({ fragmentWords, matrixForm });
  matrixLowering.provide({ multiplyMatrices });
  matrixPart.provide({ matrixRow, wgmmaRow, wmmaMemory, wmmaProduct });
  matrixPassPart.provide({ useMatrices, joinProducts, divideCopies });
  matrixWordPart.provide({ hideMatrixWords });
  matrixWriterPart.provide({ writeMatrix });
}
