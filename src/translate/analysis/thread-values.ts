// What values are that depend on nothing but the thread's place in its block, such as the lane number: which lanes such a predicate picks is known
// when the kernel is translated. They are computed a thread at a time, from constants.
import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { forEachOperand, reversePostorder } from '../graph/index.ts';
import { type Definition, type Func, type Inst, isCollective, isDefinition, type Value } from '../ir/nodes.ts';
import { type OpName, operations } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { memberMaskOf } from '../ir/warp-facts.ts';

/** A value's bits by the thread's number in its block. */
export type ThreadValues = readonly bigint[];

/** Values of which the low bits may be known alone: the number of the block times its size, plus the thread's, tells the lane. */
interface Known {
  /** How many low bits; the others are 0 in `bits`. */
  readonly low: number;
  readonly bits: ThreadValues;
}

/** Steps at most: translation stays fast whatever a kernel computes of its thread numbers. */
const maxSteps = 1 << 17;

/** Values that decide where lanes go and who takes part, and what those depend on, as far as it is known in every thread. */
export function threadValues(
  func: Func,
  block: readonly [number, number, number],
): ReadonlyMap<Definition, ThreadValues> {
  const blocks = reversePostorder(func);
  const wanted = decidingValues(blocks);
  const evaluator = new Evaluator(block);
  if (wanted.size === 0) return evaluator.whole();
  for (const { insts } of blocks) {
    for (const inst of insts) if (inst.results.some((result) => wanted.has(result))) evaluator.execute(inst);
  }
  return evaluator.whole();
}

function decidingValues(blocks: readonly Func['blocks'][number][]): ReadonlySet<Definition> {
  const wanted = new Set<Definition>();
  const queue: Definition[] = [];
  const want = (value: Value | undefined) => {
    if (value === undefined || !isDefinition(value) || wanted.has(value)) return;
    wanted.add(value);
    queue.push(value);
  };
  if (!blocks.some(({ insts }) => insts.some(isCollective))) return wanted;
  for (const { insts, end } of blocks) {
    if (end.kind === 'branch') want(end.condition);
    if (end.kind === 'switch') want(end.selector);
    for (const inst of insts) {
      if (!isCollective(inst)) continue;
      want(inst.when);
      if (inst.op === 'warp') want(memberMaskOf(inst));
    }
  }
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    if (value.kind === 'result') forEachOperand(value.inst, want);
  }
  return wanted;
}

class Evaluator {
  private readonly threads: number;
  private readonly block: readonly [number, number, number];
  private readonly known = new Map<Definition, Known>();
  private readonly unknown: Known;
  private readonly constants = new Map<bigint, Known>();
  private budget = maxSteps;

  constructor(block: readonly [number, number, number]) {
    this.block = block;
    this.threads = block[0] * block[1] * block[2];
    this.unknown = { low: 0, bits: new Array<bigint>(this.threads).fill(0n) };
  }

  whole(): ReadonlyMap<Definition, ThreadValues> {
    return new Map(
      [...this.known].flatMap(([value, { low, bits }]): [Definition, ThreadValues][] =>
        low >= widthOf(value.type) ? [[value, bits]] : [],
      ),
    );
  }

  execute(inst: Inst): void {
    if (this.budget < 0 || inst.when !== undefined) return;
    if (inst.op === 'special') {
      const bits = specialValues(inst.attrs.name, this.block);
      const [result] = inst.results;
      if (bits && result) this.known.set(result, { low: 64, bits });
      return;
    }
    const { effect } = inst.operation;
    if (foldOf(inst) === undefined || effect !== 'pure' || inst.args.length === 0) return;
    const sources = inst.args.map((arg) => this.operand(arg));
    const isWhole = sources.every(({ low }, index) => low >= widthAt(inst, index));
    // Absent: an operation of which no low bits are known alone.
    const low = isWhole ? 64 : (lowRules[inst.op]?.(sources, inst) ?? 0);
    if (low === 0) return;
    const columns = this.results(inst, sources);
    inst.results.forEach((result, index) => {
      const bits = columns?.[index];
      if (bits === undefined) return;
      const isCut = low < widthOf(result.type);
      this.known.set(result, { low, bits: isCut ? bits.map((value) => BigInt.asUintN(low, value)) : bits });
    });
  }

  /** Each result's value; undefined where the operation is not computed at compile time. */
  private results(inst: Inst, sources: readonly Known[]): readonly ThreadValues[] | undefined {
    const fold = foldOf(inst);
    const types = inst.args.map(({ type }) => type);
    const seen = new Map<bigint | string, readonly bigint[]>();
    const columns: bigint[][] = inst.results.map(() => []);
    const [varying, ...others] = sources.filter(
      (source) => this.constants.get(at(source.bits, 0, 'the bits of a thread')) !== source,
    );
    this.budget -= this.threads >> 5;
    for (let thread = 0; thread < this.threads; thread++) {
      const own = varying === undefined ? 0n : at(varying.bits, thread, 'the bits of a thread');
      const key = others.length === 0 ? own : `${own} ${others.map(({ bits }) => bits[thread]).join()}`;
      let row = seen.get(key);
      if (row === undefined) {
        const bits = sources.map((source) => at(source.bits, thread, 'the bits of a thread'));
        row = fold?.(bits, types, inst.attrs as never);
        if (row === undefined || row.length < columns.length) return undefined;
        seen.set(key, row);
        this.budget -= 1;
      }
      for (const [index, column] of columns.entries()) column.push(at(row, index, 'the bits of a result'));
    }
    return columns;
  }

