// Parses a printf format into pieces, and computes the positions of its arguments. Characters are
// bytes, as in device memory.

/**
 * The kind of an argument in device memory. An int, or a type that promotes to int, occupies one
 * word. Every other argument occupies two words and begins at an even word.
 */
export type ArgumentKind = 'integer' | 'character' | 'float' | 'string' | 'pointer';

export interface Conversion {
  readonly kind: ArgumentKind;
  /** The letter of the conversion, such as `d`, `x` or `G`. */
  readonly letter: string;
  /** The flags, which are some of the characters `-+ #0`. */
  readonly flags: string;
  /** The width. For `*`, an int argument before this one contains the width. */
  readonly width: number | '*' | undefined;
  readonly precision: number | '*' | undefined;
  /** The number of significant bits of an integer. */
  readonly bits: 8 | 16 | 32 | 64;
}

export type Piece = string | Conversion;

const kinds: Readonly<Record<string, ArgumentKind>> = {
  d: 'integer', i: 'integer', o: 'integer', u: 'integer', x: 'integer', X: 'integer',
  c: 'character',
  f: 'float', F: 'float', e: 'float', E: 'float', g: 'float', G: 'float', a: 'float', A: 'float',
  s: 'string',
  p: 'pointer',
}; // biome-ignore format: one line per kind

const bitsOf: Readonly<Record<string, Conversion['bits']>> = { hh: 8, h: 16, l: 64, ll: 64, j: 64, z: 64, t: 64 };

/** Matches the text after a `%`, at `lastIndex`. */
const specification = /([-+ #0]*)(\*|\d{1,9})?(?:\.(\*|\d{0,9}))?(hh|h|ll|l|j|z|t|L)?(.)/suy;

const amount = (text: string): number | '*' => (text === '*' ? '*' : Number(text));

/**
 * Returns the pieces of a format. An invalid conversion becomes literal text and has no argument.
 */
export function parseFormat(format: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = '';
  for (let at = 0; at < format.length; ) {
    const percent = format.indexOf('%', at);
    if (percent === -1) {
      text += format.slice(at);
      break;
    }
    text += format.slice(at, percent);
    specification.lastIndex = percent + 1;
    const match = specification.exec(format);
    const [whole = '', flags = '', width, precision, size = '', letter = ''] = match ?? [];
    at = percent + 1 + whole.length;
    const kind = Object.hasOwn(kinds, letter) ? kinds[letter] : undefined;
    if (whole === '%') text += '%';
    else if (kind === undefined) text += `%${whole}`;
    else {
      if (text !== '') pieces.push(text);
      text = '';
      pieces.push({
        kind,
        letter,
        flags,
        width: width === undefined ? undefined : amount(width),
        precision: precision === undefined ? undefined : amount(precision),
        bits: bitsOf[size] ?? 32,
      });
    }
  }
  if (text !== '') pieces.push(text);
  return pieces;
}

/** Returns the number of words of each argument in order: 1 for an int, and 2 for all others. */
export const argumentWords = (pieces: readonly Piece[]): readonly (1 | 2)[] =>
  pieces.flatMap((piece): readonly (1 | 2)[] => {
    if (typeof piece === 'string') return [];
    const stars = [piece.width, piece.precision].flatMap((value): 1[] => (value === '*' ? [1] : []));
    const isWord = piece.kind === 'character' || (piece.kind === 'integer' && piece.bits < 64);
    return [...stars, isWord ? 1 : 2];
  });

/** Returns the size of the argument structure in words. */
export function wordsOfArguments(pieces: readonly Piece[]): number {
  let end = 0;
  for (const words of argumentWords(pieces)) end = placeOf(end, words) + words;
  return end;
}

/** Returns the word at which an argument begins if the previous argument ends before word `end`. */
export const placeOf = (end: number, words: 1 | 2): number => (words === 2 ? end + (end & 1) : end);
