// Tests whether operands are special or extreme, so that f32 cannot represent their products.
import { missing } from '../../base/invariants.ts';
import type { ElementType, MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import { anyTinyFactor } from './mma-subnormals.ts';
import { convertsBytes } from './mma-tensor-core-forms.ts';

const joined = (words: readonly Expr[]): Expr => words.reduce(w.or);
const greatest = (words: readonly Expr[]): Expr => words.reduce((a, b) => w.builtin('max', 'u32', a, b));

/**
 * Whether any element of the words is so large that adding `rest` sets its top bit. `mask` removes
 * the sign, and may remove further bits.
 */
const anyReaches = (words: readonly Expr[], mask: number, rest: number, tops: number): Expr =>
  w.ne(w.and(joined(words.map((word) => w.add(w.and(word, w.u32(mask)), w.u32(rest)))), w.u32(tops)), w.u32(0));

/**
 * By type: whether there are infinities or NaNs; for bf16 and tf32, whether there are also numbers
 * of 2^50 or more.
 */
const anyLarge: Readonly<Partial<Record<ElementType, (words: readonly Expr[]) => Expr>>> = {
  f16: (words) => anyReaches(words, 0x7c00_7c00, 0x0400_0400, 0x8000_8000),
  e4m3: (words) => anyReaches(words, 0x7f7f_7f7f, 0x0101_0101, 0x8080_8080),
  e5m2: (words) => anyReaches(words, 0x7c7c_7c7c, 0x0404_0404, 0x8080_8080),
  bf16: (words) => anyReaches(words, 0x7fff_7fff, 0x2780_2780, 0x8000_8000),
  // The limit for f32 is 2^120, so that no sum reaches the greatest number.
  f32: (words) => w.ge(greatest(words.map((word) => w.and(word, w.u32(0x7fff_ffff)))), w.u32(0x7b80_0000)),
  tf32: (words) => w.ge(greatest(words.map((word) => w.and(word, w.u32(0x7fff_ffff)))), w.u32(0x5880_0000)),
};

const large = (type: ElementType, words: readonly Expr[]): Expr =>
  (anyLarge[type] ?? missing('the large elements of a type', type))(words);

/** For each operand of the products: its words in this lane. */
export type OperandWords = Readonly<Record<'a' | 'b' | 'c', readonly Expr[]>>;

/** Whether any element of the operands is special or extreme. */
export function anyExtreme(form: MatrixForm, { a, b, c }: OperandWords): Expr {
  const { types } = form;
  const isWide = types.a === 'bf16' || types.a === 'tf32';
  return [
    ...(types.a === types.b ? [large(types.a, [...a, ...b])] : [large(types.a, a), large(types.b, b)]),
    ...(isWide ? [anyTinyFactor(types.a, [...a, ...b])] : []),
    // Converted factors are added before the addend, so the addend may have any value.
    ...(convertsBytes(form) ? [] : [large(types.c, c)]),
  ].reduce(w.either);
}
