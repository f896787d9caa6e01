// Live ranges of values, from the first write to the last read in WGSL. The operands of an
// expression that is written in place are read where the expression is. The places of a function
// are numbered. Each block has one place for its start, two per instruction (read and write), one
// for its terminator, and one for its exit. At the exit, the parameters of the next block are
// assigned.
import { at } from '../../../base/invariants.ts';
import { type FlowGraph, forEachOwnValue } from '../../graph/index.ts';
import { IdMap, type ReadonlyIdSet } from '../../ir/id-map.ts';
import { type Block, type Definition, edgesOf, type Inst, isDefinition, type Value } from '../../ir/nodes.ts';
import { operations } from '../../ir/operations.ts';

/** The first and last place of each interval, in order. */
export type Range = readonly number[];

const placeIn = (range: Range, index: number): number => at(range, index, 'a live range');

interface Life {
  readonly block: number;
  readonly from: number;
  readonly to: number;
  /**
   * For each block that reads the value: the block, and the last place in it that reads the value.
   */
  readonly reads: number[];
  /**
   * The range, which is set on first use, and the number of blocks that the search for it visited.
   */
  range: Range | undefined;
  steps: number;
}

const lifeIn = (block: number, from: number, to: number): Life => ({
  block,
  from,
  to,
  reads: [],
  range: undefined,
  steps: 0,
});

/**
 * The maximum number of blocks that the searches visit. This limits the time for values that are
 * live across many blocks.
 */
const maxSteps = 1_000_000;

export class LiveRanges {
  private readonly graph: FlowGraph;
  private readonly inlined: ReadonlyIdSet<Definition>;
  private readonly lives = new IdMap<Definition, Life>();
  /** The first place of each block, and the place after the last block. */
  private readonly starts: number[] = [];
  /**
   * For each block, the last search that visited it, and the last place in the block that needs the
   * value.
   */
  private readonly seen: Int32Array;
  private readonly lastIn: Int32Array;
  /** The values that `read` has yet to visit. */
  private readonly stack: Value[] = [];
  private searches = 0;
  private steps = 0;

  /** `inlined`: values that are written where they are read. */
  constructor(graph: FlowGraph, inlined: ReadonlyIdSet<Definition>) {
    this.graph = graph;
    this.inlined = inlined;
    this.seen = new Int32Array(graph.blocks.length);
    this.lastIn = new Int32Array(graph.blocks.length);
    let place = 0;
    graph.blocks.forEach((block, number) => {
      this.starts.push(place);
      this.addBlock(block, number, place);
      place += 2 * block.insts.length + 3;
    });
    this.starts.push(place);
  }

  /** Returns the range of a value; undefined if the search exceeds the budget. */
  rangeOf(value: Definition): Range | undefined {
    const life = this.lives.get(value);
    if (life === undefined) return undefined;
    if (life.range === undefined) {
      life.range = this.rangeOfLife(life);
    } else {
      this.steps += life.steps;
      if (life.steps > 0 && this.steps > maxSteps) return undefined;
    }
    return life.range;
  }

  /** Resets the budget. */
  restart(): void {
    this.steps = 0;
  }

  /** Returns the exit place of a block. */
  exitOf(block: number): number {
    return at(this.starts, block + 1, 'the place of a block') - 1;
  }

  private addBlock(block: Block, number: number, start: number): void {
    for (const param of block.params) this.lives.set(param, lifeIn(number, start, start));
    let place = start + 1;
    let first: Inst | undefined;
    let firstPlace = place;
    for (const inst of block.insts) {
      // Adjacent instructions under one condition may share an `if`. Before that `if`, all their
      // results are assigned the values that they have in the other lanes.
      if (inst.when === undefined || inst.when !== first?.when) [first, firstPlace] = [inst, place];
      const written = place + 1;
      const from = writesLast(inst) ? written : firstPlace;
      for (const result of inst.results) this.lives.set(result, lifeIn(number, from, written));
      const [result] = inst.results;
      if (result === undefined || !this.inlined.has(result)) {
        this.readAll(inst.args, number, place);
        if (inst.when !== undefined) {
          this.read(inst.when, number, place);
          this.readAll(inst.otherwise, number, place);
        }
      }
      place += 2;
    }
    forEachOwnValue(block.end, (value) => this.read(value, number, place));
    for (const { args } of edgesOf(block.end)) this.readAll(args, number, place + 1);
  }

