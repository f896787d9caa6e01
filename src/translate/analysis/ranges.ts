// Range analysis: a sparse analysis of the numbers that integer values can have. A range contains
// integers that represent a value's bits modulo 2^width: `tid - 1` is [-1, 254]. Sums and products
// of values are in the sums and products of their ranges.

import { get } from '../../base/invariants.ts';
import { allOf, countOf } from '../../base/maps.ts';
import { forEachOperand, incomingEdges, reversePostorder, type User, usersOf } from '../graph/index.ts';
import { IdMap, IdSet } from '../ir/id-map.ts';
import {
  type Block,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  type Param,
  type Value,
} from '../ir/nodes.ts';
import { isFloat, type Type, widthOf } from '../ir/types.ts';
import { refinedBy, thresholdsOf } from './edge-ranges.ts';
import { anyOf, below, exactly, type Range, rangeOf, type SpecialRanges, sameRange, union, unsigned } from './range.ts';
import { hasRange, transfer } from './range-transfer.ts';

export { anyOf, anyWord, below, bitsIn, type Range, type SpecialRanges } from './range.ts';

export interface Ranges {
  readonly of: (value: Value) => Range;
}

/**
 * The widening limit: how often the range of a block parameter may grow before it is widened, first
 * to a constant that the loop compares with, and then to the full range.
 */
const wideningLimit = 4;

const isTracked = (type: Type): boolean => !isFloat(type) && widthOf(type) <= 64;

