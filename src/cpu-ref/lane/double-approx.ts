// Approximating f64 instructions.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-rcp-approx-ftz-f64
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-rsqrt-approx-ftz-f64
//
// With `.ftz` they look at the upper word of the source and give the upper word of the result, and the manual bounds no error. Of every upper
// word in a period an H200 gave the last place of the exact result cut off, or one more: mostly where less than 1/15 (reciprocal) or 1/18 (root)
// of a place was missing, and in 98.4 and 97.4 of a hundred cases just there, as it is done here.
import type { LaneFunction } from '../types.ts';
import { doubleSign, isNegativeDouble, isSubnormalDouble, nanAmong } from './double-bits.ts';
import { fmaDouble, multiplyDouble, sqrtDouble } from './double-exact.ts';
import { wideSource } from './values.ts';

/// What the approximations give for NaNs, and for roots of negative numbers.
const canonical = 0x7fff_ffff_0000_0000n;
const infinity = 0x7ff0_0000n;

/// Sign, exponent field and fraction of an upper word.
function fieldsOf(bits: bigint) {
  const word = bits >> 32n;
  return { sign: word & 0x8000_0000n, exponent: (word >> 20n) & 0x7ffn, fraction: word & 0xf_ffffn };
}

const upper = (word: bigint): bigint => word << 32n;

function reciprocalOfUpper(a: bigint): bigint {
  const { sign, exponent, fraction } = fieldsOf(a);
  if (exponent === 0x7ffn) return fraction === 0n ? upper(sign) : canonical;
  if (exponent === 0n) return upper(sign | infinity);
  // Results below the least normal value are zeros.
  if (exponent > 2044n) return upper(sign);
  const places = ((15n << 41n) / (fraction | (1n << 20n)) + 1n) / 15n;
  return upper(sign | (((2045n - exponent) << 20n) + places - (1n << 20n)));
}

function rootOfUpper(a: bigint): bigint {
  const { sign, exponent, fraction } = fieldsOf(a);
  if (exponent === 0n) return upper(sign | infinity);
  if (sign !== 0n || (exponent === 0x7ffn && fraction !== 0n)) return canonical;
  if (exponent === 0x7ffn) return 0n;
  const isOdd = (exponent & 1n) === 0n;
  const value = (fraction | (1n << 20n)) << (isOdd ? 1n : 0n);
  // The greatest number of places p with p - 1/18 <= 2^31 / sqrt(value): (18 p - 1)^2 value <= 18^2 2^62.
  let places = BigInt(Math.floor(2 ** 31 / Math.sqrt(Number(value)))) + 1n;
  while ((18n * places - 1n) ** 2n * value > 324n << 62n) places -= 1n;
  const half = (exponent - 1023n - (isOdd ? 1n : 0n)) / 2n;
  return upper(((1022n - half) << 20n) + places - (1n << 20n));
}

/// Without `.ftz`, as NVIDIA's compiler writes it: the approximation, of subnormal numbers too, and one step of an iteration.
function reciprocalRoot(a: bigint): bigint {
  const nan = nanAmong([a]);
  if (nan !== undefined) return nan;
  if ((a & ~doubleSign) === 0n) return a | upper(infinity);
  if (isNegativeDouble(a)) return sqrtDouble(a, 'rn');
  if (a === upper(infinity)) return 0n;
  // Scaled by a power of four, subnormal numbers are normal: the last place of theirs is 2^-1074.
  const scaled = isSubnormalDouble(a) ? scaledUp(a) : a;
  const guess = rootOfUpper(scaled);
  const [one, half, threeEighths] = [0x3ff0_0000_0000_0000n, 0x3fe0_0000_0000_0000n, 0x3fd8_0000_0000_0000n];
  const error = fmaDouble(scaled, multiplyDouble(guess, guess, 'rn') ^ doubleSign, one, 'rn');
  const factor = fmaDouble(error, threeEighths, half, 'rn');
  const root = fmaDouble(factor, multiplyDouble(error, guess, 'rn'), guess, 'rn');
  return isSubnormalDouble(a) ? root + (27n << 52n) : root;
}

/// Times 2^54.
const scaledUp = (a: bigint): bigint => multiplyDouble(a, (1023n + 54n) << 52n, 'rn');

export const doubleApproximations = {
  'rcp.approx.ftz.f64': (_, sources) => [reciprocalOfUpper(wideSource(sources, 0))],
  'rsqrt.approx.f64': ({ ftz }, sources) => {
    const a = wideSource(sources, 0);
    return [ftz === undefined ? reciprocalRoot(a) : rootOfUpper(a)];
  },
} satisfies Record<string, LaneFunction>;

/// Rows whose results the manual does not bound: other implementations may differ.
export const boundlessRows: ReadonlySet<string> = new Set(Object.keys(doubleApproximations));
