// Where values live: from where they are written to where they are last read, as WGSL has it, where an expression that is written in place reads its
// operands late. A function's places are numbered: of a block its beginning, each instruction's reading and its writing, what the terminator reads, and the
// way out, where the parameters of the next block get their values.
import { type FlowGraph, forEachOwnValue } from '../graph/index.ts';
import { IdMap, type ReadonlyIdSet } from '../ir/id-map.ts';
import { type Block, type Definition, edgesOf, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import { operations } from '../ir/operations.ts';

/// First and last place of each stretch, in order.
export type Range = readonly number[];

interface Life {
  readonly block: number;
  readonly from: number;
  readonly to: number;
  /// Block and last place there, of each block that reads it.
  readonly reads: number[];
}

/// What values that live across many blocks may cost together, in blocks.
const maxSteps = 1_000_000;

export class LiveRanges {
  private readonly graph: FlowGraph;
  private readonly inlined: ReadonlyIdSet<Definition>;
  private readonly lives = new IdMap<Definition, Life>();
  /// Of each block, and one more.
  private readonly starts: number[] = [];
  private readonly seen: Int32Array;
  /// Of values that are read, those still to be looked at.
  private readonly stack: Value[] = [];
  private searches = 0;
  private steps = 0;

  /// `inlined`: values that are written where they are read.
  constructor(graph: FlowGraph, inlined: ReadonlyIdSet<Definition>) {
    this.graph = graph;
    this.inlined = inlined;
    this.seen = new Int32Array(graph.blocks.length);
    let place = 0;
    graph.blocks.forEach((block, number) => {
      this.starts.push(place);
      this.addBlock(block, number, place);
      place += 2 * block.insts.length + 3;
    });
    this.starts.push(place);
  }

  /// Undefined where that would take too long to find.
  rangeOf(value: Definition): Range | undefined {
    const life = this.lives.get(value);
    return life && this.rangeOfLife(life);
  }

  /// The place on the way out of a block.
  wayOut(block: number): number {
    return (this.starts[block + 1] ?? 0) - 1;
  }

  private addBlock(block: Block, number: number, start: number): void {
    for (const param of block.params) this.lives.set(param, { block: number, from: start, to: start, reads: [] });
    let place = start + 1;
    let first: Inst | undefined;
    let firstPlace = place;
    for (const inst of block.insts) {
      // Neighbours under one condition may share an `if`, before which all their results get the values of the other lanes.
      if (inst.when === undefined || inst.when !== first?.when) [first, firstPlace] = [inst, place];
      const written = place + 1;
      const from = writesLast(inst) ? written : firstPlace;
      for (const result of inst.results) this.lives.set(result, { block: number, from, to: written, reads: [] });
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

  /// A value is read, and whatever the expressions in its place read.
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

  private rangeOfLife({ block, from, to, reads }: Life): Range | undefined {
    this.searches += 1;
    const stretches: [number, number][] = [];
    let last = to;
    const stack: number[] = [];
    const liveInto = (number: number) => {
      if (this.seen[number] === this.searches) return;
      this.seen[number] = this.searches;
      stack.push(number);
    };
    const ends = new Map<number, number>();
    for (let index = 0; index < reads.length; index += 2) {
      const [number, place] = [reads[index] ?? 0, reads[index + 1] ?? 0];
      if (number === block) {
        last = Math.max(last, place);
      } else {
        ends.set(number, place);
        liveInto(number);
      }
    }
    for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
      this.steps += 1;
      if (this.steps > maxSteps) return undefined;
      for (const before of this.graph.predecessors[number] ?? []) {
        if (before === block) last = this.wayOut(block);
        else {
          ends.set(before, this.wayOut(before));
          liveInto(before);
        }
      }
    }
    stretches.push([from, last]);
    for (const [number, end] of ends) stretches.push([this.starts[number] ?? 0, end]);
    return joined(stretches);
  }
}

/// Whether WGSL has the result after all operands have been read, as one expression. Other instructions may be several statements.
const writesLast = ({ op, results, when }: Inst): boolean =>
  operations[op].effect === 'pure' && results.length === 1 && when === undefined;

function joined(stretches: [number, number][]): Range {
  if (stretches.length > 1) stretches.sort(([a], [b]) => a - b);
  const range: number[] = [];
  for (const [from, to] of stretches) {
    const end = range.length - 1;
    if (end > 0 && from <= (range[end] ?? 0) + 1) range[end] = Math.max(range[end] ?? 0, to);
    else range.push(from, to);
  }
  return range;
}

export function unionOf(ranges: readonly Range[]): Range {
  const stretches: [number, number][] = [];
  for (const range of ranges)
    for (let index = 0; index < range.length; index += 2) stretches.push([range[index] ?? 0, range[index + 1] ?? 0]);
  return joined(stretches);
}

/// As `unionOf`, of two.
export function union(a: Range, b: Range): Range {
  const [large, small] = a.length >= b.length ? [a, b] : [b, a];
  const stretches: [number, number][] = [];
  let next = 0;
  const take = (range: Range, index: number) => stretches.push([range[index] ?? 0, range[index + 1] ?? 0]);
  for (let index = 0; index < large.length; index += 2) {
    for (; next < small.length && (small[next] ?? 0) < (large[index] ?? 0); next += 2) take(small, next);
    take(large, index);
  }
  for (; next < small.length; next += 2) take(small, next);
  return joined(stretches);
}

export function overlap(a: Range, b: Range): boolean {
  const [large, small] = a.length >= b.length ? [a, b] : [b, a];
  for (let index = 0; index < small.length; index += 2) {
    const at = firstEndingAt(large, small[index] ?? 0);
    if (at < large.length && (large[at] ?? 0) <= (small[index + 1] ?? 0)) return true;
  }
  return false;
}

/// Index of the first stretch that ends at a place or after it.
function firstEndingAt(range: Range, place: number): number {
  let [low, high] = [0, range.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((range[2 * middle + 1] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
