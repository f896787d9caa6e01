// Computes the places of an access's words, and emits the legal loads, stores and atomics of words.
import { at as element, get } from '../../../base/invariants.ts';
import type { Variable } from '../../../ptx/ast.ts';
import type { Builder } from '../../ir/builder.ts';
import type { AtomicOp, Place } from '../../ir/memory.ts';
import { constant, type InstNamed, type Value } from '../../ir/nodes.ts';
import { widthOf } from '../../ir/types.ts';
import type { Granule, MemoryPlan } from '../../memory-plan.ts';

export type AccessInst = InstNamed<'load' | 'store' | 'atomic'>;

/** An accessed word. `place` and `index` refer to this word instead of the start of the access. */
export interface WordPlace {
  readonly place: Place;
  readonly index: Value | undefined;
}

/** An access to less than a word. */
export interface Part {
  /** A mask of the accessed bits, at the low end of the word. */
  readonly mask: number;
}

interface LoadOptions {
  readonly hints: readonly (string | undefined)[];
  readonly otherwise: readonly Value[];
}

interface AccessedMemory {
  readonly granule: Granule;
  /** Whether no other lane can access the word. */
  readonly isPrivate: boolean;
  /** Whether an access of several words is one atomic step. */
  readonly cells: boolean;
}

export function partOf({ attrs: { type, count } }: InstNamed<'load' | 'store'>): Part | undefined {
  const bits = widthOf(type) * count;
  return bits < 32 ? { mask: 2 ** bits - 1 } : undefined;
}

export class WordPlaces {
  private readonly builder: Builder;
  private readonly plan: MemoryPlan;
  private readonly params: readonly Variable[];
  /** The start of the latest access. */
  private last: { readonly inst: AccessInst; readonly granule: Granule; readonly start: WordPlace } | undefined;

  constructor(builder: Builder, plan: MemoryPlan, params: readonly Variable[]) {
    this.builder = builder;
    this.plan = plan;
    this.params = params;
  }

  memoryOf({ attrs: { place } }: AccessInst): AccessedMemory {
    const { buffers, arrays, heap } = this.plan;
    switch (place.root.kind) {
      case 'buffer': {
        const { granule, cells } = get(buffers, place.root.param, 'the buffer of a parameter');
        return { granule, isPrivate: false, cells };
      }
      case 'array': {
        const { granule, space, cells } = element(arrays, place.root.array, 'an array');
        return { granule, isPrivate: space === 'local', cells };
      }
      case 'generic':
        return { granule: 1, isPrivate: false, cells: heap.cells || arrays.some(({ cells }) => cells) };
      default:
        return { granule: 1, isPrivate: false, cells: place.root.kind === 'heap' && heap.cells };
    }
  }

  load(inst: InstNamed<'load'>, word: number, count: Granule, options: LoadOptions): readonly Value[] {
    return this.loadAt(inst, this.word(inst, word, count), count, options);
  }

  loadAt(
    inst: AccessInst,
    { place, index }: WordPlace,
    count: Granule,
    { hints, otherwise }: LoadOptions,
  ): readonly Value[] {
    if (
      place.root.kind === 'param' &&
      place.offset >= Math.max(element(this.params, place.root.param, 'a parameter').bytes, 4)
    ) {
      return otherwise.map(() => constant('i32', 0));
    }
    const { order, scope } = inst.attrs;
    const polls = inst.op === 'load' && inst.attrs.polls ? { polls: true } : {};
    const attrs = { place, type: 'i32', order, scope, count, ...polls } as const;
    const { when } = inst;
    return this.builder.emit('load', attrs, index ? [index] : [], when ? { hints, when, otherwise } : { hints });
  }

  store(inst: InstNamed<'store'>, word: number, values: readonly Value[]): void {
    this.storeAt(inst, this.word(inst, word, granuleOf(values.length)), values);
  }

  storeAt(inst: AccessInst, { place, index }: WordPlace, values: readonly Value[]): void {
    const { order, scope } = inst.attrs;
    const attrs = { place, type: 'i32', order, scope, count: values.length } as const;
    this.builder.emit('store', attrs, index ? [index, ...values] : values, inst.when ? { when: inst.when } : {});
  }

