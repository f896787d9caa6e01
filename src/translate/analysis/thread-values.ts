// Computes the values that depend only on the thread's position in its block, such as the lane
// index. If such a value is a predicate, the lanes in which it is true are known at translation.
// The values are folded separately for each thread.
import { at, get } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { forEachOperand } from '../graph/index.ts';
import { type Block, type Definition, type Inst, isCollective, isDefinition, type Value } from '../ir/nodes.ts';
import { type OpName, operations } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { memberMaskOf } from '../ir/warp-facts.ts';
import type { ControlGraph } from './control-dependence.ts';

/** The bits of a value, by the thread's index in its block. */
export type ThreadValues = readonly bigint[];

/**
 * A value whose low bits are known in every thread. For example, the block index times the block
 * size plus the thread index has the lane in its low bits.
 */
interface Known {
  /** The number of known low bits. The other bits are 0 in `bits`. */
  readonly low: number;
  readonly bits: ThreadValues;
  /** The values that alone determine the upper bits; undefined if they are unknown. */
  readonly rest: readonly Definition[] | undefined;
}

/**
 * A value that is the sum of known low bits and of upper bits that are uniform if all of `rest`
 * are.
 */
export interface ThreadPart {
  readonly bits: ThreadValues;
  readonly rest: readonly Definition[];
}

export interface ThreadFacts {
  readonly values: ReadonlyMap<Definition, ThreadValues>;
  readonly parts: ReadonlyMap<Definition, ThreadPart>;
}

/** The maximum number of steps, which bounds the time of translation. */
const maxSteps = 1 << 17;

/** The maximum number of values that may determine the upper bits. */
const maxRest = 4;

/**
 * Evaluates the values that determine branches and participants, and their operands, as far as they
 * are known in every thread.
 */
export function threadValues(control: ControlGraph, block: readonly [number, number, number]): ThreadFacts {
  const { blocks } = control.graph;
  const wanted = decidingValues(blocks);
  const evaluator = new Evaluator(block, control);
  if (wanted.size === 0) return evaluator.facts();
  blocks.forEach(({ insts }, number) => {
    for (const inst of insts) if (inst.results.some((result) => wanted.has(result))) evaluator.execute(inst, number);
  });
  return evaluator.facts();
}

function decidingValues(blocks: readonly Block[]): ReadonlySet<Definition> {
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
  private readonly control: ControlGraph;
  private readonly known = new Map<Definition, Known>();
  /** The number of the block that defines each known value. */
  private readonly homes = new Map<Definition, number>();
  private readonly zeros: ThreadValues;
  private readonly constants = new Map<bigint, Known>();
  private budget = maxSteps;

  constructor(block: readonly [number, number, number], control: ControlGraph) {
    this.block = block;
    this.control = control;
    this.threads = block[0] * block[1] * block[2];
    this.zeros = new Array<bigint>(this.threads).fill(0n);
  }

  facts(): ThreadFacts {
    const values = new Map<Definition, ThreadValues>();
    const parts = new Map<Definition, ThreadPart>();
    for (const [value, { low, bits, rest }] of this.known) {
      if (low >= widthOf(value.type)) values.set(value, bits);
      else if (rest !== undefined) parts.set(value, { bits, rest });
    }
    return { values, parts };
  }

  /** Evaluates an instruction of block `home`. */
  execute(inst: Inst, home: number): void {
    if (this.budget < 0 || inst.when !== undefined) return;
    if (inst.op === 'special') {
      const bits = specialValues(inst.attrs.name, this.block);
      const [result] = inst.results;
      if (bits && result) this.set(result, home, { low: 64, bits, rest: [] });
      return;
    }
    const { effect } = inst.operation;
    if (foldOf(inst) === undefined || effect !== 'pure' || inst.args.length === 0) return;
    const sources = inst.args.map((arg) => this.operand(arg, home));
    const isWhole = sources.every(({ low }, index) => low >= widthAt(inst, index));
    // Absent: an operation without a rule computes no result bit from the known low bits of its
    // sources alone.
    const low = isWhole ? 64 : (lowRules[inst.op]?.(sources, inst) ?? 0);
    if (low === 0) {
      this.shiftOut(inst, home, sources);
      return;
    }
    const columns = this.results(inst, sources);
    inst.results.forEach((result, index) => {
      const bits = columns?.[index];
      if (bits === undefined) return;
      const isCut = low < widthOf(result.type);
      const cut = isCut ? bits.map((value) => BigInt.asUintN(low, value)) : bits;
      this.set(result, home, { low, bits: cut, rest: isCut ? restOf(inst, sources, low, bits) : [] });
    });
  }

  private set(result: Definition, home: number, known: Known): void {
    this.known.set(result, known);
    this.homes.set(result, home);
  }

  /** Evaluates a right shift that drops all bits that differ between threads. */
  private shiftOut(inst: Inst, home: number, sources: readonly Known[]): void {
    const [a] = sources;
    const [result] = inst.results;
    if (!(inst.op in rightShifts) || a?.rest === undefined || a.low === 0 || result === undefined) return;
    if (shiftOf(inst, sources) !== undefined) this.set(result, home, { low: 0, bits: this.zeros, rest: a.rest });
  }

  /** Returns the values of each result; undefined if the operation cannot be folded. */
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

  private operand(value: Value, reader: number): Known {
    if (value.kind === 'constant') return this.everywhere(value.bits);
    if (!isDefinition(value)) return { low: 0, bits: this.zeros, rest: undefined };
    const known = this.known.get(value);
    if (known === undefined) return { low: 0, bits: this.zeros, rest: [value] };
    // Lanes that left a loop in different iterations have different values.
    return known.low < widthOf(value.type) && this.outlives(value, reader) ? { ...known, rest: [value] } : known;
  }

  /** Whether a block reads a value of a loop that does not contain the block. */
  private outlives(value: Definition, reader: number): boolean {
    const { loops, isInLoop } = this.control;
    const loop = loops[get(this.homes, value, 'the block of a value')];
    return loop !== undefined && !isInLoop(reader, loop);
  }

  private everywhere(value: bigint): Known {
    return getOrInsert(this.constants, value, () => ({
      low: 64,
      bits: new Array<bigint>(this.threads).fill(value),
      rest: [],
    }));
  }
}

