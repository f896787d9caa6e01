// Affine forms of addresses: sums of values times coefficients, plus a constant. For each address,
// the analysis finds the power of two that divides it, and the interval of the sum before it wraps
// around. So an index in words can replace a sum in bytes, exactly.

import { get } from '../../base/invariants.ts';
import { allOf, getOrInsert } from '../../base/maps.ts';
import { forEachOwnValue, incomingEdges } from '../graph/index.ts';
import { IdMap, IdSet, type ReadonlyIdSet } from '../ir/id-map.ts';
import { type Definition, edgesOf, type Func, type Inst, isDefinition, type Param, type Value } from '../ir/nodes.ts';
import { intervals, isExtendedExactly } from './address-intervals.ts';
import {
  addsBits,
  followed,
  followedArgs,
  isAddressType,
  isFollowed,
  maxLevel,
  shiftAmount,
  trailingZeros,
} from './address-parts.ts';
import type { Range } from './range.ts';
import type { Ranges } from './ranges.ts';

export interface AddressForms {
  /**
   * Returns the number of factors of two that `WordValues` can divide out of a 32- or 64-bit value.
   * The value has at least as many.
   */
  readonly level: (value: Value) => number;
  /**
   * Returns the interval of the exact sum of the followed parts. The value is this sum modulo 2^32
   * or 2^64.
   */
  readonly interval: (value: Value) => Range;
  /** Whether the value is only used for addresses. */
  readonly isAddressOnly: (value: Value) => boolean;
}

/**
 * Analyzes `addresses` and all values from which they are computed. Calls `ranges` when it needs
 * the first range.
 */
export function findAddressForms(func: Func, addresses: readonly Value[], ranges: () => Ranges): AddressForms {
  const incoming = incomingEdges(func);
  const slice = sliceOf(addresses, incoming);
  const numbers = findNumbers(func, slice, incoming);
  let known: Ranges | undefined;
  const interval = intervals((value) => {
    known ??= ranges();
    return known.of(value);
  });
  const level = findLevels(func, slice, numbers, interval, incoming);
  return { level, interval, isAddressOnly: (value) => isDefinition(value) && slice.has(value) && !numbers.has(value) };
}

type Incoming = ReturnType<typeof incomingEdges>;

interface Slice {
  readonly order: readonly Definition[];
  readonly has: (value: Definition) => boolean;
}

/**
 * Returns the values from which addresses are computed, as far as the analysis follows them. In
 * `order`, each value is after its parts, except parts that a back edge passes.
 */
function sliceOf(addresses: readonly Value[], incoming: Incoming): Slice {
  const slice = new IdSet<Definition>();
  const order: Definition[] = [];
  const entered = new IdSet<Definition>();
  const stack: Definition[] = [];
  const push = (value: Value | undefined) => {
    if (value === undefined || !isDefinition(value) || !isAddressType(value.type) || entered.has(value)) return;
    stack.push(value);
  };
  for (const address of addresses) {
    push(address);
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      if (entered.has(value)) {
        stack.pop();
        if (!slice.has(value)) order.push(value);
        slice.add(value);
        continue;
      }
      entered.add(value);
      if (value.kind === 'result') {
        if (isFollowed(value.inst)) for (const position of followedArgs(value.inst)) push(value.inst.args[position]);
      } else if (value.type === 'i64') {
        const index = value.block.params.indexOf(value);
        for (const { args } of get(incoming, value.block, 'the edges into a block')) push(args[index]);
      }
    }
  }
  return { order, has: (value) => slice.has(value) };
}

/** Returns the values of the slice from which something other than an address is computed. */
function findNumbers(func: Func, slice: Slice, incoming: Incoming): ReadonlyIdSet<Definition> {
  const numbers = new IdSet<Definition>();
  const queue: Definition[] = [];
  const mark = (value: Value | undefined) => {
    if (value === undefined || !isDefinition(value) || !slice.has(value) || numbers.has(value)) return;
    numbers.add(value);
    queue.push(value);
  };
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const isAccess = inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic';
      const result = inst.results[0];
      // The parts of a followed operation are numbers if its result is a number.
      const ways = isFollowed(inst) && result && slice.has(result) ? followed[inst.op] : undefined;
      for (let position = 0; position < inst.args.length; position++) {
        if (isAccess && position === 0 && inst.attrs.place.indexed) continue;
        if (!ways?.includes(position)) mark(inst.args[position]);
      }
      if (inst.when !== undefined) for (const value of inst.otherwise) mark(value);
    }
    forEachOwnValue(block.end, mark);
    for (const { to, args } of edgesOf(block.end)) {
      args.forEach((arg, index) => {
        const param = to.params[index];
        if (param && (param.type !== 'i64' || !slice.has(param))) mark(arg);
      });
    }
  }
  for (let at = 0; at < queue.length; at++) {
    const value = queue[at];
    if (value?.kind === 'result' && isFollowed(value.inst)) {
      for (const position of followedArgs(value.inst)) mark(value.inst.args[position]);
    } else if (value?.kind === 'param') {
      const index = value.block.params.indexOf(value);
      for (const { args } of get(incoming, value.block, 'the edges into a block')) mark(args[index]);
    }
  }
  return numbers;
}

