// Approximate instructions on f16 and bf16, whose error PTX bounds. The reference has the same
// results as an H200 for all arguments. The result for 2^x is the exact value, truncated to the
// format. The result for the hyperbolic tangent is that of the f32 function (interpolator.ts), also
// truncated to the format.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-ex2
import type { LaneFunction } from '../types.ts';
import { formatOf, halfAt, isPacked, packed } from './half.ts';
import { canonicalOf, type Format, f32, flushedIn, infinityOf, isNaNIn, roundTo, valueIn } from './half-format.ts';
import { tangentOf } from './interpolator.ts';

type Function = (format: Format, bits: number) => number;

/**
 * Returns 2^x. Arguments whose magnitude is below 2^-23 count as 0. A result that is too large
 * becomes infinity, although other results are truncated.
 */
const ex2: Function = (format, bits) => {
  const x = valueIn(format, bits);
  const value = 2 ** (Math.abs(x) < 2 ** -23 ? 0 : x);
  return value >= 2 ** (format.greatest + 1) ? infinityOf(format) : roundTo(format, value, 'rz');
};

/** Returns 2^x with `.ftz`, which bf16 has: subnormal sources and results become zero. */
const flushedEx2: Function = (format, bits) => flushedIn(format, ex2(format, flushedIn(format, bits)));

/**
 * Returns the hyperbolic tangent. For magnitudes below 2^-8, the result is x; from 8 on, its
 * magnitude is 1.
 */
const tanh: Function = (format, bits) => {
  const x = valueIn(format, bits);
  const size = Math.abs(x);
  if (size < 2 ** -8) return bits;
  const tangent = size >= 8 ? 1 : tangentOf(roundTo(f32, size, 'rz'));
  return roundTo(format, Math.sign(x) * tangent, 'rz');
};

const unary =
  (compute: Function): LaneFunction =>
  (mods, sources) => {
    const format = formatOf(mods.type);
    const element = (index: 0 | 1): number => {
      const bits = halfAt(sources, 0, index);
      return isNaNIn(format, bits) ? canonicalOf(format) : compute(format, bits);
    };
    return [isPacked(mods.type) ? packed(element(0), element(1)) : element(0)];
  };

export const approximateHalfFunctions = {
  'ex2.approx.f16': unary(ex2),
  'ex2.approx.bf16': unary(flushedEx2),
  'tanh.approx.f16': unary(tanh),
  'tanh.approx.bf16': unary(tanh),
} satisfies Record<string, LaneFunction>;
