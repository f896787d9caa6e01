// Delays the stores of asynchronous copies. On NVIDIA's GPUs, a thread continues while its copies
// are in progress. A shader copies with a load and a store, and a thread waits at the store for the
// loaded words. If other work is between the two, such as matrix products, the thread does not
// wait. PTX does not specify when a copy completes, except that a wait for its group waits for the
// copy.

import { missing } from '../../base/invariants.ts';
import { allOf } from '../../base/maps.ts';
import type { Builder } from '../ir/builder.ts';
import {
  type Block,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  type Param,
  undef,
  type Value,
} from '../ir/nodes.ts';
import { carryStores } from './copies/carry-stores.ts';
import { barriersIn, type Copy, isCopy, isWork, lastPlace } from './copies/copy-stores.ts';

/** The maximum number of words per lane that the delayed stores of one block keep in registers. */
const maxWords = 32;

/**
 * Delays the stores of asynchronous copies. Returns a description of the changes; undefined if
 * there are none.
 */
export function overlapCopies(funcs: readonly Func[], builder: Builder): string | undefined {
  let moved = 0;
  for (const func of funcs) {
    if (!func.blocks.some(({ insts }) => insts.some(isCopy))) continue;
    const sources = sourcesOf(func);
    for (const block of [...func.blocks]) moved += delayStores(func, block, sources, builder);
  }
  if (moved === 0) return undefined;
  return `Asynchronous copies: ${moved === 1 ? '1 store follows' : `${moved} stores follow`} other work.`;
}

/** Returns, for each block, the source blocks of the edges to it, with one entry for each edge. */
function sourcesOf({ blocks }: Func): ReadonlyMap<Block, readonly Block[]> {
  const sources = new Map<Block, Block[]>(blocks.map((block) => [block, []]));
  for (const block of blocks) for (const { to } of edgesOf(block.end)) sources.get(to)?.push(block);
  return sources;
}

/** Reduces the delays of a store that moves after these instructions. */
function countPassed(store: Copy, insts: readonly Inst[]): void {
  const { delay, around } = store.attrs;
  const passed = barriersIn(insts);
  const rest = (barriers = 0): number | undefined => (barriers > passed ? barriers - passed : undefined);
  store.attrs = { ...store.attrs, delay: rest(delay), around: rest(around) };
}

/** Delays the stores of copies in a block. Returns the number of delayed stores. */
function delayStores(
  func: Func,
  block: Block,
  sources: ReadonlyMap<Block, readonly Block[]>,
  builder: Builder,
): number {
  if (!block.insts.some(isCopy)) return 0;
  const join = joinAfter(block, sources);
  let [moved, words] = [0, 0];
  const late: Copy[] = [];
  const others: Copy[] = [];
  for (const store of block.insts.filter(isCopy)) {
    const { delay = 0, count } = store.attrs;
    if (words + count > maxWords) continue;
    const start = block.insts.indexOf(store) + 1;
    const place = lastPlace(block.insts, start, delay);
    const target = join && place === undefined ? lastPlace(join.to.insts, 0, delay) : undefined;
    if (place !== undefined && isWork(block.insts.slice(start, place))) {
      countPassed(store, block.insts.slice(start, place));
      block.insts.splice(place, 0, store);
      block.insts.splice(start - 1, 1);
    } else if (join && target !== undefined && isWork(join.to.insts.slice(0, target))) {
      late.push(store);
    } else {
      others.push(store);
      continue;
    }
    moved += 1;
    words += count;
  }
  if (join && late.length > 0) moveToJoin(block, late, join, builder);
  return moved + carryStores(func, block, others, maxWords - words, builder);
}

/**
 * The block after a conditional block, and the condition under which the conditional block
 * executes.
 */
interface Join {
  readonly from: Block;
  readonly to: Block;
  readonly condition: Value;
  readonly isElse: boolean;
}

/**
 * If a block is the only block between a branch and the other target of the branch, returns the
 * join.
 */
function joinAfter(block: Block, sources: ReadonlyMap<Block, readonly Block[]>): Join | undefined {
  const [from, ...others] = allOf(sources, block);
  if (from === undefined || others.length > 0 || block.end.kind !== 'jump' || from.end.kind !== 'branch')
    return undefined;
  const { to } = block.end.to;
  const { condition, then, else: otherwise } = from.end;
  const isElse = then.to === to;
  if (to === from || to === block || (isElse ? otherwise.to : then.to) !== block) return undefined;
  if (!isElse && otherwise.to !== to) return undefined;
  return allOf(sources, to).length === 2 ? { from, to, condition, isElse } : undefined;
}

/** Moves stores from a conditional block to the block after it, with their values as parameters. */
function moveToJoin(
  block: Block,
  stores: readonly Copy[],
  { from, to, condition, isElse }: Join,
  builder: Builder,
): void {
  const own = new Set(block.insts);
  const isOwn = (value: Value): boolean =>
    isDefinition(value) && (value.kind === 'param' ? value.block === block : own.has(value.inst));
  const passed = new Map<Value, Param>();
  const inJoin = (value: Value): Value => {
    if (!isOwn(value)) return value;
    const known = passed.get(value);
    if (known !== undefined) return known;
    const param = builder.param(to, value.type, 'hint' in value ? value.hint : undefined);
    passed.set(value, param);
    return param;
  };
  const before: Inst[] = [];
  const executes = builder.within(before, () => (isElse ? builder.not(condition) : condition));
  to.insts.unshift(...before);
  for (const store of stores) {
    block.insts.splice(block.insts.indexOf(store), 1);
    store.args = store.args.map(inJoin);
    const added: Inst[] = [];
    const { when } = store;
    store.when = builder.within(added, () => (when === undefined ? executes : builder.and(executes, inJoin(when))));
    const { delay = 0 } = store.attrs;
    const place = lastPlace(to.insts, 0, delay) ?? missing('a barrier after a copy', store.id);
    countPassed(store, to.insts.slice(0, place));
    to.insts.splice(place, 0, ...added, store);
  }
  const values = [...passed.keys()];
  const passing = (target: Block, value: (value: Value) => Value) => {
    target.end = mapTerminator(
      target.end,
      (each) => each,
      (edge) => (edge.to === to ? { to, args: [...edge.args, ...values.map(value)] } : edge),
    );
  };
  passing(block, (value) => value);
  passing(from, ({ type }) => undef(type));
}
