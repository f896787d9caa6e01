// Tracks facts that guards have established.
//
// The condition of a guard implies the quanta of the tested values, and of the results of its
// group, in every block that the guard's block dominates. A later guard that requires no more can
// use this condition.
//
// A shuffle with a constant membermask of all lanes returns the value of another lane that executes
// the same shuffle. So if the condition holds in all lanes of the warp, the received value has the
// quantum of the shuffled value. A ballot tests this. It is placed next to the shuffle, so the same
// lanes execute it. The result of the vote is uniform in the warp, so it also covers later
// shuffles.
import { InternalError } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import { dominatorsOf, flowGraph } from '../../graph/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { IdMap } from '../../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Func,
  type Inst,
  isDefinition,
  type Value,
} from '../../ir/nodes.ts';
import { voteOfAll, warpFacts } from '../../ir/warp-facts.ts';

interface Fact {
  readonly quantum: number;
  readonly condition: Value;
  readonly block: Block;
}

const allLanes = 0xffff_ffffn;

/** Returns the all-lane shuffle that an f32 comes from, and the shuffled f32. */
export function shuffled(value: Value): { readonly shuffle: Inst; readonly source: Definition } | undefined {
  if (value.kind !== 'result' || value.inst.op !== 'bitcast') return undefined;
  const [word] = value.inst.args;
  if (word?.kind !== 'result' || word.index !== 0) return undefined;
  const { inst: shuffle } = word;
  if (shuffle.op !== 'warp' || shuffle.when !== undefined) return undefined;
  const { membermask, results } = warpFacts(shuffle.attrs.row);
  if (membermask === undefined || results[0] !== 'source') return undefined;
  if (constantOf(shuffle.args.at(-1)) !== allLanes) return undefined;
  const [sent] = shuffle.args;
  if (sent?.kind !== 'result' || sent.inst.op !== 'bitcast') return undefined;
  const [source] = sent.inst.args;
  return source !== undefined && isDefinition(source) && source.type === 'f32' ? { shuffle, source } : undefined;
}

export class Facts {
  private readonly builder: Builder;
  private readonly dominates: (a: Block, b: Block) => boolean;
  private readonly known = new IdMap<Definition, Fact[]>();
  /** Maps conditions that are uniform in a warp to the condition that each vote tests. */
  private readonly votes = new Map<Value, Value>();
  /** The votes on each condition, and their blocks. */
  private readonly made = new Map<Value, { readonly block: Block; readonly vote: Value }>();
  private readonly blocks: ReadonlyMap<Inst, Block>;

  constructor(func: Func, builder: Builder, dominates: (a: Block, b: Block) => boolean) {
    this.builder = builder;
    this.dominates = dominates;
    const blocks = new Map<Inst, Block>();
    for (const block of func.blocks) for (const inst of block.insts) if (inst.op === 'warp') blocks.set(inst, block);
    this.blocks = blocks;
  }

  /**
   * Records that the condition implies the value's quantum in every block that `block` dominates.
   */
  add(value: Definition, quantum: number, condition: Value, block: Block): void {
    const fact = { quantum, condition, block };
    getOrInsert(this.known, value, () => []).push(fact);
  }

  /**
   * Returns a condition, known in `block`, that implies a value's quantum; undefined if there is
   * none.
   */
  of(value: Value, quantum: number, block: Block): Value | undefined {
    if (!isDefinition(value)) return undefined;
    return this.known.get(value)?.find((fact) => fact.quantum >= quantum && this.dominates(fact.block, block))
      ?.condition;
  }

  /**
   * Returns a condition that implies the quantum of a value shuffled in this block: the source's
   * condition holds in all lanes. Inserts at the builder's position.
   */
  inAllLanes(condition: Value, shuffle: Inst, block: Block): Value | undefined {
    if (this.blocks.get(shuffle) !== block) return undefined;
    if (this.votes.has(condition)) return condition;
    const known = this.made.get(condition);
    if (known !== undefined && this.dominates(known.block, block)) return known.vote;
    const { builder } = this;
    const [vote] = builder.emit('warp', voteOfAll, [condition, builder.i32(allLanes)]);
    if (vote === undefined) throw new InternalError('a vote has a result');
    this.votes.set(vote, condition);
    this.made.set(condition, { block, vote });
    return vote;
  }

  /** Returns the condition that a vote tests. It holds whenever the vote holds. */
  impliedBy(vote: Value): Value | undefined {
    return this.votes.get(vote);
  }
}

/** Returns a function that tests whether one block dominates another in the current graph. */
export function dominanceIn(func: Func): (a: Block, b: Block) => boolean {
  const dominators = dominatorsOf(flowGraph(func));
  return (a, b) => a === b || dominators.dominatesBlock(a, b);
}