/**
 * Returns the level of each value. The levels start high and decrease to a fixed point, also around
 * loops.
 */
function findLevels(
  func: Func,
  slice: Slice,
  numbers: ReadonlyIdSet<Definition>,
  interval: (value: Value) => Range,
  incoming: Incoming,
): (value: Value) => number {
  const known = new IdMap<Definition, number>();
  const of = (value: Value | undefined): number => {
    if (value === undefined || !isAddressType(value.type)) return 0;
    if (!isDefinition(value)) return trailingZeros(value);
    return slice.has(value) ? (known.get(value) ?? maxLevel) : 0;
  };
  /** For each value, the parameters and results whose level depends on it. */
  const readers = new IdMap<Definition, Definition[]>();
  const read = (part: Value | undefined, by: Definition) => {
    if (part === undefined || !isDefinition(part) || !slice.has(part)) return;
    getOrInsert(readers, part, () => []).push(by);
  };
  const [entry] = func.blocks;
  const isPart = (param: Param): boolean =>
    // A parameter is part of an address only if an index can replace it. An index cannot replace a
    // pointer that is also used as a number, or a 32-bit sum, which may have wrapped around.
    param.block !== entry && param.type === 'i64' && !numbers.has(param);
  const visit = (value: Definition): number => {
    if (value.kind === 'result') return isFollowed(value.inst) ? levelOf(value.inst, of, interval) : 0;
    if (!isPart(value)) return 0;
    let level = maxLevel;
    const index = value.block.params.indexOf(value);
    for (const { args } of get(incoming, value.block, 'the edges into a block'))
      level = Math.min(level, of(args[index]));
    return level;
  };
  const queue: Definition[] = [];
  let isFirstWalk = true;
  const update = (value: Definition) => {
    const level = visit(value);
    if (level >= of(value)) return;
    known.set(value, level);
    if (!isFirstWalk || lateParts.has(value)) queue.push(value);
  };
  /** Parts of values that are visited after those values, because a back edge passes the parts. */
  const lateParts = new IdSet<Definition>();
  const done = new IdSet<Definition>();
  for (const value of slice.order) {
    if (value.kind === 'param' && isPart(value)) {
      const index = value.block.params.indexOf(value);
      for (const { args } of get(incoming, value.block, 'the edges into a block')) {
        const arg = args[index];
        if (arg && isDefinition(arg) && !done.has(arg)) lateParts.add(arg);
        read(arg, value);
      }
    } else if (value.kind === 'result' && isFollowed(value.inst)) {
      for (const position of followedArgs(value.inst)) {
        const part = value.inst.args[position];
        if (part && isDefinition(part) && !done.has(part)) lateParts.add(part);
        read(part, value);
      }
    }
    update(value);
    done.add(value);
  }
  isFirstWalk = false;
  for (let at = 0; at < queue.length; at++) {
    const value = queue[at];
    if (value !== undefined) for (const reader of allOf(readers, value)) update(reader);
  }
  return of;
}

function levelOf(inst: Inst, of: (value: Value | undefined) => number, interval: (value: Value) => Range): number {
  const [a, b, c] = inst.args;
  if (a === undefined || !isAddressType(a.type) !== (inst.op === 'select')) return 0;
  switch (inst.op) {
    case 'iadd':
    case 'isub':
      return Math.min(of(a), of(b));
    case 'imul':
      return Math.min(of(a) + of(b), maxLevel);
    case 'shl':
    case 'shlw': {
      const bits = shiftAmount(inst);
      return bits === undefined ? 0 : Math.min(of(a) + bits, maxLevel);
    }
    case 'and':
      return b?.kind === 'constant' ? maskLevel(a, b, of) : 0;
    case 'or':
    case 'xor': {
      if (Math.min(of(a), of(b)) === 0) return 0;
      const isExact =
        a.type === 'i64' || (inst.op === 'or' && addsBits(inst)) || inst.args.every((arg) => isWord(interval(arg)));
      return isExact ? Math.min(of(a), of(b)) : 0;
    }
    case 'select':
      return Math.min(of(b), of(c));
    case 'zext':
    case 'sext':
      return a.type === 'i32' && of(a) > 0 && isExtendedExactly(inst, interval(a)) ? of(a) : 0;
    case 'trunc':
      return of(a);
    default:
      return 0;
  }
}

const isWord = ({ min, max }: Range): boolean => min >= 0 && max < 2 ** 32;

function maskLevel(value: Value, mask: Value, of: (value: Value | undefined) => number): number {
  // A mask may keep bits above the low word of a 64-bit value, which `trailingZeros` ignores.
  const isNarrow = value.type === 'i32' || (mask.kind === 'constant' && mask.bits < 2n ** 32n);
  return isNarrow ? Math.max(of(value), trailingZeros(mask)) : of(value);
}
