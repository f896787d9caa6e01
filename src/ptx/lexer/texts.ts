// Substrings of a text.

/**
 * Returns the character codes of a text. Codes of 255 and above become 255, because they occur in
 * PTX only in comments and strings. The lexer reads each code several times, and an array is far
 * faster than a string.
 */
export function codesOf(source: string): Uint8Array {
  const encoded = new TextEncoder().encode(source);
  // In UTF-8, only ASCII has one byte per character.
  if (encoded.length === source.length) return encoded;
  const codes = new Uint8Array(source.length);
  for (let at = 0; at < source.length; at++) codes[at] = Math.min(source.charCodeAt(at), 255);
  return codes;
}

/** The maximum length of a string that is reused. Longer texts rarely occur twice. */
const longest = 32;

/**
 * Returns substrings of a text. Most substrings occur several times, so recent strings are reused;
 * equal strings are then often the same object, which makes lookups in maps fast.
 */
export class Texts {
  private readonly source: string;
  private readonly codes: Uint8Array;
  private readonly recent: string[] = new Array(1024).fill('');
  /** The offset at which each recent string was found. */
  private readonly starts = new Int32Array(1024);

  constructor(source: string, codes: Uint8Array) {
    this.source = source;
    this.codes = codes;
  }

  of(start: number, end: number): string {
    const { source, codes, recent, starts } = this;
    const length = end - start;
    // The engine already shares strings of one character.
    if (length < 2 || length > longest) return source.slice(start, end);
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (codes[at] ?? 0)) | 0;
    const place = (hash ^ (hash >>> 10)) & 1023;
    const last = recent[place] ?? '';
    if (last.length === length && this.areEqual(starts[place] ?? 0, start, length)) return last;
    const text = source.slice(start, end);
    recent[place] = text;
    starts[place] = start;
    return text;
  }

  private areEqual(a: number, b: number, length: number): boolean {
    const { codes } = this;
    for (let at = 0; at < length; at++) {
      const code = codes[a + at];
      if (code !== codes[b + at] || code === 255) return false;
    }
    return true;
  }
}
