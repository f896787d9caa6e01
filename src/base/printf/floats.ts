// Formats doubles like C's printf: correctly rounded, ties to even, by exact integer arithmetic.

/** A finite magnitude, which equals `mantissa * 2^exponent`. */
interface Parts {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

function partsOf(magnitude: number): Parts {
  view.setFloat64(0, magnitude);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

/** Returns `magnitude * 10^scale` rounded to an integer, ties to even. */
function scaled(magnitude: number, scale: number): bigint {
  const { mantissa, exponent } = partsOf(magnitude);
  let top = mantissa * 10n ** BigInt(Math.max(scale, 0));
  let bottom = 10n ** BigInt(Math.max(-scale, 0));
  if (exponent >= 0) top <<= BigInt(exponent);
  else bottom <<= BigInt(-exponent);
  const quotient = top / bottom;
  const twice = 2n * (top % bottom);
  const up = twice > bottom || (twice === bottom && (quotient & 1n) === 1n);
  return up ? quotient + 1n : quotient;
}

const withPoint = (whole: string, fraction: string, isAlternate: boolean): string =>
  fraction === '' && !isAlternate ? whole : `${whole}.${fraction}`;

/** Formats a magnitude as `%f`. */
export function fixed(magnitude: number, precision: number, isAlternate: boolean): string {
  const digits = scaled(magnitude, precision)
    .toString()
    .padStart(precision + 1, '0');
  const point = digits.length - precision;
  return withPoint(digits.slice(0, point), digits.slice(point), isAlternate);
}

/** Returns `count` significant digits and the decimal exponent. */
function significant(magnitude: number, count: number): { readonly digits: string; readonly exponent: number } {
  if (magnitude === 0) return { digits: '0'.repeat(count), exponent: 0 };
  let exponent = Math.floor(Math.log10(magnitude));
  // The estimated logarithm may be wrong by one, and rounding up may add a digit.
  while (true) {
    const digits = scaled(magnitude, count - 1 - exponent).toString();
    if (digits.length === count) return { digits, exponent };
    exponent += digits.length > count ? 1 : -1;
  }
}

const signedExponent = (exponent: number, least: number): string =>
  `${exponent < 0 ? '-' : '+'}${Math.abs(exponent).toString().padStart(least, '0')}`;

/** Formats a magnitude as `%e`. */
export function exponential(magnitude: number, precision: number, isAlternate: boolean): string {
  const { digits, exponent } = significant(magnitude, precision + 1);
  return `${withPoint(digits.slice(0, 1), digits.slice(1), isAlternate)}e${signedExponent(exponent, 2)}`;
}

/** Formats a magnitude as `%g`. */
export function general(magnitude: number, precision: number, isAlternate: boolean): string {
  const count = Math.max(precision, 1);
  const { exponent } = significant(magnitude, count);
  const isFixed = exponent >= -4 && exponent < count;
  const text = isFixed
    ? fixed(magnitude, count - 1 - exponent, isAlternate)
    : exponential(magnitude, count - 1, isAlternate);
  if (isAlternate) return text;
  const [number = '', power] = text.split('e');
  const short = number.includes('.') ? number.replace(/\.?0+$/, '') : number;
  return power === undefined ? short : `${short}e${power}`;
}

/** Formats a magnitude as `%a`. If `precision` is undefined, writes all significant digits. */
export function hexadecimal(magnitude: number, precision: number | undefined, isAlternate: boolean): string {
  const { mantissa, exponent } = partsOf(magnitude);
  const isNormal = mantissa >> 52n === 1n;
  const power = magnitude === 0 ? 0 : isNormal ? exponent + 52 : -1022;
  let digits = mantissa;
  let count = 13;
  if (precision !== undefined && precision < 13) {
    const cut = BigInt(4 * (13 - precision));
    const [rest, half] = [digits & ((1n << cut) - 1n), 1n << (cut - 1n)];
    digits >>= cut;
    if (rest > half || (rest === half && (digits & 1n) === 1n)) digits += 1n;
    count = precision;
  }
  const text = digits.toString(16).padStart(count + 1, '0');
  const point = text.length - count;
  const fraction =
    precision === undefined ? text.slice(point).replace(/0+$/, '') : text.slice(point).padEnd(precision, '0');
  return `0x${withPoint(text.slice(0, point), fraction, isAlternate)}p${signedExponent(power, 1)}`;
}
