// A frame: the registers of one function at one call depth, for the 32 lanes of a warp. Each lane
// only accesses its own elements.
import type { Destination, FunctionLayout, Place, Source } from '../memory/layout.ts';

/** Returns the index of the lowest set bit. */
export function lowestLane(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}

/** Returns the number of set bits. */
export function popcount(mask: number): number {
  let count = 0;
  for (let m = mask; m !== 0; m &= m - 1) count++;
  return count;
}

/** Extends a value of a destination's type to the width of its register, as `writeWord` does. */
function extended({ place, width, signed }: Destination, value: bigint): bigint {
  const own = BigInt.asUintN(width, value);
  return BigInt.asUintN(place.width, signed ? BigInt.asIntN(width, own) : own);
}

export class Frame {
  readonly layout: FunctionLayout;
  readonly file: Uint32Array;
  readonly wide: BigUint64Array;
  readonly doubles: Float64Array;
  /** The value of each predicate, as a lane mask. */
  readonly preds: Uint32Array;
  /**
   * Masks of the lanes in which PTX leaves the value, or some of its bits, undefined; by taint
   * index.
   */
  readonly undefinedIn: Uint32Array;
  /**
   * Masks of the lanes whose undefined bits are in `#undefinedBits`. In other undefined lanes, all
   * bits are undefined.
   */
  readonly #trackedIn: Uint32Array;
  /** The low and the high word of each lane's undefined bits, by taint index. */
  readonly #undefinedBits: Uint32Array[] = [];
  /** Whether the undefined bits of any lane have been tracked. */
  #tracks = false;
  /**
   * Masks of the lanes whose undefined bits derive from unwritten bits: the register is unwritten,
   * or bitwise instructions computed it from unwritten bits.
   */
  readonly unwrittenIn: Uint32Array;
  /** The start of each lane's stack frame in its local memory. */
  readonly stackBase: Uint32Array = new Uint32Array(32);
  /** The instruction at which each lane continues after `ret`. */
  readonly returnPc: Int32Array = new Int32Array(32);

  /**
   * Creates a frame. `fill` returns the words with which unwritten registers are filled; without it,
   * these are 0.
   */
  constructor(layout: FunctionLayout, fill: (() => number) | undefined) {
    this.layout = layout;
    this.file = layout.words.slice();
    this.wide = new BigUint64Array(this.file.buffer, 0, this.file.length >>> 1);
    this.doubles = new Float64Array(this.file.buffer, 0, this.file.length >>> 1);
    this.preds = layout.preds.slice();
    this.undefinedIn = new Uint32Array(layout.taints);
    this.#trackedIn = new Uint32Array(layout.taints);
    this.unwrittenIn = new Uint32Array(layout.taints);
    if (fill === undefined) return;
    for (const place of layout.registers) {
      if (place.kind === 'pred') this.preds[place.base] = fill();
      else {
        const end = place.base + (place.kind === 'pair' ? 64 : 32);
        const mask = place.width < 32 ? 2 ** place.width - 1 : 0xffff_ffff;
        for (let i = place.base; i < end; i++) this.file[i] = fill() & mask;
      }
    }
  }

  /** Writes an integer. */
  writeInteger(place: Place, lane: number, value: number): void {
    if (place.kind === 'pred') this.writePredicate(place, lane, value !== 0);
    else if (place.kind === 'word') this.file[place.base + lane] = value;
    else {
      const at = place.base + 2 * lane;
      this.file[at] = value;
      this.file[at + 1] = Math.floor(value / 2 ** 32);
    }
  }

  writeBits(place: Place, lane: number, bits: bigint): void {
    if (place.kind === 'pair') this.wide[(place.base >>> 1) + lane] = bits;
    else if (place.kind === 'word') this.file[place.base + lane] = Number(BigInt.asUintN(32, bits));
    else this.writePredicate(place, lane, bits !== 0n);
  }

