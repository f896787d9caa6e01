// Addresses as sums of values times coefficients plus a constant, followed through the operations that make them: which powers of two divide them, and
// the interval of the sum before it wraps around. So an index of words can be computed in place of bytes, exactly.
import { forEachOwnValue, incomingEdges, reversePostorder, type User, usersOf } from '../graph/index.ts';
import { type Definition, edgesOf, type Func, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { type Type, widthOf } from '../ir/types.ts';
import type { Range } from './range.ts';
import { signed, unsigned } from './range.ts';
import type { Ranges } from './ranges.ts';

/// More factors of two than anything asks for.
export const maxLevel = 31;
const anyInterval: Range = { min: -Infinity, max: Infinity };

export const isAddressType = (type: Type): boolean => type === 'i32' || type === 'i64';

/// A constant as a signed number, if a double has it exactly.
export function signedConstant(value: Value | undefined): number | undefined {
  if (value?.kind !== 'constant') return undefined;
  const number = Number(BigInt.asIntN(widthOf(value.type), value.bits));
  return Number.isSafeInteger(number) ? number : undefined;
}

/// Factors of two in a constant.
export function trailingZeros(value: Value): number {
  if (value.kind === 'undef') return maxLevel;
  if (value.kind !== 'constant') return 0;
  const low = Number(value.bits & 0xffff_ffffn) | 0;
  return low === 0 ? maxLevel : Math.min(31 - Math.clz32(low & -low), maxLevel);
}

/// The bits of a shift by a constant; undefined where there is none, or nothing is left.
export function shiftAmount(inst: Inst): number | undefined {
  const amount = inst.args[1];
  if (amount?.kind !== 'constant' || inst.args[0] === undefined) return undefined;
  const width = widthOf(inst.args[0].type);
  const bits = Number(amount.bits);
  if (inst.op === 'shlw' || inst.op === 'lshrw') return bits % width;
  return bits < width ? bits : undefined;
}

/// Operations that addresses are followed through, and the positions of their arguments that are parts of the address.
const followed: Readonly<Partial<Record<OpName, readonly number[]>>> = {
  iadd: [0, 1],
  isub: [0, 1],
  imul: [0, 1],
  shl: [0],
  shlw: [0],
  and: [0, 1],
  or: [0, 1],
  xor: [0, 1],
  select: [1, 2],
  zext: [0],
  sext: [0],
  trunc: [0],
};

const isFollowed = (inst: Inst): boolean => followed[inst.op] !== undefined && inst.when === undefined;

export interface AddressForms {
  /// Of a 32- or 64-bit value: as many factors of two as `WordValues` can take out of it. At least as many divide it.
  readonly level: (value: Value) => number;
  /// Where the sum lies that the value is modulo 2^32 or 2^64, made of the parts that it is followed to.
  readonly interval: (value: Value) => Range;
  /// Whether the value is used for addresses alone.
  readonly isAddressOnly: (value: Value) => boolean;
}

export function findAddressForms(func: Func, ranges: Ranges): AddressForms {
  const users = usersOf(func);
  const numbers = findNumbers(func);
  const interval = intervals(ranges);
  const level = findLevels(func, users, numbers, interval);
  return { level, interval, isAddressOnly: (value) => isDefinition(value) && !numbers.has(value) };
}

/// Values that something else than an address is made of.
function findNumbers(func: Func): ReadonlySet<Definition> {
  const numbers = new Set<Definition>();
  const queue: Definition[] = [];
  const mark = (value: Value | undefined) => {
    if (value === undefined || !isDefinition(value) || !isAddressType(value.type) || numbers.has(value)) return;
    numbers.add(value);
    queue.push(value);
  };
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const isAccess = inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic';
      const ways = isFollowed(inst) ? followed[inst.op] : undefined;
      inst.args.forEach((arg, position) => {
        if (isAccess && inst.attrs.place.indexed && position === 0) return;
        if (ways?.includes(position)) return;
        mark(arg);
      });
      inst.otherwise.forEach(mark);
    }
    forEachOwnValue(block.end, mark);
  }
  const incoming = incomingEdges(func);
  for (let at = 0; at < queue.length; at++) {
    const value = queue[at];
    if (value?.kind === 'result' && isFollowed(value.inst)) {
      for (const position of followed[value.inst.op] ?? []) mark(value.inst.args[position]);
    } else if (value?.kind === 'param') {
      const index = value.block.params.indexOf(value);
      for (const { args } of incoming.get(value.block) ?? []) mark(args[index]);
    }
  }
  return numbers;
}

