// Simplifies a whole function. Folds every operation again, because more of its arguments may be
// known. Numbers values over the dominator tree, so that nothing is computed twice on a path. In an
// arm of a branch, the condition is known.

import { at } from '../../base/invariants.ts';
import { getOrInsert } from '../../base/maps.ts';
import { dominatorsOf } from '../graph/dominators.ts';
import { type FlowGraph, flowGraph } from '../graph/flow-graph.ts';
import { type Builder, replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  constant,
  constantOf,
  type Definition,
  edgesOf,
  type Func,
  type Inst,
  isDefinition,
  mapTerminator,
  readsAny,
  type Terminator,
  type Value,
} from '../ir/nodes.ts';
import { halvesOf, simplify } from '../ir/simplify.ts';
import { AvailableInsts, hashOfValue, isSame, mix } from './equal-insts.ts';
import { removeParams } from './remove-dead-code.ts';

export interface Folded {
  /** Whether a terminator changed, so that the graph may be simpler. */
  readonly decided: boolean;
  /** Whether anything changed. */
  readonly changed: boolean;
}

/** Folds a function. Does not remove unused instructions. */
export function fold(func: Func, builder: Builder): Folded {
  const graph = flowGraph(func);
  const dropped = graph.blocks.length !== func.blocks.length;
  func.blocks = [...graph.blocks];
  const folding = new Folding(
    builder,
    func.blocks.reduce((count, { insts }) => count + insts.length, 0),
  );
  walk(graph, folding);
  folding.end();
  const decided = mergeParams(func) || folding.decided || dropped;
  return { decided, changed: decided || folding.changed };
}

/** Visits each dominator before the blocks that it dominates, so definitions come before uses. */
function walk(graph: FlowGraph, folding: Folding): void {
  const { children } = dominatorsOf(graph);
  const stack: { readonly node: number; next: number; readonly mark: Mark }[] = [];
  const enter = (node: number) => {
    const block = graph.blocks[node];
    stack.push({ node, next: 0, mark: folding.mark() });
    if (block === undefined) return;
    const [from, ...others] = at(graph.predecessors, node, 'the predecessors of a block');
    if (from !== undefined && others.length === 0) folding.learn(at(graph.blocks, from, 'a block'), block);
    folding.block(block);
  };
  if (graph.blocks.length > 0) enter(0);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const child = at(children, top.node, 'the children of a block')[top.next];
    top.next += 1;
    if (child !== undefined) {
      enter(child);
    } else {
      folding.leave(top.mark);
      stack.pop();
    }
  }
}

/** Special registers whose value may change between two reads. */
const varying: ReadonlySet<string> = new Set([
  '%clock',
  '%clock_hi',
  '%clock64',
  '%globaltimer',
  '%globaltimer_lo',
  '%globaltimer_hi',
]);

/** The sizes of the tables at the start of a block. */
interface Mark {
  readonly learnt: number;
  readonly available: number;
}

class Folding {
  /** Whether a terminator changed. */
  decided = false;
  /** Whether an instruction changed. */
  changed = false;
  private readonly builder: Builder;
  /** The values that replace other values, permanently. */
  private readonly replaced = new IdMap<Definition, Value>();
  /** The values of conditions that are known in the current subtree. */
  private readonly facts = new IdMap<Definition, Value>();
  private readonly available: AvailableInsts;
  private readonly made: Inst[] = [];
  /** The conditions to forget when the walk leaves the subtree, the latest last. */
  private readonly learnt: Definition[] = [];

  constructor(builder: Builder, expected: number) {
    this.builder = builder;
    this.available = AvailableInsts.of(expected);
  }

  end(): void {
    this.available.release();
  }

  mark(): Mark {
    return { learnt: this.learnt.length, available: this.available.size };
  }

  leave({ learnt, available }: Mark): void {
    while (this.learnt.length > learnt) {
      const last = this.learnt.pop();
      if (last !== undefined) this.facts.delete(last);
    }
    this.available.truncate(available);
  }

  /** Records the condition of the only edge into a block. */
  learn({ end }: Block, block: Block): void {
    if (end.kind === 'branch' && isDefinition(end.condition) && end.then.to !== end.else.to) {
      const { condition } = end;
      this.facts.set(condition, constant('i1', end.then.to === block ? 1n : 0n));
      this.learnt.push(condition);
    }
    if (end.kind !== 'switch' || !isDefinition(end.selector)) return;
    const way = this.waysOf(end).get(block);
    const { selector } = end;
    // The last edge is the default, so its value is not known.
    if (way === undefined || way === 'several' || way === end.edges.length - 1) return;
    this.facts.set(selector, constant(selector.type, way));
    this.learnt.push(selector);
  }

  /** Returns, for each target of a switch, the number of its edge. */
  private waysOf(end: Extract<Terminator, { kind: 'switch' }>): ReadonlyMap<Block, number | 'several'> {
    if (this.ways?.end === end) return this.ways.places;
    const places = new Map<Block, number | 'several'>();
    end.edges.forEach(({ to }, index) => {
      places.set(to, places.has(to) ? 'several' : index);
    });
    this.ways = { end, places };
    return places;
  }
  private ways: { readonly end: Terminator; readonly places: ReadonlyMap<Block, number | 'several'> } | undefined;