/** The operation that each of these prelude functions computes. WGSL lacks these operations. */
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

/**
 * The special registers that depend only on a thread's position in its block of `x * y * z`
 * threads.
 */
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

/**
 * Returns the values of a special register; undefined if it does not depend on the position alone.
 */
export function specialValues(name: string, [x, y, z]: readonly [number, number, number]): ThreadValues | undefined {
  const place = places[name];
  return place && Array.from({ length: x * y * z }, (_, thread) => BigInt(place(thread, x, y) >>> 0));
}

/** Returns the number of known low bits of a result whose sources are not all known. */
type LowRule = (sources: readonly Known[], inst: Inst) => number;

/** The rule for operations in which low result bits do not depend on higher source bits. */
const lowest: LowRule = (sources) => Math.min(...sources.map(({ low }) => low));

/**
 * Returns the shift amount if it is known, the same in all threads, and does not shift out all
 * bits.
 */
function shiftOf(inst: Inst, [, amount]: readonly Known[]): number | undefined {
  if (amount === undefined || amount.low < 32) return undefined;
  const first = at(amount.bits, 0, 'the bits of a thread');
  if (!amount.bits.every((bits) => bits === first)) return undefined;
  // Clamped shifts lose all bits if the amount reaches the width; the others use the amount modulo
  // the width.
  const width = widthAt(inst, 0);
  const isClamped = inst.op === 'shl' || inst.op === 'lshr' || inst.op === 'ashr';
  return isClamped && first >= BigInt(width) ? undefined : Number(first % BigInt(width));
}

const shiftLeft: LowRule = (sources, inst) => {
  const places = shiftOf(inst, sources);
  const [a] = sources;
  return a === undefined || places === undefined ? 0 : a.low + places;
};

const shiftRight: LowRule = (sources, inst) => {
  const places = shiftOf(inst, sources);
  const [a] = sources;
  return a === undefined || places === undefined ? 0 : Math.max(0, a.low - places);
};

const rightShifts = { lshr: shiftRight, lshrw: shiftRight, ashr: shiftRight, ashrw: shiftRight } as const;

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
  ...rightShifts,
  zext: lowest,
  sext: lowest,
  trunc: lowest,
  join: ([a, b], inst) => {
    if (a === undefined || b === undefined) return 0;
    return a.low < widthAt(inst, 0) ? a.low : widthAt(inst, 0) + b.low;
  },
};

const bitwise: ReadonlySet<OpName> = new Set<OpName>(['and', 'or', 'xor']);

/** Whether all threads have the same bits above the low ones. */
function agreeAbove(low: number, { bits }: Known): boolean {
  const first = at(bits, 0, 'the bits of a thread') >> BigInt(low);
  return bits.every((value) => value >> BigInt(low) === first);
}

/**
 * Returns the values that determine the bits above the low ones; undefined if they are unknown.
 * `bits`: the results before truncation. Each source is a multiple of 2^low plus known bits. A
 * sum's upper bits depend only on the multiples if the sum of the known bits is below 2^low in
 * every thread.
 */
function restOf(inst: Inst, sources: readonly Known[], low: number, bits: ThreadValues): Known['rest'] {
  const rest = new Set<Definition>();
  for (const source of sources) {
    if (source.rest === undefined) return undefined;
    for (const value of source.rest) rest.add(value);
  }
  if (rest.size > maxRest) return undefined;
  const isApart = bitwise.has(inst.op)
    ? sources.every((source) => agreeAbove(low, source))
    : bits.every((value) => value >> BigInt(low) === 0n);
  // Every bit of a product may depend on all bits of both factors.
  const isScaled = inst.op !== 'imul' || sources.some((source) => source.low === 64 && agreeAbove(0, source));
  return isApart && isScaled ? [...rest] : undefined;
}

/** Returns the number of low bits that are 0 in all threads. */
function zerosBelow({ low, bits }: Known): number {
  const set = bits.reduce((all, value) => all | value, 0n);
  let zeros = 0;
  while (zeros < low && zeros < 64 && ((set >> BigInt(zeros)) & 1n) === 0n) zeros += 1;
  return zeros;
}