  /** Emits an atomic without a result. */
  updateAt(inst: AccessInst, { place, index }: WordPlace, op: AtomicOp, value: Value): void {
    const { order, scope } = inst.attrs;
    const attrs = { place, type: 'i32', order, scope, op, signed: false, noftz: false, result: false } as const;
    this.builder.emit('atomic', attrs, index ? [index, value] : [value], inst.when ? { when: inst.when } : {});
  }

  /**
   * Returns the word that is `word` words after the beginning of the access. If `granule` words are
   * accessed together, it is the first of them.
   */
  word(inst: AccessInst, word: number, granule: Granule): WordPlace {
    if (this.last?.inst !== inst || this.last.granule !== granule) {
      this.last = { inst, granule, start: this.start(inst, granule) };
    }
    const { place, index } = this.last.start;
    if (place.root.kind === 'generic' && index) {
      return { place, index: word === 0 ? index : this.builder.iadd(index, this.builder.i32(word * 4)) };
    }
    return this.contained({ place: { ...place, offset: place.offset + word * 4 }, index }, granule);
  }

  private start(inst: AccessInst, granule: Granule): WordPlace {
    const { place } = inst.attrs;
    const [index] = place.indexed ? inst.args : [];
    const { builder } = this;
    if (index === undefined) return { place: { ...place, unit: 1, offset: Math.floor(place.offset / 4) * 4 }, index };
    if (place.root.kind === 'generic') {
      return { place: { ...place, unit: 1, offset: 0 }, index: builder.iadd(index, builder.i32(place.offset)) };
    }
    if (place.unit % 4 === 0) return { place, index };
    const address = this.units(index, place, 1);
    const unit = granule * 4;
    return { place: { ...place, unit, offset: 0 }, index: builder.lshrw(address, builder.i32(Math.log2(unit))) };
  }

  /** Returns the index in units of `to` bytes, including the offset. */
  private units(index: Value, { unit, offset }: Place, to: number): Value {
    const { builder } = this;
    const scaled = unit === to ? index : builder.imul(index, builder.i32(unit / to));
    return builder.iadd(scaled, builder.i32(Math.floor(offset / to)));
  }

  /**
   * Returns the word that contains the accessed part, and the position of the part's lowest bit.
   */
  part(inst: AccessInst, { mask }: Part): { readonly word: WordPlace; readonly shift: Value } {
    const { builder } = this;
    const { place } = inst.attrs;
    const [index] = place.indexed ? inst.args : [];
    if (index === undefined) {
      const offset = Math.floor(place.offset / 4) * 4;
      const word = this.contained({ place: { ...place, unit: 1, offset }, index }, 1);
      return { word, shift: builder.i32((place.offset - offset) * 8) };
    }
    // The address of a two-byte element is even.
    const unit = place.unit % 2 === 0 && place.offset % 2 === 0 && mask > 0xff ? 2 : 1;
    const at = this.units(index, place, unit);
    const bits = unit === 2 ? 1 : 2;
    const shift = builder.shlw(builder.and(at, builder.i32(unit === 2 ? 1 : 3)), builder.i32(unit === 2 ? 4 : 3));
    const isGeneric = place.root.kind === 'generic';
    const word = isGeneric
      ? { place: { ...place, unit: 1, offset: 0 }, index: at }
      : { place: { ...place, unit: 4, offset: 0 }, index: builder.lshrw(at, builder.i32(bits)) };
    return { word, shift };
  }

  /**
   * If a constant index is past the end of an array, moves it to the last word or vector. PTX
   * leaves such an access undefined, and WGSL rejects it.
   */
  private contained({ place, index }: WordPlace, granule: Granule): WordPlace {
    if (index !== undefined || place.root.kind !== 'array') return { place, index };
    const { words } = element(this.plan.arrays, place.root.array, 'an array');
    const limit = Math.max(Math.floor((words - granule) / granule) * granule, 0);
    const offset = Math.min(Math.max(place.offset, 0), (granule === 1 ? words - 1 : limit) * 4);
    return { place: { ...place, offset }, index };
  }
}

const granuleOf = (words: number): Granule => (words === 4 ? 4 : words === 2 ? 2 : 1);
