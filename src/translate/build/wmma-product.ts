// Builds wmma.mma from products of `mma` with 16 rows and 8 columns. The layout of the matrices
// keeps the words of each product together. The products are those of NVIDIA's compiler: with tf32,
// it adds four along K, and then the other four.
import { at, InternalError } from '../../base/invariants.ts';
import { fragmentWords, matrixForm } from '../../isa/fragments.ts';
import type { MmaRowName, Mods } from '../../isa/index.ts';
import type { Value } from '../ir/nodes.ts';
import { multiplyWords, readWords, registerTypes, writeWords } from './matrix.ts';
import type { InstructionBuild } from './row-slots.ts';

/** The parts of a product: a row of `mma`, and its modifiers other than types. */
interface Part {
  readonly row: MmaRowName;
  readonly shape: string;
}

const parts: Readonly<Record<string, Part>> = {
  f16: { row: 'mma.f16', shape: 'm16n8k16' },
  bf16: { row: 'mma.bf16', shape: 'm16n8k16' },
  tf32: { row: 'mma.tf32', shape: 'm16n8k4' },
  f64: { row: 'mma.f64', shape: 'm8n8k4' },
  s8: { row: 'mma.s8', shape: 'm16n8k16' },
  u8: { row: 'mma.s8', shape: 'm16n8k16' },
  s4: { row: 'mma.s4', shape: 'm8n8k32' },
  u4: { row: 'mma.s4', shape: 'm8n8k32' },
  b1: { row: 'mma.b1', shape: 'm8n8k128' },
};

function partOf(mods: Mods): { readonly row: MmaRowName; readonly mods: Mods } {
  const { alayout: _, blayout: _b, atype = 'f16', btype = 'f16', ...others } = mods;
  const part = parts[atype];
  if (part === undefined) throw new InternalError(`no matrix product has elements of ${atype}`);
  return { row: part.row, mods: { ...others, shape: part.shape, atype, btype } };
}

/** Splits `words` into equal parts. */
const pieces = (words: readonly Value[], size: number, count: number): readonly (readonly Value[])[] =>
  Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size));

export function wmmaProduct(mods: Mods): InstructionBuild {
  const { row, mods: own } = partOf(mods);
  const [whole, part] = [matrixForm(mods), matrixForm(own)];
  const types = registerTypes(mods);
  // If the product has only 8 rows but more columns, compute the product of the transposed
  // matrices.
  const isTurned = whole.m < whole.n;
  const [height, width] = isTurned ? [whole.n, whole.m] : [whole.m, whole.n];
  const [down, across, along] = [height / part.m, width / part.n, whole.k / part.k];
  const size = { a: fragmentWords(part, 'a'), b: fragmentWords(part, 'b'), c: fragmentWords(part, 'c') };
  return (registers, instruction) => {
    const read = (name: 'a' | 'b' | 'c') => readWords(registers, instruction, name, types[name]);
    const rows = pieces(read(isTurned ? 'b' : 'a'), size.a * along, down);
    const columns = pieces(read(isTurned ? 'a' : 'b'), size.b * along, across);
    const sums = pieces(read('c'), size.c, down * across);
    const words = rows.flatMap((a, i) =>
      columns.flatMap((b, j) => {
        const [left, right] = [pieces(a, size.a, along), pieces(b, size.b, along)];
        let sum: readonly Value[] = at(sums, i * across + j, 'the sums of a product');
        for (const [k, part] of left.entries()) {
          const other = at(right, k, 'the other factors of a product');
          sum = multiplyWords(registers, row, own, [...part, ...other, ...sum]);
        }
        return sum;
      }),
    );
    writeWords(registers, instruction, types.d, words);
  };
}
