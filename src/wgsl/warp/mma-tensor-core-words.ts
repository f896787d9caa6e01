// The words that lanes exchange and return for sums of tensor cores.
import { at } from '../../base/invariants.ts';
import type { MatrixForm } from '../../isa/fragments.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';
import type { LaneFunction } from './words-function.ts';

/** The lane function without its first parameters. */
export const after = (lane: LaneFunction, count: number): LaneFunction => ({
  ...lane,
  own: (param) => lane.own(param + count),
  fetch: (param, from) => lane.fetch(param + count, from),
});

/** The words with the powers of two of pairs of f16 factors. */
export const powersOf = (writer: WarpWriter, factors: readonly WarpValue[]): readonly WarpValue[] =>
  factors.map((value) =>
    writer.each('u32', 'powers', (slot) => w.helper('f16_powers', 'u32', w.bitcast('u32', value.at(slot)))),
  );

/** The words of D, from the bits of its elements as f32s. */
export function resultWords({ types }: MatrixForm, results: readonly Expr[]): readonly Expr[] {
  if (types.d !== 'f16') return results;
  const halves = results.map((value) => w.helper('f16_from_f32', 'u32', w.bitcast('f32', value)));
  return halves.flatMap((low, index) =>
    index % 2 === 0 ? [w.or(low, w.shl(at(halves, index + 1, 'the other half of a word'), w.u32(16)))] : [],
  );
}
