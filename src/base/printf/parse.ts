// A printf format as pieces, and where each argument lies. Characters are bytes, as in the device's memory.

/** An argument as the device lays it out: ints and what is promoted to int are words, all others two words on an even word. */
export type ArgumentKind = 'integer' | 'character' | 'float' | 'string' | 'pointer';

export interface Conversion {
  readonly kind: ArgumentKind;
  /** `d`, `x`, `G`, … */
  readonly letter: string;
  /** Characters of `-+ #0`. */
  readonly flags: string;
  /** `*`: an int of its own, before the argument. */
  readonly width: number | '*' | undefined;
  readonly precision: number | '*' | undefined;
  /** Bits of an integer that count. */
  readonly bits: 8 | 16 | 32 | 64;
}

export type Piece = string | Conversion;

const kinds: Readonly<Record<string, ArgumentKind>> = {
  d: 'integer', i: 'integer', o: 'integer', u: 'integer', x: 'integer', X: 'integer',
  c: 'character',
  f: 'float', F: 'float', e: 'float', E: 'float', g: 'float', G: 'float', a: 'float', A: 'float',
  s: 'string',
  p: 'pointer',
}; // biome-ignore format: one line a kind

const bitsOf: Readonly<Record<string, Conversion['bits']>> = { hh: 8, h: 16, l: 64, ll: 64, j: 64, z: 64, t: 64 };

/** What follows a `%`, at `lastIndex`. */
const specification = /([-+ #0]*)(\*|\d{1,9})?(?:\.(\*|\d{0,9}))?(hh|h|ll|l|j|z|t|L)?(.)/suy;

const amount = (text: string): number | '*' => (text === '*' ? '*' : Number(text));

/** The pieces of a format. What is no conversion of C stands as it is, and takes no argument. */
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

/** Words of each argument in order: 1 for an int, 2 for all else. */
export const argumentWords = (pieces: readonly Piece[]): readonly (1 | 2)[] =>
  pieces.flatMap((piece): readonly (1 | 2)[] => {
    if (typeof piece === 'string') return [];
    const stars = [piece.width, piece.precision].flatMap((value): 1[] => (value === '*' ? [1] : []));
    const isWord = piece.kind === 'character' || (piece.kind === 'integer' && piece.bits < 64);
    return [...stars, isWord ? 1 : 2];
  });

/** Words of the arguments' structure. */
export function wordsOfArguments(pieces: readonly Piece[]): number {
  let end = 0;
  for (const words of argumentWords(pieces)) end = placeOf(end, words) + words;
  return end;
}

/** Where an argument lies behind what ends at `end`. */
export const placeOf = (end: number, words: 1 | 2): number => (words === 2 ? end + (end & 1) : end);
