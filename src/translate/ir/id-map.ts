// Maps and sets of what has a number: values, instructions, blocks. Passes ask them several times an operand, where a hash table of objects is most of a
// translation's time. Numbers lie close together, so the entries lie in pages by number; the pages of a small function in a large program may lie far
// apart, and these are in a table.

interface Numbered {
  readonly id: number;
}

const pageBits = 6;
const pageSize = 2 ** pageBits;
const inPage = pageSize - 1;

type Page<V> = (V | undefined)[];

export class IdMap<K extends Numbered, V> {
  /// How many keys have a value.
  size = 0;
  private pages: (Page<V> | undefined)[] = [];
  /// The number of the first page in `pages`.
  private base = 0;
  private pageCount = 0;
  private far: Map<number, Page<V>> | undefined;

  get({ id }: K): V | undefined {
    const page = this.pageOf(id >>> pageBits);
    return page === undefined ? undefined : page[id & inPage];
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set({ id }: K, value: V): void {
    const number = id >>> pageBits;
    const page = this.pageOf(number) ?? this.addPage(number);
    if (page[id & inPage] === undefined) this.size += 1;
    page[id & inPage] = value;
  }

  delete({ id }: K): void {
    const page = this.pageOf(id >>> pageBits);
    if (page === undefined || page[id & inPage] === undefined) return;
    page[id & inPage] = undefined;
    this.size -= 1;
  }

  private pageOf(number: number): Page<V> | undefined {
    const at = number - this.base;
    if (at >= 0 && at < this.pages.length) return this.pages[at];
    return this.far === undefined ? undefined : this.far.get(number);
  }

  private addPage(number: number): Page<V> {
    const page: Page<V> = new Array(pageSize).fill(undefined);
    if (this.pageCount === 0) this.base = number;
    this.pageCount += 1;
    const at = number - this.base;
    // As many empty places in the list as would not be more than the pages themselves take.
    const most = 16 + 16 * this.pageCount;
    if (at < 0 && this.pages.length - at <= most) {
      // Room for as many again, so that a list that grows to the front is copied seldom.
      const room = Math.min(this.base, Math.max(-at, this.pages.length));
      this.pages = [...new Array<undefined>(room).fill(undefined), ...this.pages];
      this.base -= room;
      for (const [distant, moved] of this.far ?? [])
        if (this.isListed(distant)) this.pages[distant - this.base] = moved;
      this.pages[number - this.base] = page;
    } else if (at >= 0 && at < most) {
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

export class IdSet<K extends Numbered> {
  private readonly marks = new IdMap<K, true>();

  get size(): number {
    return this.marks.size;
  }

  has(key: K): boolean {
    return this.marks.get(key) === true;
  }

  add(key: K): void {
    this.marks.set(key, true);
  }

  delete(key: K): void {
    this.marks.delete(key);
  }
}

/// What only asks.
export type ReadonlyIdMap<K extends Numbered, V> = Pick<IdMap<K, V>, 'get' | 'has' | 'size'>;
export type ReadonlyIdSet<K extends Numbered> = Pick<IdSet<K>, 'has' | 'size'>;