  readBits(place: Place, lane: number): bigint {
    if (place.kind === 'pair') return this.wide[(place.base >>> 1) + lane] ?? 0n;
    if (place.kind === 'word') return BigInt(this.file[place.base + lane] ?? 0);
    return BigInt(((this.preds[place.base] ?? 0) >>> lane) & 1);
  }

  writePredicate(place: Place, lane: number, value: boolean): void {
    const mask = this.preds[place.base] ?? 0;
    this.preds[place.base] = value ? mask | (1 << lane) : mask & ~(1 << lane);
  }

  /** Writes the values of a predicate in `lanes`. `mask` has a bit for each lane. */
  writePredicates(place: Place, lanes: number, mask: number): void {
    this.preds[place.base] = ((this.preds[place.base] ?? 0) & ~lanes) | (mask & lanes);
  }

  /**
   * Begins a call in `lanes`: marks all registers as unwritten, and computes the addresses of stack
   * variables from `stackBase`.
   */
  enter(lanes: number): void {
    for (let taint = 1; taint < this.undefinedIn.length; taint++) {
      this.undefinedIn[taint] = (this.undefinedIn[taint] ?? 0) | lanes;
      this.#trackedIn[taint] = (this.#trackedIn[taint] ?? 0) & ~lanes;
      this.unwrittenIn[taint] = (this.unwrittenIn[taint] ?? 0) | lanes;
    }
    for (const { place, offset } of this.layout.stackSymbols) {
      for (let m = lanes; m !== 0; m &= m - 1) {
        const lane = lowestLane(m);
        this.writeBits(place, lane, BigInt((this.stackBase[lane] ?? 0) + offset));
      }
    }
  }

  /** Returns the lanes in which a source of kind `pred` is true. */
  predicateOf(source: Source): number {
    const mask = this.preds[source.place.base] ?? 0;
    return source.negated ? ~mask : mask;
  }

  /**
   * Returns a source's value as a number: the low 32 bits, truncated to the operand's width.
   * Predicates are 0 or 1.
   */
  wordOf(source: Source, lane: number): number {
    const { place, width } = source;
    if (place.kind === 'pred') return (this.predicateOf(source) >>> lane) & 1;
    const value = this.file[place.kind === 'pair' ? place.base + 2 * lane : place.base + lane] ?? 0;
    return width < 32 ? value & ((1 << width) - 1) : value;
  }

  /** Returns the 64 bits of a source. Narrower registers are zero-extended. */
  wideOf(source: Source, lane: number): bigint {
    return this.readBits(source.place, lane);
  }

  /** Returns a value as an address. All addresses below 2^53 are exact. */
  addressOf(place: Place, lane: number): number {
    if (place.kind === 'word') return this.file[place.base + lane] ?? 0;
    const at = place.base + 2 * lane;
    return (this.file[at + 1] ?? 0) * 4294967296 + (this.file[at] ?? 0);
  }

  /**
   * Writes a value of the destination's type, which the caller has zero-extended to 32 bits, and
   * extends it to the register's width.
   */
  writeWord(destination: Destination, lane: number, value: number): void {
    const { place, width, signed } = destination;
    if (place.kind === 'pred') {
      this.writePredicate(place, lane, value !== 0);
      return;
    }
    let word = value;
    if (signed && width < 32 && place.width > width) {
      word = (value << (32 - width)) >> (32 - width);
      if (place.width < 32) word &= 2 ** place.width - 1;
    }
    if (place.kind === 'word') {
      this.file[place.base + lane] = word;
    } else {
      const at = place.base + 2 * lane;
      this.file[at] = word;
      this.file[at + 1] = signed && (word & 0x8000_0000) !== 0 ? 0xffff_ffff : 0;
    }
  }

  writeWide(destination: Destination, lane: number, value: bigint): void {
    this.wide[(destination.place.base >>> 1) + lane] = value;
  }

