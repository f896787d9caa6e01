// Parts of a text as strings.

/// Parts of a text as strings, of which few differ: a string that was made lately serves again, and whoever looks it up finds it by identity.
export class Texts {
  private readonly source: string;
  private readonly recent: string[] = new Array(1024).fill('');

  constructor(source: string) {
    this.source = source;
  }

  of(start: number, end: number): string {
    const { source, recent } = this;
    const length = end - start;
    // Those of one character exist already.
    if (length < 2 || length > 32) return source.slice(start, end);
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + source.charCodeAt(at)) | 0;
    const place = (hash ^ (hash >>> 10)) & 1023;
    const last = recent[place] ?? '';
    if (last.length === length && source.startsWith(last, start)) return last;
    const text = source.slice(start, end);
    recent[place] = text;
    return text;
  }
}
