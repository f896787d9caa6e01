// Maps and sets with numbered keys: values, instructions, blocks. Passes look up several keys per
// operand, and hash tables of objects would dominate the time of a translation. Numbers are dense,
// so entries are stored in pages by number. In a large program, the numbers of a small function may
// be far apart; a hash table holds these distant pages.
import { missing } from '../../base/invariants.ts';

interface Numbered {
  readonly id: number;
}

const pageBits = 6;
const pageSize = 2 ** pageBits;
const inPage = pageSize - 1;

type Page<V> = (V | undefined)[];

export class IdMap<K extends Numbered, V> {
  /** The number of keys with a value. */
  size = 0;
  private pages: (Page<V> | undefined)[] = [];
  /** The number of the first page in `pages`. */
  private base = 0;
  private pageCount = 0;
  private far: Map<number, Page<V>> | undefined;

  get({ id }: K): V | undefined {
    const at = (id >>> pageBits) - this.base;
    const { pages } = this;
    const page = at >= 0 && at < pages.length ? pages[at] : this.farPage(id >>> pageBits);
    return page === undefined ? undefined : page[id & inPage];
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set({ id }: K, value: V): void {
    const number = id >>> pageBits;
    const page = this.pageOf(number) ?? this.addPage(number);
    const place = id & inPage;
    if (page[place] === undefined) this.size += 1;
    page[place] = value;
  }

  delete({ id }: K): void {
    const page = this.pageOf(id >>> pageBits);
    if (page === undefined || page[id & inPage] === undefined) return;
    page[id & inPage] = undefined;
    this.size -= 1;
  }

  private pageOf(number: number): Page<V> | undefined {
    const at = number - this.base;
    return at >= 0 && at < this.pages.length ? this.pages[at] : this.farPage(number);
  }

  private farPage(number: number): Page<V> | undefined {
    return this.far === undefined ? undefined : this.far.get(number);
  }

  private addPage(number: number): Page<V> {
    const page: Page<V> = new Array(pageSize).fill(undefined);
    if (this.pageCount === 0) this.base = number;
    this.pageCount += 1;
    const at = number - this.base;
    // The list may have at most this many empty places, so that it needs no more memory than the
    // pages.
    const most = 16 + 16 * this.pageCount;
    if (at < 0 && this.pages.length - at <= most) {
      // Double the list, so that a list that grows at the front is rarely copied.
      const room = Math.min(this.base, Math.max(-at, this.pages.length));
      this.pages = [...new Array<undefined>(room).fill(undefined), ...this.pages];
      this.base -= room;
      // Absent: no page is in the table.
      for (const [distant, moved] of this.far ?? [])
        if (this.isListed(distant)) this.pages[distant - this.base] = moved;
      this.pages[number - this.base] = page;
    } else if (at >= 0 && at < Math.max(most, this.pages.length)) {
      while (this.pages.length <= at) this.pages.push(this.far?.get(this.base + this.pages.length));
      this.pages[at] = page;
    } else {
      this.far ??= new Map();
      this.far.set(number, page);
    }
    return page;
  }

  private isListed(number: number): boolean {
    return number >= this.base && number < this.base + this.pages.length;
  }
}

const wordBits = 5;

/** A set of numbered keys, with one bit for each number. */
export class IdSet<K extends Numbered> {
  size = 0;
  private words = new Int32Array(0);
  /** The number of the first word in `words`. */
  private base = 0;
  private far: Map<number, number> | undefined;

  has({ id }: K): boolean {
    const at = (id >>> wordBits) - this.base;
    const { words } = this;
    const word = at >= 0 && at < words.length ? words[at] : this.word(id >>> wordBits);
    return word !== undefined && (word & (1 << id)) !== 0;
  }

  add({ id }: K): void {
    const number = id >>> wordBits;
    const at = number - this.base;
    const { words } = this;
    if (at >= 0 && at < words.length) {
      const before = words[at] ?? missing('a word of a set', at);
      const after = before | (1 << id);
      if (after === before) return;
      words[at] = after;
      this.size += 1;
      return;
    }
    const before = this.word(number);
    const after = before | (1 << id);
    if (after === before) return;
    this.size += 1;
    this.put(number, after);
  }

  delete({ id }: K): void {
    const number = id >>> wordBits;
    const before = this.word(number);
    const after = before & ~(1 << id);
    if (after === before) return;
    this.size -= 1;
    this.put(number, after);
  }

  private word(number: number): number {
    const at = number - this.base;
    if (at >= 0 && at < this.words.length) return this.words[at] ?? missing('a word of a set', at);
    // Absent: no number of this word is a member.
    return this.far === undefined ? 0 : (this.far.get(number) ?? 0);
  }

  private put(number: number, word: number): void {
    if (this.words.length === 0) {
      this.words = new Int32Array(16);
      this.base = Math.max(number - 8, 0);
    }
    const { length } = this.words;
    const at = number - this.base;
    // If the list would become too long for the number of its members, the word is stored in the
    // table.
    const most = 64 + 4 * this.size;
    if (at >= 0 && at < length) {
      this.words[at] = word;
    } else if (at < 0 ? length - at <= most : at < most) {
      this.reach(at);
      this.words[number - this.base] = word;
    } else {
      this.far ??= new Map();
      this.far.set(number, word);
    }
  }

  /**
   * Extends the list so that it contains a place before its first or after its last place. Doubles
   * its length, if there are enough numbers before the first place.
   */
  private reach(at: number): void {
    const { words, base, far } = this;
    const before = at < 0 ? Math.min(base, Math.max(-at, words.length)) : 0;
    const longer = new Int32Array(before + Math.max(words.length, at < 0 ? 0 : Math.max(at + 1, 2 * words.length)));
    longer.set(words, before);
    this.words = longer;
    this.base = base - before;
    if (far === undefined) return;
    for (const [number, word] of far) {
      const place = number - this.base;
      if (place < 0 || place >= longer.length) continue;
      longer[place] = word;
      far.delete(number);
    }
  }
}

/** A map for code that only reads. */
export type ReadonlyIdMap<K extends Numbered, V> = Pick<IdMap<K, V>, 'get' | 'has' | 'size'>;
export type ReadonlyIdSet<K extends Numbered> = Pick<IdSet<K>, 'has' | 'size'>;
