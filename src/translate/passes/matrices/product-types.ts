// The types of a product's operands, if the adapter multiplies such matrices.

import type { MatrixConfig } from '../../../base/matrix-config.ts';
import { type MatrixForm, matrixForm } from '../../../isa/fragments.ts';
import { matrixType } from '../../ir/types.ts';
import type { WarpInst } from '../../ir/warp-facts.ts';
import type { Product } from './sources.ts';

type MatrixElements = 'f16' | 'f32' | 'i8' | 'u8' | 'i32' | 'u32';

/**
 * Returns the element types of a form's factors and sums; undefined if no matrix type has such
 * elements.
 */
function elementsOf({
  types: { a, b, c, d },
  products,
  selector,
}: MatrixForm): readonly [MatrixElements, MatrixElements] | undefined {
  if (a !== b || c !== d || products > 1 || selector !== undefined) return undefined;
  if (a === 'f16') return c === 'f16' || c === 'f32' ? [a, c] : undefined;
  return a === 's8' ? ['i8', 'i32'] : a === 'u8' ? ['u8', 'u32'] : undefined;
}

/**
 * Returns the types of a product's operands. If no configuration multiplies such matrices, returns
 * the reason.
 */
export function typesOf({ attrs: { mods } }: WarpInst, configs: readonly MatrixConfig[]): Product['types'] | string {
  const form = matrixForm(mods);
  const { m, n, k, types } = form;
  const text = `products of ${types.a} and ${types.b}, ${m}x${n}x${k}`;
  if (mods.satfinite !== undefined) return `no matrices saturate the sums of ${text}`;
  const elements = elementsOf(form);
  if (elements === undefined) return `no matrices compute ${text}`;
  const [of, sum] = elements;
  const isKnown = configs.some(
    (one) => one.component === of && one.result === sum && one.m === m && one.n === n && one.k === k,
  );
  if (!isKnown) return `the adapter does not compute ${text}`;
  const matrices = [
    matrixType({ role: 'left', of, rows: m, columns: k }),
    matrixType({ role: 'right', of, rows: k, columns: n }),
    matrixType({ role: 'result', of: sum, rows: m, columns: n }),
  ] as const;
  const [a, b, c] = matrices;
  return a && b && c ? [a, b, c] : `no matrices compute ${text}`;
}
