// Parts of a text as strings.

/**
 * The codes of a text's characters, those from 255 on as 255: nothing in PTX is so high but in comments and strings. They are asked for several times
 * each, and far faster in a list than in a string.
 */
export function codesOf(source: string): Uint8Array {
  const encoded = new TextEncoder().encode(source);
  // In UTF-8, ASCII alone has a byte a character.
  if (encoded.length === source.length) return encoded;
  const codes = new Uint8Array(source.length);
  for (let at = 0; at < source.length; at++) codes[at] = Math.min(source.charCodeAt(at), 255);
  return codes;
}

/** Texts longer than this do not come again. */
const longest = 32;

/** Parts of a text as strings, of which few differ: a string that was made lately serves again, and whoever looks it up finds it by identity. */
export class Texts {
  private readonly source: string;
  private readonly codes: Uint8Array;
  private readonly recent: string[] = new Array(1024).fill('');
  /** Where each of them was found. */
  private readonly starts = new Int32Array(1024);

  constructor(source: string, codes: Uint8Array) {
    this.source = source;
    this.codes = codes;
  }

  of(start: number, end: number): string {
    const { source, codes, recent, starts } = this;
    const length = end - start;
    // Those of one character exist already.
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
