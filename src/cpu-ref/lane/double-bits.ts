// Operations on the bits of f64 values: classes, NaNs, and the order for min and max.

export const doubleSign = 1n << 63n;
export const doubleInfinity = 0x7ff0_0000_0000_0000n;
export const doubleOne = 0x3ff0_0000_0000_0000n;

const quietBit = 1n << 51n;

/**
 * The NaN that NVIDIA's hardware returns for invalid operations without NaN operands, such as
 * infinity minus infinity.
 */
export const invalidDouble = 0xfff8_0000_0000_0000n;

const scratch = new BigUint64Array(1);
const number = new Float64Array(scratch.buffer);

/** Returns the value of f64 bits. */
export function doubleOf(bits: bigint): number {
  scratch[0] = bits;
  return number[0] ?? 0;
}

/** Returns the bits of a number other than NaN. */
export function bitsOfDouble(value: number): bigint {
  number[0] = value;
  return scratch[0] ?? 0n;
}

const words = new Uint32Array(scratch.buffer);

/** Returns the exponent of a normal number. */
export function exponentOfDouble(value: number): number {
  number[0] = value;
  return (((words[1] ?? 0) >>> 20) & 0x7ff) - 1023;
}

/** Returns the bits without the sign. */
export const doubleMagnitude = (bits: bigint): bigint => BigInt.asUintN(63, bits);
export const isNaNDouble = (bits: bigint): boolean => Number.isNaN(doubleOf(bits));
export const isInfiniteDouble = (bits: bigint): boolean => Math.abs(doubleOf(bits)) === Number.POSITIVE_INFINITY;
/** Whether bits are an infinity or a NaN. */
export const isSpecialDouble = (bits: bigint): boolean => !Number.isFinite(doubleOf(bits));
export const isNegativeDouble = (bits: bigint): boolean => bits >= doubleSign;

export function isSubnormalDouble(bits: bigint): boolean {
  const magnitude = doubleMagnitude(bits);
  return magnitude !== 0n && magnitude < 1n << 52n;
}

/** Returns the quiet NaN with the same sign and payload. */
export const quieted = (nan: bigint): bigint => nan | quietBit;

/**
 * Returns the result of an operation if any operand is NaN, and otherwise undefined. The result is
 * "unspecified" in the manual; on an H200, it is the first NaN in the order of the instruction,
 * quieted.
 */
export function nanAmong(operands: readonly bigint[]): bigint | undefined {
  const nan = operands.find(isNaNDouble);
  return nan === undefined ? undefined : quieted(nan);
}

/**
 * Returns a number whose order is that of `min` and `max` for f64 bits other than NaN: -0 is less
 * than +0.
 */
const orderOf = (bits: bigint): bigint => (isNegativeDouble(bits) ? -doubleMagnitude(bits) - 1n : bits);

/** Returns the lesser or greater of two f64 values. If one is a NaN, returns the other. */
export function minMaxDouble(which: 'min' | 'max', a: bigint, b: bigint): bigint {
  if (isNaNDouble(b)) return isNaNDouble(a) ? quieted(b) : a;
  if (isNaNDouble(a)) return b;
  return (which === 'min') === orderOf(a) < orderOf(b) ? a : b;
}