export function findRanges(func: Func, special: SpecialRanges): Ranges {
  const known = new IdMap<Definition, Range>();
  const growths = new IdMap<Param, number>();
  /**
   * The users of each value. They are computed when a value that comes around a loop changes for
   * the first time.
   */
  let users: IdMap<Definition, User[]> | undefined;
  const seen = new IdSet<Block>();
  const incoming = incomingEdges(func);
  const [entry] = func.blocks;
  /** Returns the range of a value; undefined before the walk reaches it. */
  const find = (value: Value): Range | undefined => {
    if (value.kind === 'constant') return exactly(value.type, value.bits);
    // Undefined values are emitted as 0.
    if (value.kind === 'undef') return { min: 0, max: 0 };
    if (!isTracked(value.type) || (value.kind === 'result' && !hasRange(value.inst))) return anyOf(value.type);
    return known.get(value);
  };
  const queue: (Inst | Block)[] = [];
  const queued = new Set<Inst | Block>();
  const push = (item: Inst | Block) => {
    if (queued.has(item)) return;
    queued.add(item);
    queue.push(item);
  };
  const wake = (user: User) => {
    if (user.kind === 'inst') push(user.inst);
    else for (const { to } of edgesOf(user.block.end)) if (to.params.length > 0) push(to);
  };
  const wakeAll = (value: Definition) => {
    users ??= usersOf(func);
    for (const user of allOf(users, value)) wake(user);
  };
  const set = (value: Definition, range: Range) => {
    const before = known.get(value);
    if (before && sameRange(before, range)) return;
    known.set(value, range);
    // The first walk visits later users anyway.
    if (!isFirstWalk) wakeAll(value);
    else if (late.has(value)) again.push(value);
  };
  let isFirstWalk = true;
  /** Values with a user that was visited before the value was known. */
  const late = new IdSet<Definition>();
  const again: Definition[] = [];
  let pending = false;
  const checkOperand = (value: Value) => {
    if (find(value) !== undefined) return;
    pending = true;
    if (isDefinition(value)) late.add(value);
  };
  const rangeNow = (value: Value): Range => find(value) ?? anyOf(value.type);
  const visitInst = (inst: Inst) => {
    if (!hasRange(inst)) return;
    pending = false;
    forEachOperand(inst, checkOperand);
    if (pending) return;
    const first = transfer(inst, rangeNow, special);
    inst.results.forEach((result, index) => {
      if (!isTracked(result.type)) return;
      // Absent: the range is unknown.
      const range = (index === 0 ? first : undefined) ?? anyOf(result.type);
      const otherwise = inst.when === undefined ? undefined : inst.otherwise[index];
      const both = otherwise ? union(result.type, range, rangeNow(otherwise)) : range;
      const before = known.get(result);
      set(result, before ? union(result.type, before, both) : both);
    });
  };
  /**
   * Returns whether the branch cannot take the edge, given the known range of its condition. If
   * that range grows, the analysis visits the target of the edge again.
   */
  const isNeverTaken = ({ end }: Block, to: Block): boolean => {
    if (end.kind !== 'branch' || end.then.to === end.else.to) return false;
    const { condition } = end;
    const range = find(condition);
    if (range === undefined) {
      if (isDefinition(condition)) late.add(condition);
      return true;
    }
    const { min, max } = unsigned(condition.type, range);
    return end.then.to === to ? max === 0 : min === 1;
  };
  const visitParams = (block: Block) => {
    block.params.forEach((param, index) => {
      if (!isTracked(param.type)) return;
      let joined: Range | undefined = block === entry ? anyOf(param.type) : undefined;
      for (const { from, args } of get(incoming, block, 'the edges into a block')) {
        if (isNeverTaken(from, block)) continue;
        const arg = args[index];
        const range = arg && find(arg);
        if (arg !== undefined && isFirstWalk && !seen.has(from) && isDefinition(arg)) late.add(arg);
        if (arg === undefined || range === undefined) continue;
        const refined = refinedBy(from, block, arg, range);
        joined = joined ? union(param.type, joined, refined) : refined;
      }
      if (joined === undefined) return;
      const before = known.get(param);
      if (before) joined = union(param.type, before, joined);
      if (before && sameRange(before, joined)) return;
      const count = countOf(growths, param) + 1;
      growths.set(param, count);
      set(param, count <= wideningLimit ? joined : widened(param, index, joined, count));
    });
  };
  const widened = (param: Param, index: number, range: Range, count: number): Range => {
    if (count > wideningLimit + 2) return anyOf(param.type);
    const limits = get(incoming, param.block, 'the edges into a block').flatMap(({ from, args }) => {
      const arg = args[index];
      return arg ? thresholdsOf(from, arg, param) : [];
    });
    const above = limits.filter((limit) => limit >= range.max);
    const below = limits.filter((limit) => limit <= range.min);
    const before = known.get(param) ?? range;
    return rangeOf(
      param.type,
      range.min < before.min || count > wideningLimit + 1 ? Math.max(...below, -Infinity) : range.min,
      range.max > before.max || count > wideningLimit + 1 ? Math.min(...above, Infinity) : range.max,
    );
  };
  for (const block of reversePostorder(func)) {
    visitParams(block);
    for (const inst of block.insts) visitInst(inst);
    seen.add(block);
  }
  isFirstWalk = false;
  // Visit the users of values that come around loops, which the first walk could not see.
  for (const value of again) wakeAll(value);
  for (let at = 0; at < queue.length; at++) {
    const item = queue[at];
    if (item === undefined) continue;
    queued.delete(item);
    if ('op' in item) visitInst(item);
    else visitParams(item);
  }
  return {
    of: (value) => (isDefinition(value) ? (known.get(value) ?? anyOf(value.type)) : (find(value) ?? anyOf(value.type))),
  };
}

/** Returns the ranges of special registers for a block size. */
export function threadRanges([x, y, z]: readonly [number, number, number]): SpecialRanges {
  const ranges = new Map([
    ['%tid.x', below(x)],
    ['%tid.y', below(y)],
    ['%tid.z', below(z)],
    ['%laneid', below(32)],
    ['%warpid', below(Math.ceil((x * y * z) / 32))],
  ]);
  return (name) => ranges.get(name);
}

/**
 * Returns a function that maps each integer value to the largest unsigned number that it can have.
 */
export function maximaIn(func: Func, special: SpecialRanges): (value: Value) => number {
  const ranges = findRanges(func, special);
  return (value) => unsigned(value.type, ranges.of(value)).max;
}