  /**
   * Records a reading of a value, and of the operands of expressions that are written in its place.
   */
  private read(value: Value, block: number, place: number): void {
    const { stack } = this;
    for (let next: Value | undefined = value; next !== undefined; next = stack.pop()) {
      if (!isDefinition(next)) continue;
      const reads = this.lives.get(next)?.reads;
      if (reads === undefined) continue;
      if (reads[reads.length - 2] === block) reads[reads.length - 1] = place;
      else reads.push(block, place);
      if (next.kind === 'result' && this.inlined.has(next)) for (const arg of next.inst.args) stack.push(arg);
    }
  }

  private readAll(values: readonly Value[], block: number, place: number): void {
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value !== undefined) this.read(value, block, place);
    }
  }

  private rangeOfLife(life: Life): Range | undefined {
    const { block, from, to, reads } = life;
    const { predecessors } = this.graph;
    const search = ++this.searches;
    let last = to;
    /** The blocks at whose start the value is live. */
    const into: number[] = [];
    const liveInto = (number: number, place: number) => {
      this.lastIn[number] = place;
      if (this.seen[number] === search) return;
      this.seen[number] = search;
      into.push(number);
    };
    for (let index = 0; index < reads.length; index += 2) {
      const number = at(reads, index, 'a reading');
      const place = at(reads, index + 1, 'a reading');
      if (number === block) last = Math.max(last, place);
      else liveInto(number, place);
    }
    for (let next = 0; next < into.length; next++) {
      life.steps += 1;
      this.steps += 1;
      if (this.steps > maxSteps) {
        life.steps = 0;
        return undefined;
      }
      for (const before of at(predecessors, at(into, next, 'a block'), 'predecessors')) {
        if (before === block) last = this.exitOf(block);
        else liveInto(before, this.exitOf(before));
      }
    }
    if (into.length === 0) return [from, last];
    // Sort the blocks, because the order of places is the order of blocks.
    into.push(block);
    into.sort((a, b) => a - b);
    const range: number[] = [];
    for (const number of into) {
      if (number === block) extend(range, from, last);
      else extend(range, at(this.starts, number, 'the place of a block'), at(this.lastIn, number, 'the last place'));
    }
    return range;
  }
}

/**
 * Whether one WGSL expression reads all operands before it writes the result. Other instructions
 * may require several statements.
 */
const writesLast = ({ op, results, when }: Inst): boolean =>
  (operations[op].effect === 'pure' || op === 'matrix-multiply') && results.length === 1 && when === undefined;

/** Adds an interval that starts no earlier than the last one. */
function extend(range: number[], from: number, to: number): void {
  const end = range.length - 1;
  const last = range[end];
  if (last !== undefined && from <= last + 1) range[end] = Math.max(last, to);
  else range.push(from, to);
}

/** Adds single places, in order, to a range. */
export function withPlaces(range: Range, places: readonly number[]): Range {
  return places.length === 0
    ? range
    : union(
        range,
        places.flatMap((place) => [place, place]),
      );
}

export function union(a: Range, b: Range): Range {
  const range: number[] = [];
  let [inA, inB] = [0, 0];
  while (inA < a.length || inB < b.length) {
    const isFirst = inB >= b.length || (inA < a.length && placeIn(a, inA) <= placeIn(b, inB));
    const [from, index] = isFirst ? [a, inA] : [b, inB];
    extend(range, placeIn(from, index), placeIn(from, index + 1));
    if (isFirst) inA += 2;
    else inB += 2;
  }
  return range;
}

export function overlap(a: Range, b: Range): boolean {
  if (a.length < b.length) return overlap(b, a);
  for (let index = 0; index < b.length; index += 2) {
    const found = firstEndingAt(a, placeIn(b, index));
    if (found < a.length && placeIn(a, found) <= placeIn(b, index + 1)) return true;
  }
  return false;
}

/** Returns the index of the first interval that ends at or after a place. */
function firstEndingAt(range: Range, place: number): number {
  let low = 0;
  let high = range.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeIn(range, 2 * middle + 1) < place) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
