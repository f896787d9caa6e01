// Delays the stores of copies into the next iteration of a loop. If the copies are at the end of
// the loop's body, no work of the same iteration can separate a load from its store. So parameters
// of the loop keep the loaded words, and the next iteration stores them. If the loop ends, the edge
// out of it stores them.

import { getOrInsert } from '../../../base/maps.ts';
import type { Builder } from '../../ir/builder.ts';
import {
  type Block,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  operandsOf,
  type Param,
  successorsOf,
  undef,
  type Value,
} from '../../ir/nodes.ts';
import { type Copied, copyInsts, lookUp } from '../copy-insts.ts';
import { barriersIn, type Copy, isWork, lastPlace } from './copy-stores.ts';

interface Carried {
  readonly store: Copy;
  /** The barrier of the next iteration before which the store executes. */
  readonly before: Inst;
}

/**
 * Carries those of the stores in a block that may execute in the next iteration, if the block
 * repeats itself. The carried stores have at most `maxWords` words. Returns the number of carried
 * stores.
 */
export function carryStores(
  func: Func,
  block: Block,
  stores: readonly Copy[],
  maxWords: number,
  builder: Builder,
): number {
  if (block === func.blocks[0] || !successorsOf(block).includes(block)) return 0;
  const carried = storesToCarry(block, stores, maxWords);
  if (carried.length === 0) return 0;
  const loop = new CarriedLoop(block, builder);
  for (const { store, before } of carried) loop.carry(store, before);
  for (const source of [...func.blocks]) if (successorsOf(source).includes(block)) loop.extendEdges(func, source);
  return carried.length;
}

function storesToCarry({ insts }: Block, stores: readonly Copy[], maxWords: number): readonly Carried[] {
  let words = 0;
  return stores.flatMap((store) => {
    const { count, delay = 0, around = 0 } = store.attrs;
    const passed = barriersIn(insts.slice(insts.indexOf(store)));
    const place = lastPlace(insts, 0, around - passed);
    const before = place === undefined ? undefined : insts[place];
    if (before === undefined || passed > delay || words + count > maxWords || !isWork(insts.slice(0, place))) return [];
    words += count;
    return [{ store, before }];
  });
}

class CarriedLoop {
  private readonly block: Block;
  private readonly builder: Builder;
  private readonly own: ReadonlySet<Inst>;
  /** Maps a value of this iteration to the parameter with its value of the previous iteration. */
  private readonly params = new Map<Definition, Param>();
  private readonly stores: Copy[] = [];
  private readonly isLate = new Map<Inst, boolean>();
  /** Whether there is a previous iteration. */
  private readonly pending: Param;

  constructor(block: Block, builder: Builder) {
    this.block = block;
    this.builder = builder;
    this.own = new Set(block.insts);
    this.pending = builder.param(block, 'i1', 'pending');
  }

  /** Replaces a store by one of the previous iteration's words, before a barrier. */
  carry(store: Copy, before: Inst): void {
    const { block, builder, pending } = this;
    block.insts.splice(block.insts.indexOf(store), 1);
    this.stores.push(store);
    const late: Inst[] = [];
    const previous = (leaf: Definition) =>
      getOrInsert(this.params, leaf, () => builder.param(block, leaf.type, leaf.hint));
    this.copyStore(store, new Map(), late, previous, pending);
    block.insts.splice(block.insts.indexOf(before), 0, ...late);
  }

  /**
   * Adds arguments to the edges of a block to the loop, and stores to the edges out of the loop.
   */
  extendEdges(func: Func, from: Block): void {
    const { block, builder, params } = this;
    from.end = mapTerminator(
      from.end,
      (value) => value,
      (edge) => {
        const isRepeated = from === block;
        if (edge.to === block) {
          const words = [...params].map(([value, { type }]) => (isRepeated ? value : undef(type)));
          return { to: block, args: [...edge.args, builder.bool(isRepeated), ...words] };
        }
        if (!isRepeated) return edge;
        const exit = builder.block();
        exit.insts = this.storesAtExit();
        exit.end = { kind: 'jump', to: edge, span: from.end.span };
        func.blocks.push(exit);
        return { to: exit, args: [] };
      },
    );
  }

  private storesAtExit(): Inst[] {
    const insts: Inst[] = [];
    const copied: Copied = new Map();
    for (const store of this.stores) this.copyStore(store, copied, insts, (leaf) => leaf);
    return insts;
  }

  /** Appends a copy of a store. `pending` is a further condition under which it executes. */
  private copyStore(
    store: Copy,
    copied: Copied,
    list: Inst[],
    leafOf: (leaf: Definition) => Value,
    pending?: Value,
  ): void {
    const { builder } = this;
    for (const value of operandsOf(store)) this.compute(value, copied, list, leafOf);
    builder.within(list, () => {
      builder.span = store.span;
      const inCopy = lookUp(copied);
      const own = store.when && inCopy(store.when);
      const when = pending && own ? builder.and(pending, own) : (pending ?? own);
      builder.emit('store', completed(store), store.args.map(inCopy), { when });
      builder.span = undefined;
    });
  }

  /**
   * Computes a value at the end of a list, from the results of `leafOf` for values of this
   * iteration. Operations on loaded words are computed there, because in the loop they would wait
   * for the load.
   */
  private compute(value: Value, copied: Copied, list: Inst[], leafOf: (leaf: Definition) => Value): void {
    if (!isDefinition(value) || copied.has(value) || !this.isOwn(value)) return;
    if (value.kind === 'param' || !this.waits(value.inst)) {
      copied.set(value, leafOf(value));
      return;
    }
    for (const arg of value.inst.args) this.compute(arg, copied, list, leafOf);
    this.builder.within(list, () => copyInsts(this.builder, [value.inst], copied));
    this.builder.span = undefined;
  }

  private isOwn(value: Definition): boolean {
    return value.kind === 'param' ? value.block === this.block : this.own.has(value.inst);
  }

  /** Whether an operation without effects depends on a load of this iteration. */
  private waits(inst: Inst): boolean {
    if (inst.operation.effect !== 'pure' || inst.when !== undefined) return false;
    return getOrInsert(this.isLate, inst, () =>
      inst.args.some((arg) => arg.kind === 'result' && this.own.has(arg.inst) && this.readsOrWaits(arg.inst)),
    );
  }

  private readsOrWaits(inst: Inst): boolean {
    return inst.op === 'load' || this.waits(inst);
  }
}

/** The attributes of a store that moves no further. */
const completed = ({ attrs }: Copy): Copy['attrs'] => ({ ...attrs, delay: undefined, around: undefined });