/// Intervals are computed where they are asked for: they do not go around loops.
function intervals(ranges: Ranges): (value: Value) => Range {
  const known = new Map<Definition, Range>();
  const read = (value: Value | undefined): Range => {
    if (value === undefined) return anyInterval;
    if (isDefinition(value)) return known.get(value) ?? leaf(value);
    const number = signedConstant(value) ?? (value.kind === 'undef' ? 0 : undefined);
    return number === undefined ? anyInterval : { min: number, max: number };
  };
  const leaf = (value: Value): Range => ranges.of(value);
  const partsOf = (value: Definition): readonly Value[] =>
    value.kind === 'result' && isFollowed(value.inst) ? value.inst.args : [];
  return (root) => {
    if (!isDefinition(root)) return read(root);
    const stack: Definition[] = [root];
    for (let value = stack.at(-1); value !== undefined; value = stack.at(-1)) {
      if (known.has(value)) {
        stack.pop();
        continue;
      }
      const missing = partsOf(value).filter(
        (part): part is Definition => isDefinition(part) && isAddressType(part.type) && !known.has(part),
      );
      if (missing.length > 0) {
        for (const part of missing) stack.push(part);
        continue;
      }
      stack.pop();
      known.set(value, (value.kind === 'result' ? intervalOf(value.inst, read) : undefined) ?? leaf(value));
    }
    return read(root);
  };
}

const finite = (min: number, max: number): Range =>
  Number.isSafeInteger(min) && Number.isSafeInteger(max) ? { min, max } : anyInterval;

function productOf(a: Range, b: Range): Range {
  const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return finite(Math.min(...corners), Math.max(...corners));
}

/// Undefined where the value is no sum of its parts.
function intervalOf(inst: Inst, read: (value: Value | undefined) => Range): Range | undefined {
  if (!isFollowed(inst)) return undefined;
  const [a, b, c] = inst.args;
  switch (inst.op) {
    case 'iadd':
      return finite(read(a).min + read(b).min, read(a).max + read(b).max);
    case 'isub':
      return finite(read(a).min - read(b).max, read(a).max - read(b).min);
    case 'imul':
      return productOf(read(a), read(b));
    case 'shl':
    case 'shlw': {
      const bits = shiftAmount(inst);
      return bits === undefined ? undefined : productOf(read(a), { min: 2 ** bits, max: 2 ** bits });
    }
    case 'and':
      return maskInterval(b) ?? maskInterval(a);
    case 'or':
    case 'xor': {
      const [x, y] = [read(a), read(b)];
      if (inst.op === 'or' && addsBits(inst)) return finite(x.min + y.min, x.max + y.max);
      if (x.min < 0 || y.min < 0) return undefined;
      return finite(0, 2 ** Math.ceil(Math.log2(Math.max(x.max, y.max) + 1)) - 1);
    }
    case 'select':
      return { min: Math.min(read(b).min, read(c).min), max: Math.max(read(b).max, read(c).max) };
    case 'zext':
    case 'sext': {
      if (a === undefined || a.type !== 'i32') return undefined;
      return isExtendedExactly(inst, read(a))
        ? read(a)
        : (inst.op === 'zext' ? unsigned : signed)(a.type, wordRange(read(a)));
    }
    case 'trunc':
      return a?.type === 'i64' && inst.results[0]?.type === 'i32' ? read(a) : undefined;
    default:
      return undefined;
  }
}

/// The range of a word whose sum lies in an interval.
const wordRange = (interval: Range): Range =>
  interval.min >= -(2 ** 31) && interval.max < 2 ** 32 ? interval : { min: 0, max: 2 ** 32 - 1 };

function maskInterval(mask: Value | undefined): Range | undefined {
  if (mask?.kind !== 'constant') return undefined;
  const bits = Number(mask.bits);
  return Number.isSafeInteger(bits) ? { min: 0, max: bits } : undefined;
}

/// Whether an extended word is its sum, as it has not wrapped around.
export function isExtendedExactly(inst: Inst, sum: Range): boolean {
  return inst.op === 'zext' ? sum.min >= 0 && sum.max < 2 ** 32 : sum.min >= -(2 ** 31) && sum.max < 2 ** 31;
}

