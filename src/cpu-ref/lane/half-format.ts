// Floating-point formats of up to 32 bits: their values as doubles, which represent them exactly,
// and rounding to these formats.

/** A rounding: to nearest even, to nearest with ties away from zero, toward zero, down, up. */
export type HalfRounding = 'rn' | 'rna' | 'rz' | 'rm' | 'rp';

export interface Format {
  /** The number of bits of the fraction, and the number of bits of the whole value. */
  readonly fraction: number;
  readonly bits: number;
  /** The exponent of the least normal number, and the exponent of the greatest. */
  readonly least: number;
  readonly greatest: number;
  /** The bits of infinity, and the bits of the sign. */
  readonly infinity: number;
  readonly sign: number;
}

export const formatWith = (fraction: number, bits: number, least: number, greatest: number): Format => {
  const infinity = (greatest - least + 2) * 2 ** fraction;
  return { fraction, bits, least, greatest, infinity, sign: 2 ** (bits - 1) };
};

export const f16 = formatWith(10, 16, -14, 15);
export const bf16 = formatWith(7, 16, -126, 127);
export const f32 = formatWith(23, 32, -126, 127);

/** Returns the bits of a format's infinity. Apart from the sign, the bits of NaNs are greater. */
export const infinityOf = ({ infinity }: Format): number => infinity;

export const signOf = ({ sign }: Format): number => sign;

/** Returns the NaN that NVIDIA's arithmetic returns, for any NaN operand. */
export const canonicalOf = (format: Format): number => signOf(format) - 1;

export const sizeOf = ({ sign }: Format, bits: number): number => (bits >= sign ? bits - sign : bits);

export const isNegativeIn = (format: Format, bits: number): boolean => bits >= signOf(format);

export const isNaNIn = (format: Format, bits: number): boolean => sizeOf(format, bits) > infinityOf(format);

/**
 * The powers of two, starting with the least double. The table is fast, because matrix instructions
 * need a power for every element.
 */
const powers = Float64Array.from({ length: 2098 }, (_, index) => 2 ** (index - 1074));
export const powerOfTwo = (exponent: number): number => powers[exponent + 1074] ?? 2 ** exponent;

/** Flushes a subnormal value to a zero of the same sign, for `.ftz`. */
export const flushedIn = (format: Format, bits: number): number =>
  sizeOf(format, bits) < powerOfTwo(format.fraction) ? bits - sizeOf(format, bits) : bits;

/** Returns the value of a format's bits. */
export function valueIn(format: Format, bits: number): number {
  const size = sizeOf(format, bits);
  const sign = isNegativeIn(format, bits) ? -1 : 1;
  if (size > infinityOf(format)) return Number.NaN;
  if (size === infinityOf(format)) return sign * Number.POSITIVE_INFINITY;
  const unit = powerOfTwo(format.fraction);
  const exponent = Math.floor(size / unit);
  const significand = size - exponent * unit + (exponent === 0 ? 0 : unit);
  return sign * significand * powerOfTwo(Math.max(exponent, 1) - 1 + format.least - format.fraction);
}

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Returns the exponent of a finite double. For zero and subnormal doubles, returns an exponent far
 * below those of every format.
 */
export function exponentOf(value: number): number {
  scratch.setFloat64(0, value);
  return ((scratch.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

function rounded(scaled: number, isNegative: boolean, rounding: HalfRounding): number {
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  if (rest === 0) return floor;
  switch (rounding) {
    case 'rz':
      return floor;
    case 'rm':
      return isNegative ? floor + 1 : floor;
    case 'rp':
      return isNegative ? floor : floor + 1;
    case 'rna':
      return rest >= 0.5 ? floor + 1 : floor;
    case 'rn':
      return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  }
}

/**
 * Rounds a value to the bits of a format. A double that approximates a value with more bits must
 * compare like that value with every value of the format and with every midpoint of two values. If
 * `flush` is set, a result becomes zero if it is below the least normal number after rounding with
 * unlimited exponents.
 */
export function roundTo(format: Format, value: number, rounding: HalfRounding, flush = false): number {
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? signOf(format) : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return canonicalOf(format);
  if (size === 0) return sign;
  if (size === Number.POSITIVE_INFINITY) return sign + infinityOf(format);
  const { fraction, least, greatest } = format;
  const exponent = flush ? exponentOf(size) : Math.max(exponentOf(size), least);
  const unit = powerOfTwo(exponent - fraction);
  const significand = rounded(size / unit, isNegative, rounding);
  if (flush && significand * unit < powerOfTwo(least)) return sign;
  // The leading one of a normal value adds 1 to the exponent field. So does a carry from the
  // fraction.
  const bits = exponent > greatest ? infinityOf(format) : (exponent - least) * powerOfTwo(fraction) + significand;
  if (bits < infinityOf(format)) return sign + bits;
  const isInfinite = rounding === 'rn' || rounding === 'rna' || rounding === (isNegative ? 'rm' : 'rp');
  return sign + infinityOf(format) - (isInfinite ? 0 : 1);
}
