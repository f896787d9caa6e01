// Correctly rounded f32 arithmetic on bit patterns: the reference for a GPU's results.

const view = new DataView(new ArrayBuffer(4));

export function f32FromBits(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

export function bitsOfF32(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

/**
 * The basic operations in f32. Double precision has more than twice the digits of f32 plus two. So
 * a second rounding of a sum, product, quotient or square root, to f32, does not change the result.
 */
export const exactF32 = {
  add: (x: number, y: number): number => Math.fround(x + y),
  mul: (x: number, y: number): number => Math.fround(x * y),
  div: (x: number, y: number): number => Math.fround(x / y),
  sqrt: (x: number): number => Math.fround(Math.sqrt(x)),
  fma: exactFma,
} as const;

/**
 * The exponent of the last bit of the smallest f32. For the smallest product of two f32, it is
 * twice this number.
 */
const MIN_EXPONENT = -149;
const PRODUCT_EXPONENT = 2 * MIN_EXPONENT;

/**
 * Returns x*y+z of f32 values, rounded once to the nearest f32, ties to even (IEEE 754
 * fusedMultiplyAdd).
 */
function exactFma(x: number, y: number, z: number): number {
  if (![x, y, z].every(Number.isFinite) || x === 0 || y === 0) return Math.fround(x * y + z);
  // Here z is finite and the product is nonzero, so all values are integers at the smallest
  // exponent.
  const [a, b, c] = [decompose(x), decompose(y), decompose(z)];
  const product = (a.mantissa * b.mantissa) << BigInt(a.exponent + b.exponent - PRODUCT_EXPONENT);
  const sum = product + (c.mantissa << BigInt(c.exponent - PRODUCT_EXPONENT));
  // With round-to-nearest, an exact zero from unequal signs is +0.
  return sum === 0n ? 0 : roundToF32(sum, PRODUCT_EXPONENT);
}

function decompose(value: number): { mantissa: bigint; exponent: number } {
  const bits = bitsOfF32(value);
  const field = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  const magnitude = BigInt(field === 0 ? fraction : fraction | 0x800000);
  return { mantissa: bits >>> 31 ? -magnitude : magnitude, exponent: Math.max(field, 1) - 150 };
}

function roundToF32(integer: bigint, exponent: number): number {
  const negative = integer < 0n;
  const magnitude = negative ? -integer : integer;
  const digits = magnitude.toString(2).length;
  // The exponent of the last bit that is kept: that of the 24th digit, but at least that of
  // subnormal numbers.
  const last = Math.max(exponent + digits - 24, MIN_EXPONENT);
  const dropped = BigInt(last - exponent);
  let kept = magnitude >> dropped;
  const rest = magnitude - (kept << dropped);
  const half = dropped > 0n ? 1n << (dropped - 1n) : 0n;
  if (dropped > 0n && (rest > half || (rest === half && (kept & 1n) === 1n))) kept += 1n;
  // The number is exact in double precision. `fround` only turns an overflow into infinity.
  const value = Math.fround(Number(kept) * 2 ** last);
  return negative ? -value : value;
}
