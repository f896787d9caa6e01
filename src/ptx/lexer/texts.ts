// Substrings of a text.

/**
 * Returns the character codes of a text, with 255 for codes from 255 on, which PTX has only in
 * comments and strings. The lexer reads each code several times; an array is far faster than a
 * string.
 */
export function codesOf(source: string): Uint8Array {
  const encoded = new TextEncoder().encode(source);
  // In UTF-8, only ASCII has one byte per character.
  if (encoded.length === source.length) return encoded;
  const codes = new Uint8Array(source.length);
  for (let at = 0; at < source.length; at++) codes[at] = Math.min(source.charCodeAt(at), 255);
  return codes;
}

/** The length of the longest text that is reused. Longer texts rarely repeat. */
const longest = 32;

/**
 * Returns substrings of a text. Most repeat, so recent strings are reused, and maps find them by
 * identity.
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
    // The engine shares strings of one character.
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
