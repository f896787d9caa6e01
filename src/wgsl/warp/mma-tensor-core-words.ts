// The words that lanes exchange and return for sums of tensor cores.
import type { MatrixForm } from '../../isa/fragments.ts';
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

/** Returns words that contain the powers of two of pairs of f16 factors. */
export const powersOf = (writer: WarpWriter, factors: readonly WarpValue[]): readonly WarpValue[] =>
  factors.map((value) =>
    writer.each('u32', 'powers', (slot) => w.helper('f16_powers', 'u32', w.bitcast('u32', value.at(slot)))),
  );

/** Returns the words of D, from the bits of its elements as f32 values. */
export function resultWords({ types }: MatrixForm, results: readonly Expr[], packsHalf: boolean): readonly Expr[] {
  if (types.d !== 'f16') return results;
  const sums = results.map((value) => w.bitcast('f32', value));
  if (packsHalf) return pairsOf(sums, (low, high) => w.helper('f16_pack', 'u32', low, high));
  return joinHalves(sums.map((sum) => w.helper('f16_from_f32', 'u32', sum)));
}