  /** Marks a destination as written in `lanes`, and as undefined in `undefinedLanes`. */
  mark(destination: Destination | undefined, lanes: number, undefinedLanes: number): void {
    if (destination === undefined) return;
    const { taint } = destination.place;
    this.undefinedIn[taint] = ((this.undefinedIn[taint] ?? 0) & ~lanes) | (undefinedLanes & lanes);
    this.unwrittenIn[taint] = (this.unwrittenIn[taint] ?? 0) & ~lanes;
    if (this.#tracks) this.#trackedIn[taint] = (this.#trackedIn[taint] ?? 0) & ~lanes;
  }

  /**
   * Marks all bits of registers as undefined in some lanes, even if the registers have not been
   * written.
   */
  markUndefined(destinations: readonly Destination[], lanes: number): void {
    for (const { place } of destinations) {
      this.undefinedIn[place.taint] = (this.undefinedIn[place.taint] ?? 0) | lanes;
      this.#trackedIn[place.taint] = (this.#trackedIn[place.taint] ?? 0) & ~lanes;
    }
  }

  /**
   * Marks bits of a destination as undefined in a lane. Must be called after `mark`. `bits` belong
   * to a value of the destination's type, and are extended to the register's width like the value.
   */
  markBits(destination: Destination | undefined, lane: number, bits: bigint, isUnwritten: boolean): void {
    if (destination === undefined) return;
    const { place } = destination;
    const own = extended(destination, bits);
    const { taint } = place;
    const isUndefined = own === 0n ? 0 : 1 << lane;
    this.undefinedIn[taint] = ((this.undefinedIn[taint] ?? 0) & ~(1 << lane)) | isUndefined;
    this.#trackedIn[taint] = ((this.#trackedIn[taint] ?? 0) & ~(1 << lane)) | isUndefined;
    const unwritten = isUnwritten ? isUndefined : 0;
    this.unwrittenIn[taint] = ((this.unwrittenIn[taint] ?? 0) & ~(1 << lane)) | unwritten;
    if (own === 0n) return;
    this.#tracks = true;
    this.#undefinedBits[taint] ??= new Uint32Array(64);
    const words = this.#undefinedBits[taint];
    words[2 * lane] = Number(own & 0xffff_ffffn);
    words[2 * lane + 1] = Number(own >> 32n);
  }

  /** Returns the undefined bits of a register in a lane. */
  undefinedBits({ taint, width }: Place, lane: number): bigint {
    if ((((this.undefinedIn[taint] ?? 0) >>> lane) & 1) === 0) return 0n;
    if (!this.isTracked({ taint }, lane)) return BigInt.asUintN(width, -1n);
    const words = this.#undefinedBits[taint];
    return (BigInt(words?.[2 * lane + 1] ?? 0) << 32n) | BigInt(words?.[2 * lane] ?? 0);
  }

  /**
   * Whether the undefined bits of a register in a lane are tracked separately, so that other bits
   * may be defined.
   */
  isTracked({ taint }: Pick<Place, 'taint'>, lane: number): boolean {
    return (((this.#trackedIn[taint] ?? 0) >>> lane) & 1) !== 0;
  }

  /** Returns the undefined bits that a source reads in a lane. */
  undefinedOf({ place, width }: Source, lane: number): bigint {
    return BigInt.asUintN(width, this.undefinedBits(place, lane));
  }

  /** Whether a source's undefined bits in a lane derive from unwritten bits. */
  isUnwritten({ place }: Source, lane: number): boolean {
    return (((this.unwrittenIn[place.taint] ?? 0) >>> lane) & 1) !== 0;
  }

  /** Returns the lanes in which any of the sources is undefined. */
  undefinedLanes(sources: readonly Source[]): number {
    let lanes = 0;
    for (const source of sources) lanes |= this.undefinedIn[source.place.taint] ?? 0;
    return lanes;
  }
}