/// Whether an `or` with a constant sets bits that are 0: it adds them. Only shifted values are looked at, as compilers write them.
export function addsBits(inst: Inst): boolean {
  const number = signedConstant(inst.args[1]);
  return number !== undefined && number >= 0 && number < 2 ** zerosOf(inst.args[0]);
}

/// Factors of two that a value is seen to have: by itself, or as a sum of such values.
function zerosOf(value: Value | undefined, depth = 6): number {
  if (value === undefined || depth === 0) return 0;
  if (value.kind !== 'result') return value.kind === 'param' ? 0 : trailingZeros(value);
  const { inst } = value;
  if (inst.when !== undefined) return 0;
  const [a, b] = inst.args;
  switch (inst.op) {
    case 'iadd':
    case 'isub':
      return Math.min(zerosOf(a, depth - 1), zerosOf(b, depth - 1));
    case 'shl':
    case 'shlw':
      return Math.min((shiftAmount(inst) ?? 0) + zerosOf(a, depth - 1), maxLevel);
    case 'imul':
      return Math.min(zerosOf(a, depth - 1) + zerosOf(b, depth - 1), maxLevel);
    case 'and':
      return Math.max(zerosOf(a, depth - 1), zerosOf(b, depth - 1));
    case 'zext':
    case 'sext':
    case 'trunc':
      return zerosOf(a, depth - 1);
    default:
      return 0;
  }
}

/// Levels start high and come down, around loops as well.
function findLevels(
  func: Func,
  users: ReadonlyMap<Definition, readonly User[]>,
  numbers: ReadonlySet<Definition>,
  interval: (value: Value) => Range,
): (value: Value) => number {
  const known = new Map<Definition, number>();
  const of = (value: Value | undefined): number => {
    if (value === undefined || !isAddressType(value.type)) return 0;
    return isDefinition(value) ? (known.get(value) ?? maxLevel) : trailingZeros(value);
  };
  const queue: Definition[] = [];
  const lower = (value: Definition, level: number) => {
    if (level >= of(value)) return;
    known.set(value, level);
    queue.push(value);
  };
  const visit = (inst: Inst) => {
    const [result] = inst.results;
    for (const other of inst.results) if (other !== result || !isFollowed(inst)) lower(other, 0);
    if (result && isFollowed(inst)) lower(result, levelOf(inst, of, interval));
  };
  const [entry] = func.blocks;
  for (const block of reversePostorder(func)) {
    for (const param of block.params) {
      // A pointer that is a number too stays the one register that it is; of 32 bits, its sum may have wrapped around.
      if (block === entry || param.type !== 'i64' || numbers.has(param)) lower(param, 0);
    }
    for (const inst of block.insts) visit(inst);
    for (const { to, args } of edgesOf(block.end)) {
      args.forEach((arg, index) => {
        const param = to.params[index];
        if (param) lower(param, of(arg));
      });
    }
  }
  for (let at = 0; at < queue.length; at++) {
    const value = queue[at];
    if (value === undefined) continue;
    for (const user of users.get(value) ?? []) {
      if (user.kind === 'inst') visit(user.inst);
      else {
        for (const { to, args } of edgesOf(user.block.end)) {
          args.forEach((arg, index) => {
            const param = to.params[index];
            if (arg === value && param) lower(param, of(value));
          });
        }
      }
    }
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
      const isExact =
        a.type === 'i64' || (inst.op === 'or' && addsBits(inst)) || inst.args.every((arg) => isWord(interval(arg)));
      return isExact ? Math.min(of(a), of(b)) : 0;
    }
    case 'select':
      return Math.min(of(b), of(c));
    case 'zext':
    case 'sext':
      return a.type === 'i32' && isExtendedExactly(inst, interval(a)) ? of(a) : 0;
    case 'trunc':
      return of(a);
    default:
      return 0;
  }
}

const isWord = ({ min, max }: Range): boolean => min >= 0 && max < 2 ** 32;

function maskLevel(value: Value, mask: Value, of: (value: Value | undefined) => number): number {
  // Of a 64-bit value, the bits above the word are out of sight.
  const isNarrow = value.type === 'i32' || (mask.kind === 'constant' && mask.bits < 2n ** 32n);
  return isNarrow ? Math.max(of(value), trailingZeros(mask)) : of(value);
}
