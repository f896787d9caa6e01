// Approximate f64 instructions.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-rcp-approx-ftz-f64
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-rsqrt-approx-ftz-f64
//
// With `.ftz`, the instructions read the upper word of the source and compute the upper word of the
// result. The manual does not bound the error. The results in this file equal those of an H200 for
// every upper word. They consist of the significands of the f32 functions (interpolator.ts),
// truncated to the fraction of the upper word.
import type { LaneFunction } from '../types.ts';
import { doubleSign, isNegativeDouble, isSubnormalDouble, nanAmong } from './double-bits.ts';
import { fmaDouble, multiplyDouble, sqrtDouble } from './double-exact.ts';
import { reciprocalPlaces, rootPlaces } from './interpolator.ts';
import { wideSource } from './values.ts';

/** The result for NaNs and for square roots of negative numbers. */
const canonical = 0x7fff_ffff_0000_0000n;
const infinity = 0x7ff0_0000n;

/** Returns the sign, exponent field and fraction of the upper word. */
function fieldsOf(bits: bigint) {
  const word = bits >> 32n;
  return { sign: word & 0x8000_0000n, exponent: (word >> 20n) & 0x7ffn, fraction: word & 0xf_ffffn };
}

const upper = (word: bigint): bigint => word << 32n;

function reciprocalOfUpper(a: bigint): bigint {
  const { sign, exponent, fraction } = fieldsOf(a);
  if (exponent === 0x7ffn) return fraction === 0n ? upper(sign) : canonical;
  if (exponent === 0n) return upper(sign | infinity);
  const word = ((2044n - exponent) << 20n) + BigInt(reciprocalPlaces(8 * Number(fraction)) >> 3);
  // Flush results below the least normal number to zero.
  return upper(sign | (word < 1n << 20n ? 0n : word));
}

function rootOfUpper(a: bigint): bigint {
  const { sign, exponent, fraction } = fieldsOf(a);
  if (exponent === 0n) return upper(sign | infinity);
  if (sign !== 0n || (exponent === 0x7ffn && fraction !== 0n)) return canonical;
  if (exponent === 0x7ffn) return 0n;
  const isOdd = (exponent & 1n) === 0n;
  const places = BigInt(rootPlaces(8 * Number(fraction), isOdd) >> 3);
  const half = (exponent - 1023n - (isOdd ? 1n : 0n)) / 2n;
  return upper(((1022n - half) << 20n) + places - (1n << 20n));
}

/**
 * Computes `rsqrt` without `.ftz` like NVIDIA's compiler: the approximation, also for subnormal
 * numbers, followed by one step of an iteration.
 */
function reciprocalRoot(a: bigint): bigint {
  const nan = nanAmong([a]);
  if (nan !== undefined) return nan;
  if ((a & ~doubleSign) === 0n) return a | upper(infinity);
  if (isNegativeDouble(a)) return sqrtDouble(a, 'rn');
  if (a === upper(infinity)) return 0n;
  // Multiplication by a power of four makes subnormal numbers normal, because their lowest bit is
  // 2^-1074.
  const scaled = isSubnormalDouble(a) ? scaledUp(a) : a;
  const guess = rootOfUpper(scaled);
  const [one, half, threeEighths] = [0x3ff0_0000_0000_0000n, 0x3fe0_0000_0000_0000n, 0x3fd8_0000_0000_0000n];
  const error = fmaDouble(scaled, multiplyDouble(guess, guess, 'rn') ^ doubleSign, one, 'rn');
  const factor = fmaDouble(error, threeEighths, half, 'rn');
  const root = fmaDouble(factor, multiplyDouble(error, guess, 'rn'), guess, 'rn');
  return isSubnormalDouble(a) ? root + (27n << 52n) : root;
}

/** Returns `a` times 2^54. */
const scaledUp = (a: bigint): bigint => multiplyDouble(a, (1023n + 54n) << 52n, 'rn');

export const doubleApproximations = {
  'rcp.approx.ftz.f64': (_, sources) => [reciprocalOfUpper(wideSource(sources, 0))],
  'rsqrt.approx.f64': (_, sources) => [reciprocalRoot(wideSource(sources, 0))],
  'rsqrt.approx.ftz.f64': (_, sources) => [rootOfUpper(wideSource(sources, 0))],
} satisfies Record<string, LaneFunction>;
