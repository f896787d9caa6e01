// Assigns registers to the values of a kernel. A register is a word. Values whose live ranges do
// not overlap share a register. A live range is one interval of places, in the order of the blocks.
// Constants have registers of their own, so that an instruction has one encoding for all operands.
import { at, get } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { FlowGraph } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import { type Constant, type Definition, isDefinition, operandsOf, type Value, valuesOf } from '../../ir/nodes.ts';

export class Registers {
  private readonly numbers = new IdMap<Definition, number>();
  private readonly constants = new Map<number, number>();
  private next = 0;

  /** The number of registers. */
  get count(): number {
    return this.next;
  }

  /**
   * Assigns registers from `first` on to the values of a function. Returns the first register after
   * them.
   */
  assign(graph: FlowGraph, first: number): number {
    /** For each register, the last place of its values. */
    const ends: number[] = [];
    for (const { value, from, to } of intervalsOf(graph).sort((a, b) => a.from - b.from)) {
      const free = ends.findIndex((end) => end < from);
      const number = free === -1 ? ends.length : free;
      ends[number] = to;
      this.numbers.set(value, first + number);
    }
    this.next = Math.max(this.next, first + ends.length);
    return first + ends.length;
  }

  /** Returns a register that no value has. Values of all functions must have registers. */
  extra(): number {
    return this.next++;
  }

  of(value: Definition): number {
    return get(this.numbers, value, 'the register of a value');
  }

  ofConstant({ bits }: Pick<Constant, 'bits'>): number {
    return getOrInsert(this.constants, Number(bits), () => this.extra());
  }

  /** The words of the constants, and their registers. */
  get contents(): Iterable<readonly [word: number, register: number]> {
    return this.constants;
  }
}

interface Interval {
  readonly value: Definition;
  readonly block: number;
  from: number;
  to: number;
  /** The blocks at whose start the value is live. */
  readonly into: Set<number>;
}

/**
 * Returns the interval of each value. An instruction reads its operands at one place, and writes its
 * results at the next one. An edge reads its arguments at the last place of its block, and a
 * parameter is written before the first place of its block.
 */
function intervalsOf({ blocks, predecessors }: FlowGraph): Interval[] {
  const intervals: Interval[] = [];
  const known = new IdMap<Definition, Interval>();
  const starts: number[] = [];
  let place = 0;
  blocks.forEach((block, number) => {
    starts.push(place);
    const define = (value: Definition, from: number) => {
      const interval = { value, block: number, from, to: from, into: new Set<number>() };
      intervals.push(interval);
      known.set(value, interval);
    };
    for (const param of block.params) define(param, place);
    block.insts.forEach(({ results }, index) => {
      for (const result of results) define(result, place + 2 * index + 2);
    });
    place += 2 * block.insts.length + 2;
  });
  starts.push(place);
  const startOf = (number: number) => at(starts, number, 'the place of a block');
  const endOf = (number: number) => startOf(number + 1) - 1;
  const include = (interval: Interval, place: number) => {
    interval.from = Math.min(interval.from, place);
    interval.to = Math.max(interval.to, place);
  };
  const read = (value: Value, number: number, place: number) => {
    if (!isDefinition(value)) return;
    const interval = get(known, value, 'the interval of a value');
    include(interval, place);
    const stack = [number];
    for (let into = stack.pop(); into !== undefined; into = stack.pop()) {
      if (into === interval.block || interval.into.has(into)) continue;
      interval.into.add(into);
      include(interval, startOf(into));
      for (const from of at(predecessors, into, 'predecessors')) {
        include(interval, endOf(from));
        stack.push(from);
      }
    }
  };
  blocks.forEach(({ insts, end }, number) => {
    insts.forEach((inst, index) => {
      for (const value of operandsOf(inst)) read(value, number, startOf(number) + 2 * index + 1);
    });
    for (const value of valuesOf(end)) read(value, number, endOf(number));
  });
  return intervals;
}
