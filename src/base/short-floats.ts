// Converts f16 and bf16 to and from numbers, for input and output. The reference has separate
// arithmetic, in src/cpu-ref.

interface ShortFormat {
  readonly fraction: number;
  readonly bias: number;
}

const formats: Readonly<Record<'f16' | 'bf16', ShortFormat>> = {
  f16: { fraction: 10, bias: 15 },
  bf16: { fraction: 7, bias: 127 },
};

/** Returns the number that 16 bits encode. */
export function shortFloat(type: 'f16' | 'bf16', bits: number): number {
  const { fraction, bias } = formats[type];
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fraction;
  const low = bits & ((1 << fraction) - 1);
  if (exponent === 2 * bias + 1) return low === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * low * 2 ** (1 - bias - fraction);
  return sign * (low + (1 << fraction)) * 2 ** (exponent - bias - fraction);
}

/** Returns the bits of the nearest f16 or bf16, ties to even. */
export function shortFloatBits(type: 'f16' | 'bf16', value: number): number {
  const { fraction, bias } = formats[type];
  const infinity = (2 * bias + 1) << fraction;
  if (Number.isNaN(value)) return infinity | (1 << (fraction - 1));
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = Math.max(exponentOf(size), 1 - bias);
  if (exponent > bias) return sign | infinity;
  const units = size / 2 ** (exponent - fraction);
  const whole = Math.floor(units);
  const rest = units - whole;
  const rounded = rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole;
  // The leading one of a normal number adds 1 to the exponent. Rounding up to the next power of two
  // also carries into the exponent.
  return sign | (((exponent + bias - 1) << fraction) + rounded);
}

/**
 * Returns floor(log2(size)), exactly. For subnormal f64 numbers, returns a value below every
 * exponent of the formats.
 */
function exponentOf(size: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  return (view.getUint16(0) >> 4) - 1023;
}
