// Formats text like C's printf (glibc), because CUDA formats the output of the device on the host.
import { exponential, fixed, general, hexadecimal } from './floats.ts';
import { argumentWords, type Conversion, type Piece, placeOf } from './parse.ts';

/** Returns the string at an address, with one character for each byte. */
export type StringAt = (address: bigint) => string;

/** The maximum value of a width or precision. */
const maxField = 4096;
const clamped = (value: number): number => Math.min(value, maxField);

/** Returns the arguments one after another. */
class Arguments {
  private readonly words: readonly number[];
  private end = 0;

  constructor(words: readonly number[]) {
    this.words = words;
  }

  next(words: 1 | 2): bigint {
    const at = placeOf(this.end, words);
    this.end = at + words;
    const low = BigInt((this.words[at] ?? 0) >>> 0);
    return words === 1 ? low : low | (BigInt((this.words[at + 1] ?? 0) >>> 0) << 32n);
  }

  int(): number {
    return Number(BigInt.asIntN(32, this.next(1)));
  }
}

/** Formats pieces with the words of their arguments. Each character of the result is a byte. */
export function formatPieces(pieces: readonly Piece[], words: readonly number[], stringAt: StringAt): string {
  const given = new Arguments(words);
  return pieces.map((piece) => (typeof piece === 'string' ? piece : convert(piece, given, stringAt))).join('');
}

function convert(conversion: Conversion, given: Arguments, stringAt: StringAt): string {
  const { letter, kind } = conversion;
  let { flags } = conversion;
  let width = conversion.width === '*' ? given.int() : (conversion.width ?? 0);
  if (width < 0) {
    flags += '-';
    width = -width;
  }
  const asked = conversion.precision === '*' ? given.int() : conversion.precision;
  const precision = asked === undefined || asked < 0 ? undefined : clamped(asked);
  const isAlternate = flags.includes('#');
  const pad = (sign: string, body: string, zeros: boolean): string => {
    const missing = clamped(width) - sign.length - body.length;
    if (missing <= 0) return sign + body;
    if (flags.includes('-')) return sign + body + ' '.repeat(missing);
    return zeros && flags.includes('0') ? sign + '0'.repeat(missing) + body : ' '.repeat(missing) + sign + body;
  };
  const signOf = (negative: boolean) => (negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '');
  const [words = 2] = argumentWords([{ ...conversion, width: undefined, precision: undefined }]);
  const bits = given.next(words);
  switch (kind) {
    case 'character':
      return pad('', String.fromCharCode(Number(bits & 0xffn)), false);
    case 'string': {
      const text = bits === 0n ? '(null)' : stringAt(bits);
      return pad('', precision === undefined ? text : text.slice(0, precision), false);
    }
    case 'pointer':
      return pad('', bits === 0n ? '(nil)' : `0x${bits.toString(16)}`, false);
    case 'integer': {
      const isSigned = letter === 'd' || letter === 'i';
      const value = isSigned ? BigInt.asIntN(conversion.bits, bits) : BigInt.asUintN(conversion.bits, bits);
      const body = integerBody(value < 0n ? -value : value, letter, precision, isAlternate);
      const prefix = isAlternate && value !== 0n && letter.toLowerCase() === 'x' ? `0${letter}` : '';
      return pad((isSigned ? signOf(value < 0n) : '') + prefix, body, precision === undefined);
    }
    case 'float': {
      const value = doubleOf(bits);
      const sign = signOf(bits >> 63n === 1n);
      const body = floatBody(Math.abs(value), letter.toLowerCase(), precision, isAlternate);
      const hex = Number.isFinite(value) && letter.toLowerCase() === 'a';
      const [front, rest] = hex ? [sign + body.slice(0, 2), body.slice(2)] : [sign, body];
      const text = pad(front, rest, Number.isFinite(value));
      return letter === letter.toLowerCase() ? text : text.toUpperCase();
    }
  }
}

function integerBody(magnitude: bigint, letter: string, precision: number | undefined, isAlternate: boolean): string {
  const base = letter === 'o' ? 8 : letter.toLowerCase() === 'x' ? 16 : 10;
  const digits = precision === 0 && magnitude === 0n ? '' : magnitude.toString(base);
  const whole = (letter === 'X' ? digits.toUpperCase() : digits).padStart(precision ?? 1, '0');
  return letter === 'o' && isAlternate && !whole.startsWith('0') ? `0${whole}` : whole;
}

function floatBody(magnitude: number, letter: string, precision: number | undefined, isAlternate: boolean): string {
  if (Number.isNaN(magnitude)) return 'nan';
  if (magnitude === Number.POSITIVE_INFINITY) return 'inf';
  if (letter === 'a') return hexadecimal(magnitude, precision, isAlternate);
  const digits = precision ?? 6;
  if (letter === 'f') return fixed(magnitude, digits, isAlternate);
  return letter === 'e' ? exponential(magnitude, digits, isAlternate) : general(magnitude, digits, isAlternate);
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}
