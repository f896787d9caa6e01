// Approximate f32 instructions as PTX specifies them: bounds of their error, and special cases. The
// bounds in this file are relative to the f32 that is nearest to the exact value. Double-precision
// functions compute that value with errors far below the last place of an f32. The reference itself
// interpolates like the hardware (float-interpolated.ts).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions
import type { FloatRowName, Mods } from '../../isa/index.ts';
import type { Bits, LaneFunction } from '../types.ts';
import { floatSource, roundingOf } from './float.ts';
import { isNaNBits, magnitude } from './float-bits.ts';
import { floatOf, roundToFloat } from './float-exact.ts';
import { wordAt } from './values.ts';

const unary =
  (exact: (a: number) => number): LaneFunction =>
  (mods, sources) => [roundToFloat(exact(floatOf(floatSource(mods, sources, 0))), roundingOf(mods))];

/**
 * Returns the approximate quotient. `.approx` is `a * (1/b)`: "For 2^126 < |b| < 2^128, if a is
 * infinity, div.approx.f32 returns NaN, otherwise it returns a sign-preserving zero." `.full`
 * scales its operands and does not have this special case.
 */
const divApprox: LaneFunction = (mods, sources) => {
  const a = floatOf(floatSource(mods, sources, 0));
  const b = floatOf(floatSource(mods, sources, 1));
  const reciprocalIsTiny = mods.mode === 'approx' && Math.abs(b) > 2 ** 126 && Number.isFinite(b);
  const exact = reciprocalIsTiny ? a * (0 * Math.sign(b)) : a / b;
  return [roundToFloat(exact, roundingOf(mods))];
};

const nearest = {
  'div.approx.f32': divApprox,
  'rcp.approx.f32': unary((a) => 1 / a),
  'sqrt.approx.f32': unary(Math.sqrt),
  'rsqrt.approx.f32': unary((a) => 1 / Math.sqrt(a)),
  'sin.approx.f32': unary(Math.sin),
  'cos.approx.f32': unary(Math.cos),
  'lg2.approx.f32': unary(Math.log2),
  'ex2.approx.f32': unary((a) => 2 ** a),
  'tanh.approx.f32': unary(Math.tanh),
} satisfies Record<string, LaneFunction>;

export type ApproximateRowName = keyof typeof nearest & FloatRowName;

/**
 * The maximum error of a result, for the modifiers and sources (values, not bits) that `holds`
 * accepts.
 */
export interface ErrorBound {
  readonly holds: (sources: readonly number[], mods: Mods) => boolean;
  /** The bound in ulp of the nearest result. */
  readonly ulp?: number;
  /** The bound as a fraction of the nearest result. */
  readonly relative?: number;
  readonly absolute?: number;
}

const always = () => true;

const within =
  (least: number, greatest: number) =>
  ([a = Number.NaN]: readonly number[]) =>
    a >= least && a <= greatest;

/**
 * The error bounds of sine and cosine: 2^-20.5 within one period, and 2^-14.7 within fifty periods.
 * For larger angles, "there are no defined error guarantees".
 */
const ofAngle: readonly ErrorBound[] = [
  { holds: within(-2 * Math.PI, 2 * Math.PI), absolute: 2 ** -20.5 },
  { holds: within(-100 * Math.PI, 100 * Math.PI), absolute: 2 ** -14.7 },
];

const isBoundedDivision = ([, b = Number.NaN]: readonly number[], mods: Mods) =>
  mods.mode === 'full' || (Math.abs(b) >= 2 ** -126 && Math.abs(b) <= 2 ** 126);

/**
 * The error bounds that PTX guarantees for each approximate instruction. The first bound whose
 * condition is true applies. If there is none, the result is "best effort", and any value is
 * allowed.
 */
export const approximate: Readonly<Record<ApproximateRowName, readonly ErrorBound[]>> = {
  'div.approx.f32': [{ holds: isBoundedDivision, ulp: 2 }],
  'rcp.approx.f32': [{ holds: always, ulp: 1 }],
  'sqrt.approx.f32': [{ holds: always, relative: 2 ** -23 }],
  'rsqrt.approx.f32': [{ holds: always, relative: 2 ** -22.9 }],
  'sin.approx.f32': ofAngle,
  'cos.approx.f32': ofAngle,
  'lg2.approx.f32': [
    { holds: within(0.5, 2), absolute: 2 ** -22 },
    { holds: always, relative: 2 ** -22 },
  ],
  'ex2.approx.f32': [{ holds: always, ulp: 2 }],
  'tanh.approx.f32': [{ holds: always, relative: 2 ** -11 }],
};

/**
 * Whether PTX allows `actual` (bits) as the result of an approximate instruction on `sources`
 * (bits).
 */
export function isAllowedResult(
  row: ApproximateRowName,
  mods: Mods,
  sources: readonly Bits[],
  actual: number,
): boolean {
  const expected = wordAt(nearest[row](mods, sources), 0);
  if (actual === expected) return true;
  const values = sources.map((_, i) => floatOf(floatSource(mods, sources, i)));
  const bound = approximate[row].find(({ holds }) => holds(values, mods));
  if (bound === undefined) return true;
  if (isNaNBits(actual) || isNaNBits(expected)) return isNaNBits(actual) && isNaNBits(expected);
  const error = Math.abs(floatOf(actual) - floatOf(expected));
  if (bound.absolute !== undefined) return error <= bound.absolute;
  if (bound.relative !== undefined) return error <= bound.relative * Math.abs(floatOf(expected));
  const hasSameSign = actual >>> 31 === expected >>> 31;
  return hasSameSign && Math.abs(magnitude(actual) - magnitude(expected)) <= (bound.ulp ?? 0);
}
