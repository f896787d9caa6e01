// f64 values by their bits: classes, NaNs, and the order that min and max use. No arithmetic.

export const doubleSign = 1n << 63n;
export const doubleInfinity = 0x7ff0_0000_0000_0000n;
export const doubleOne = 0x3ff0_0000_0000_0000n;

const quietBit = 1n << 51n;

/** What NVIDIA's hardware gives where no operand is a NaN and no number is right, as for infinity less infinity. */
export const invalidDouble = 0xfff8_0000_0000_0000n;

const scratch = new BigUint64Array(1);
const number = new Float64Array(scratch.buffer);

/** The value of f64 bits. */
export function doubleOf(bits: bigint): number {
  scratch[0] = bits;
  return number[0] ?? 0;
}

/** The bits of a number other than NaN. */
export function bitsOfDouble(value: number): bigint {
  number[0] = value;
  return scratch[0] ?? 0n;
}

const words = new Uint32Array(scratch.buffer);

/** The exponent of a normal number's leading one. */
export function exponentOfDouble(value: number): number {
  number[0] = value;
  return (((words[1] ?? 0) >>> 20) & 0x7ff) - 1023;
}

/** The bits without the sign. */
export const doubleMagnitude = (bits: bigint): bigint => BigInt.asUintN(63, bits);
export const isNaNDouble = (bits: bigint): boolean => Number.isNaN(doubleOf(bits));
export const isInfiniteDouble = (bits: bigint): boolean => Math.abs(doubleOf(bits)) === Number.POSITIVE_INFINITY;
/** Infinities and NaNs. */
export const isSpecialDouble = (bits: bigint): boolean => !Number.isFinite(doubleOf(bits));
export const isNegativeDouble = (bits: bigint): boolean => bits >= doubleSign;

export function isSubnormalDouble(bits: bigint): boolean {
  const magnitude = doubleMagnitude(bits);
  return magnitude !== 0n && magnitude < 1n << 52n;
}

/** A NaN that signals no more; its sign and payload stay. */
export const quieted = (nan: bigint): bigint => nan | quietBit;

/**
 * What an operation gives whose operands are NaN, some of them: "unspecified" by the manual, and on an H200 the first NaN in the order
 * given, quieted. Undefined where no operand is one.
 */
export function nanAmong(operands: readonly bigint[]): bigint | undefined {
  const nan = operands.find(isNaNDouble);
  return nan === undefined ? undefined : quieted(nan);
}

/** A number that orders f64 bits other than NaN as `min` and `max` do: -0 is less than +0. */
const orderOf = (bits: bigint): bigint => (isNegativeDouble(bits) ? -doubleMagnitude(bits) - 1n : bits);

/** The lesser or greater of two f64. A NaN loses to a number. */
export function minMaxDouble(which: 'min' | 'max', a: bigint, b: bigint): bigint {
  if (isNaNDouble(b)) return isNaNDouble(a) ? quieted(b) : a;
  if (isNaNDouble(a)) return b;
  return (which === 'min') === orderOf(a) < orderOf(b) ? a : b;
}
