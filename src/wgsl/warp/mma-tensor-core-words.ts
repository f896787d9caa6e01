// The words that lanes exchange and return for sums of tensor cores.
import { fragmentWords, type MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import { joinHalves, pairsOf } from './mma-arithmetic.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

/** Returns the lane function without its first parameters. */
export const after = (lane: LaneFunction, count: number): LaneFunction => ({
  ...lane,
  own: (param) => lane.own(param + count),
  fetch: (param, from) => lane.fetch(param + count, from),
});

/**
 * Returns words that contain the powers of two of pairs of f16 factors. Metadata of sparse factors
 * stay as they are.
 */
export function powersOf(
  writer: WarpWriter,
  form: MatrixForm,
  { a, b }: Readonly<Record<'a' | 'b', readonly WarpValue[]>>,
): readonly WarpValue[] {
  const powers = (value: WarpValue) =>
    writer.each('u32', 'powers', (slot) => w.helper('f16_powers', 'u32', w.bitcast('u32', value.at(slot))));
  return [...a.map((value, index) => (isMetadata(form, index) ? value : powers(value))), ...b.map(powers)];
}

/** Whether a word of the matrices A, which are in succession, contains metadata. */
export const isMetadata = (form: MatrixForm, index: number): boolean =>
  form.selector !== undefined && index % fragmentWords(form, 'a') === fragmentWords(form, 'a') - 1;

/** Returns the words of D, from the bits of its elements as f32 values. */
export function resultWords({ types }: MatrixForm, results: readonly Expr[], packsHalf: boolean): readonly Expr[] {
  if (types.d !== 'f16') return results;
  const sums = results.map((value) => w.bitcast('f32', value));
  if (packsHalf) return pairsOf(sums, (low, high) => w.helper('f16_pack', 'u32', low, high));
  return joinHalves(sums.map((sum) => w.helper('f16_from_f32', 'u32', sum)));
}
