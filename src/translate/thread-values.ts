// What registers hold that depend on nothing but the thread's place in its block, such as the lane number: which lanes such a predicate picks is
// known when the kernel is translated. The lowerings compute it, from constants, a thread at a time.
import type { PtxType } from '../isa/index.ts';
import type { Instruction, Operand, Register } from '../ptx/ast.ts';
import { destinationNames } from './emit/lane.ts';
import { literalOf, resultsOf } from './evaluate.ts';
import { type Block, countDefinitions, definedRegisters, isCollective, isDestination, usedRegisters } from './ir.ts';
import { bitsOf, operandType } from './operand-types.ts';

/// A register's bits by the thread's number in its block.
export type ThreadValues = readonly bigint[];

/// Values of which the low bits may be known alone: the number of the block times its size, plus the thread's, tells the lane.
interface Known {
  /// How many low bits; the others are 0 in `bits`.
  readonly low: number;
  readonly bits: ThreadValues;
}

/// Values computed at most: translation stays fast whatever a kernel computes of its thread numbers.
const mostValues = 1 << 16;

/// Registers that decide where lanes go and who takes part, and what those depend on, as far as it is known in every thread.
export function threadValues(
  blocks: readonly Block[],
  block: readonly [number, number, number],
): ReadonlyMap<string, ThreadValues> {
  if (!blocks.some(({ code }) => code.some(isCollective))) return new Map();
  const evaluator = new Evaluator(block);
  const wanted = decidingRegisters(blocks);
  const definitions = countDefinitions(blocks);
  const once = ({ name }: Register) => wanted.has(name) && definitions.get(name) === 1;
  for (const { code } of blocks) {
    for (const instruction of code) {
      if (instruction.row.kind !== 'lane' || instruction.guard || instruction.row.carry) continue;
      if (definedRegisters(instruction).some(once)) evaluator.execute(instruction, once);
    }
  }
  return evaluator.whole();
}

function decidingRegisters(blocks: readonly Block[]): ReadonlySet<string> {
  const writers = new Map<string, Instruction[]>();
  const wanted = new Set<string>();
  const queue: Register[] = [];
  for (const { code, end } of blocks) {
    if (end.kind === 'branch') queue.push(end.guard.register);
    if (end.kind === 'switch' && end.selector.kind === 'register') queue.push(end.selector.register);
    for (const instruction of code) {
      for (const { name } of definedRegisters(instruction)) {
        const list = writers.get(name);
        if (list) list.push(instruction);
        else writers.set(name, [instruction]);
      }
      if (!isCollective(instruction)) continue;
      const { membermask } = instruction.operands;
      if (membermask?.kind === 'register') queue.push(membermask.register);
      if (instruction.guard) queue.push(instruction.guard.register);
    }
  }
  for (let register = queue.pop(); register !== undefined; register = queue.pop()) {
    if (wanted.has(register.name)) continue;
    wanted.add(register.name);
    for (const writer of writers.get(register.name) ?? []) queue.push(...usedRegisters(writer));
  }
  return wanted;
}

class Evaluator {
  private readonly threads: number;
  private readonly block: readonly [number, number, number];
  private readonly known = new Map<string, { value: Known; width: number }>();
  private readonly unknown: Known;
  private readonly constants = new Map<bigint, Known>();
  private budget = mostValues;

  constructor(block: readonly [number, number, number]) {
    this.block = block;
    this.threads = block[0] * block[1] * block[2];
    this.unknown = { low: 0, bits: new Array<bigint>(this.threads).fill(0n) };
  }

  whole(): ReadonlyMap<string, ThreadValues> {
    return new Map(
      [...this.known].flatMap(([name, { value, width }]): [string, ThreadValues][] =>
        value.low >= width ? [[name, value.bits]] : [],
      ),
    );
  }

  execute(instruction: Instruction, wanted: (register: Register) => boolean): void {
    const { row, operands } = instruction;
    if (this.budget < 0) return;
    const given = Object.keys(row.types).filter(
      (name) => !isDestination(instruction, name) && operands[name] !== undefined,
    );
    const types = given.map((name) => operandType(instruction, name));
    const widths = types.map(bitsOf);
    const sources = given.map((name, index) => this.operand(operands[name], widths[index] ?? 0));
    const whole = sources.every(({ low }, index) => low >= (widths[index] ?? 64));
    const low = whole ? 64 : lowBits(instruction, sources, widths);
    if (low === 0) return;
    const results = this.results(instruction, types, sources);
    destinationNames(instruction).forEach((name, index) => {
      const operand = operands[name];
      const bits = results?.[index];
      if (operand?.kind !== 'register' || bits === undefined || !wanted(operand.register)) return;
      this.write(operand.register, operandType(instruction, name), { low, bits });
    });
  }