  block(block: Block): void {
    block.insts = this.insts(block.insts);
    if (!this.endDiffers(block.end)) return;
    block.end = mapTerminator(block.end, this.resolve);
    this.decided = true;
  }

  private endDiffers(end: Terminator): boolean {
    return this.replaced.size + this.facts.size > 0 && readsAny(end, this.differs);
  }

  private readonly differs = (value: Value): boolean => this.resolve(value) !== value;

  /** Folds instructions. Returns the same list if nothing changes. */
  private insts(insts: Inst[]): Inst[] {
    const own: Inst[] = [];
    let out: Inst[] | undefined;
    for (let at = 0; at < insts.length; at++) {
      const inst = insts[at];
      if (inst === undefined) continue;
      this.inst(inst, out ?? own);
      if (out !== undefined) continue;
      if (own.length === 1 && own[0] === inst) own.pop();
      else out = insts.slice(0, at).concat(own);
    }
    return out ?? insts;
  }

  private readonly resolve = (value: Value): Value => {
    if (!isDefinition(value) || this.replaced.size + this.facts.size === 0) return value;
    let now: Value = value;
    for (let next = this.replaced.get(now); next !== undefined; next = this.replaced.get(now)) {
      now = next;
      if (!isDefinition(now)) return now;
    }
    return this.facts.get(now) ?? now;
  };

  private operands(inst: Inst): void {
    inst.args = this.list(inst.args);
    const { when } = inst;
    if (when === undefined) return;
    inst.when = this.resolve(when);
    if (inst.when !== when) this.changed = true;
    inst.otherwise = this.list(inst.otherwise);
  }

  private list(values: readonly Value[]): readonly Value[] {
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value === undefined || this.resolve(value) === value) continue;
      this.changed = true;
      return values.map(this.resolve);
    }
    return values;
  }

  private replace(inst: Inst, values: readonly Value[]): void {
    this.changed = true;
    inst.results.forEach((result, index) => {
      const value = values[index];
      if (value !== undefined) this.replaced.set(result, value);
    });
  }

  private inst(inst: Inst, out: Inst[]): void {
    this.operands(inst);
    if (inst.when !== undefined) {
      const known = constantOf(inst.when);
      if (known === 0n) {
        this.replace(inst, inst.otherwise);
        return;
      }
      if (known === 1n) {
        this.changed = true;
        inst.when = undefined;
        inst.otherwise = [];
      }
    }
    if (inst.operation.effect === 'pure' && inst.when === undefined) {
      const values = this.simplified(inst);
      if (values !== undefined) {
        for (const fresh of this.made) {
          this.operands(fresh);
          this.number(fresh, out);
        }
        this.replace(inst, values.map(this.resolve));
        return;
      }
    }
    this.number(inst, out);
  }

  /**
   * Simplifies an instruction by algebraic rules. New instructions are in `made`. Returns undefined
   * if no rule applies.
   */
  private simplified(inst: Inst): readonly Value[] | undefined {
    const { builder, made } = this;
    if (made.length > 0) made.length = 0;
    builder.into(made);
    builder.span = inst.span;
    let values: readonly Value[] | undefined;
    if (inst.op === 'split') {
      const [whole] = inst.args;
      values = whole && halvesOf(builder, whole);
    } else if (inst.results.length === 1) {
      const value = simplify(builder, inst.op, inst.attrs, inst.args);
      values = value && [value];
    }
    values?.forEach((value, index) => {
      if (value.kind === 'result') value.hint ??= inst.results[index]?.hint;
    });
    return values;
  }

  /**
   * Replaces an instruction by an equal earlier instruction, if there is one. Otherwise appends it
   * to `out`.
   */
  private number(inst: Inst, out: Inst[]): void {
    const { effect } = inst.operation;
    const isRepeatable = effect === 'pure' || (inst.op === 'special' && !varying.has(inst.attrs.name));
    if (!isRepeatable) {
      out.push(inst);
      return;
    }
    const known = this.available.find(inst);
    if (known !== undefined) this.replace(inst, known.results);
    else out.push(inst);
  }
}

/** Merges parameters of a block whose values are the same on all edges. */
function mergeParams(func: Func): boolean {
  const incoming = new Map<Block, (readonly Value[])[]>();
  const [entry] = func.blocks;
  for (const block of func.blocks) {
    for (const { to, args } of edgesOf(block.end)) {
      if (to.params.length < 2 || to === entry) continue;
      getOrInsert(incoming, to, () => []).push(args);
    }
  }
  const replaced = new IdMap<Definition, Value>();
  for (const [{ params }, edges] of incoming) {
    // For each hash, the places of the distinct parameters.
    const known = new Map<number, number[]>();
    params.forEach((param, index) => {
      let hash = 0;
      for (const args of edges) {
        const arg = args[index];
        if (arg !== undefined) hash = mix(hash, hashOfValue(arg));
      }
      const alike = known.get(hash);
      const other = alike?.find(
        (at) => params[at]?.type === param.type && edges.every((args) => isSame(args[at], args[index])),
      );
      const same = other === undefined ? undefined : params[other];
      if (same !== undefined) replaced.set(param, same);
      else if (alike !== undefined) alike.push(index);
      else known.set(hash, [index]);
    });
  }
  if (replaced.size === 0) return false;
  replaceValues(func, replaced);
  removeParams(func, (param) => !replaced.has(param));
  return true;
}
