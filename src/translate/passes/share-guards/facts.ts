// What guards have told already. The condition of a guard vouches, wherever its block dominates, for the quanta of the values that it looked at, and of the
// results of its group: whoever asks for no more than that takes the condition for an answer.
//
// A shuffle with a constant membermask of all lanes gives a lane the value of another one, which executes the shuffle, too. So if the condition holds in all
// lanes of the warp, what it says of the shuffled value is true of the received one. A ballot tells; it stands where the shuffle does, so that it is executed by
// the same lanes. A condition that has been voted on is the same in the whole warp, and so vouches for what is shuffled later at once.
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

/** The shuffle of all lanes that an f32 comes from, and the f32 that was shuffled. */
export function shuffled(value: Value): { readonly shuffle: Inst; readonly source: Definition } | undefined {
  if (value.kind !== 'result' || value.inst.op !== 'bitcast') return undefined;
  const [word] = value.inst.args;
  if (word?.kind !== 'result' || word.index !== 0) return undefined;
  const { inst: shuffle } = word;
  if (shuffle.op !== 'warp' || shuffle.when !== undefined) return undefined;
  const { membermask, results } = warpFacts[shuffle.attrs.row];
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
  /** Conditions that are the same in all lanes of a warp, and of votes, what they are of. */
  private readonly votes = new Map<Value, Value>();
  /** By what they are of: votes, and where. */
  private readonly made = new Map<Value, { readonly block: Block; readonly vote: Value }>();
  private readonly blocks: ReadonlyMap<Inst, Block>;

  constructor(func: Func, builder: Builder, dominates: (a: Block, b: Block) => boolean) {
    this.builder = builder;
    this.dominates = dominates;
    const blocks = new Map<Inst, Block>();
    for (const block of func.blocks) for (const inst of block.insts) if (inst.op === 'warp') blocks.set(inst, block);
    this.blocks = blocks;
  }

  /** In what `block` dominates, the condition vouches for the value's quantum. */
  add(value: Definition, quantum: number, condition: Value, block: Block): void {
    const fact = { quantum, condition, block };
    getOrInsert(this.known, value, () => []).push(fact);
  }

  /** A condition, known in a block, that vouches for a value's quantum. */
  of(value: Value, quantum: number, block: Block): Value | undefined {
    if (!isDefinition(value)) return undefined;
    return this.known.get(value)?.find((fact) => fact.quantum >= quantum && this.dominates(fact.block, block))
      ?.condition;
  }

  /** The same of a value that was shuffled in this block: what vouches for its source, in all lanes. At the builder's place. */
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

  /** What a vote is of: it holds wherever the vote does. */
  impliedBy(vote: Value): Value | undefined {
    return this.votes.get(vote);
  }
}

/** Whether one block dominates another one, in a function as it is now. */
export function dominanceIn(func: Func): (a: Block, b: Block) => boolean {
  const dominators = dominatorsOf(flowGraph(func));
  return (a, b) => a === b || dominators.dominatesBlock(a, b);
}