  /// Each destination's value; undefined where the lowering does not compute with constants.
  private results(
    instruction: Instruction,
    types: readonly PtxType[],
    sources: readonly Known[],
  ): readonly ThreadValues[] | undefined {
    const seen = new Map<bigint | string, readonly bigint[]>();
    const columns: bigint[][] = destinationNames(instruction).map(() => []);
    const [varying, ...others] = sources.filter((source) => this.constants.get(source.bits[0] ?? 0n) !== source);
    for (let thread = 0; thread < this.threads; thread++) {
      const own = varying?.bits[thread] ?? 0n;
      const key = others.length === 0 ? own : `${own} ${others.map(({ bits }) => bits[thread]).join()}`;
      let row = seen.get(key);
      if (row === undefined) {
        const known = sources.flatMap(({ bits }, index) => literalOf(bits[thread] ?? 0n, types[index] ?? 'b32') ?? []);
        if (known.length < sources.length) return undefined;
        row = resultsOf(instruction, known).flatMap((bits) => bits ?? []);
        if (row.length < columns.length) return undefined;
        seen.set(key, row);
        this.budget -= 1;
      }
      for (const [index, column] of columns.entries()) column.push(row[index] ?? 0n);
    }
    return columns;
  }

  private operand(operand: Operand | undefined, width: number): Known {
    if (operand?.kind === 'immediate') return this.everywhere(BigInt.asUintN(width, operand.bits));
    if (operand?.kind === 'special') {
      const bits = specialValues(operand.name, this.block);
      return bits ? { low: 64, bits } : this.unknown;
    }
    const value = operand?.kind === 'register' ? this.known.get(operand.register.name)?.value : undefined;
    if (operand?.kind !== 'register' || value === undefined) return this.unknown;
    if (operand.negated) return { low: value.low, bits: value.bits.map((bits) => bits ^ 1n) };
    return { low: value.low, bits: value.bits.map((bits) => BigInt.asUintN(width, bits)) };
  }

  private everywhere(value: bigint): Known {
    const known = this.constants.get(value) ?? { low: 64, bits: new Array<bigint>(this.threads).fill(value) };
    this.constants.set(value, known);
    return known;
  }

  /// A register wider than the instruction's type takes the result extended as the type says.
  private write(register: Register, type: PtxType, { low, bits }: Known): void {
    const [from, width] = [bitsOf(type), bitsOf(register.type)];
    const extended = (value: bigint) =>
      BigInt.asUintN(width, type.startsWith('s') ? BigInt.asIntN(from, value) : BigInt.asUintN(from, value));
    const known = low < from ? { low, bits: bits.map((value) => BigInt.asUintN(low, value)) } : { low: 64, bits };
    this.known.set(register.name, { value: { low: known.low, bits: known.bits.map(extended) }, width });
  }
}

/// Special registers that tell a thread's place in its block of `x * y * z` threads.
const places: Readonly<Record<string, (thread: number, x: number, y: number) => number>> = {
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

/// Undefined for a special register that tells something else.
export function specialValues(name: string, [x, y, z]: readonly [number, number, number]): ThreadValues | undefined {
  const place = places[name];
  return place && Array.from({ length: x * y * z }, (_, thread) => BigInt(place(thread, x, y) >>> 0));
}

/// Rows whose low result bits depend on no higher bits of their sources.
const lowWise = new Set(['add', 'sub', 'and', 'or', 'xor', 'not', 'neg', 'lop3', 'mov']);

/// How many low bits of the result are known where not all of the sources are.
function lowBits({ row, mods }: Instruction, sources: readonly Known[], widths: readonly number[]): number {
  const [a, b, c] = sources;
  const width = widths[0] ?? 0;
  if (a === undefined || mods.sat !== undefined) return 0;
  if (row.name === 'and' && b) {
    const covers = (mask: Known, other: Known) =>
      mask.low >= width && mask.bits.every((bits) => bits >> BigInt(other.low) === 0n);
    if (covers(a, b) || covers(b, a)) return 64;
  }
  if (row.name === 'shl' && b && b.low >= 32 && b.bits.every((amount) => amount === b.bits[0])) {
    return a.low + Number(b.bits[0] ?? 0n);
  }
  if ((row.name === 'mul' || row.name === 'mad') && mods.half === 'lo' && b) {
    const product = Math.min(a.low + zerosBelow(b), b.low + zerosBelow(a));
    return c ? Math.min(product, c.low) : product;
  }
  return lowWise.has(row.name) ? Math.min(...sources.map(({ low }) => low)) : 0;
}

/// Low bits that are known to be 0 in all threads.
function zerosBelow({ low, bits }: Known): number {
  const set = bits.reduce((all, value) => all | value, 0n);
  let zeros = 0;
  while (zeros < low && zeros < 64 && ((set >> BigInt(zeros)) & 1n) === 0n) zeros += 1;
  return zeros;
}