  private operand(value: Value): Known {
    if (value.kind === 'constant') return this.everywhere(value.bits);
    return isDefinition(value) ? (this.known.get(value) ?? this.unknown) : this.unknown;
  }

  private everywhere(value: bigint): Known {
    // Absent: a constant that comes for the first time.
    return getOrInsert(this.constants, value, () => ({
      low: 64,
      bits: new Array<bigint>(this.threads).fill(value),
    }));
  }
}

/** Functions of the prelude that stand for operations which WGSL lacks. */
const helperOps: Readonly<Partial<Record<HelperName, OpName>>> = {
  mul_hi_u32: 'umulhi',
  mul_hi_s32: 'smulhi',
  div_u32: 'udiv',
  div_s32: 'sdiv',
  rem_u32: 'urem',
  rem_s32: 'srem',
  leading_zeros: 'clz',
  shl_clamp: 'shl',
  shr_clamp: 'lshr',
  sar_clamp: 'ashr',
  bfe_u32: 'ubfe',
  bfe_s32: 'sbfe',
  bfe_u32_plain: 'ubfe',
  bfe_s32_plain: 'sbfe',
  bfi_b32: 'bfi',
};

function foldOf(inst: Inst): (typeof operations)[OpName]['fold'] {
  const op = inst.op === 'helper' ? helperOps[inst.attrs.name] : inst.op;
  return op && operations[op].fold;
}

const widthAt = (inst: Inst, index: number): number => widthOf(at(inst.args, index, 'an operand').type);

type Place = (thread: number, x: number, y: number) => number;

/** Special registers that tell a thread's place in its block of `x * y * z` threads. */
const places: Readonly<Record<string, Place>> = {
  '%tid.x': (thread, x) => thread % x,
  '%tid.y': (thread, x, y) => Math.floor(thread / x) % y,
  '%tid.z': (thread, x, y) => Math.floor(thread / (x * y)),
  '%laneid': (thread) => thread % 32,
  '%lanemask_eq': (thread) => 1 << (thread % 32),
  '%lanemask_lt': (thread) => (1 << (thread % 32)) - 1,
  '%lanemask_le': (thread) => 0xffffffff >>> (31 - (thread % 32)),
  '%lanemask_ge': (thread) => -1 << (thread % 32),
  '%lanemask_gt': (thread) => -2 << (thread % 32),
};

/** Undefined for a special register that tells something else. */
export function specialValues(name: string, [x, y, z]: readonly [number, number, number]): ThreadValues | undefined {
  const place = places[name];
  return place && Array.from({ length: x * y * z }, (_, thread) => BigInt(place(thread, x, y) >>> 0));
}

/** How many low bits of the result are known where not all of the sources are. */
type LowRule = (sources: readonly Known[], inst: Inst) => number;

/** Low result bits depend on no higher bits of the sources. */
const lowest: LowRule = (sources) => Math.min(...sources.map(({ low }) => low));

const shiftLeft: LowRule = ([a, amount], inst) => {
  if (a === undefined || amount === undefined || amount.low < 32) return 0;
  const first = at(amount.bits, 0, 'the bits of a thread');
  if (!amount.bits.every((bits) => bits === first)) return 0;
  // The clamped shift loses all bits at the width, the other takes the amount modulo it.
  const width = widthAt(inst, 0);
  if (inst.op === 'shl' && first >= BigInt(width)) return 0;
  return a.low + (Number(first) % width);
};

const lowRules: Readonly<Partial<Record<OpName, LowRule>>> = {
  iadd: lowest,
  isub: lowest,
  or: lowest,
  xor: lowest,
  and: (sources, inst) => {
    const [a, b] = sources;
    if (a === undefined || b === undefined) return 0;
    const width = widthAt(inst, 0);
    const covers = (mask: Known, other: Known) =>
      mask.low >= width && mask.bits.every((bits) => bits >> BigInt(other.low) === 0n);
    return covers(a, b) || covers(b, a) ? 64 : lowest(sources, inst);
  },
  imul: ([a, b]) => (a && b ? Math.min(a.low + zerosBelow(b), b.low + zerosBelow(a)) : 0),
  shl: shiftLeft,
  shlw: shiftLeft,
  zext: lowest,
  sext: lowest,
  trunc: lowest,
  join: ([a, b], inst) => {
    if (a === undefined || b === undefined) return 0;
    return a.low < widthAt(inst, 0) ? a.low : widthAt(inst, 0) + b.low;
  },
};

/** Low bits that are known to be 0 in all threads. */
function zerosBelow({ low, bits }: Known): number {
  const set = bits.reduce((all, value) => all | value, 0n);
  let zeros = 0;
  while (zeros < low && zeros < 64 && ((set >> BigInt(zeros)) & 1n) === 0n) zeros += 1;
  return zeros;
}
