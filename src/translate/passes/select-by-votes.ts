// Replaces selections by a vote with arithmetic. Native code votes into a predicate. For a WGSL
// vote, NVIDIA's driver computes a ballot, compares it with zero, and selects by the result.
//
// The minimum of the ballot and 1 is the vote as a number, without a comparison. A selection is
// then a multiply-add, which a less busy unit of the processor executes.
//
// The pass requires that every use of the vote is a selection, because a branch needs the
// comparison in any case. It also requires votes of all lanes, because one instruction can apply a
// mask and compare.

import { InternalError } from '../../base/invariants.ts';
import { usersOf } from '../graph/index.ts';
import { type Builder, replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import { constant, constantOf, type Definition, type Func, type Inst, undef, type Value } from '../ir/nodes.ts';
import { memberMaskOf, type WarpInst, warpFacts } from '../ir/warp-facts.ts';
import { replaceInsts } from './replace-insts.ts';

/** A selection between words by an i1. */
interface Selection {
  readonly condition: Value;
  readonly then: Value;
  readonly otherwise: Value;
}

/**
 * A vote as 0 or 1. It equals the result of `any`, and the negation of the results of `all` and
 * `uni`.
 */
interface VoteNumber {
  readonly bit: Value;
  readonly isOpposite: boolean;
}

/**
 * Replaces selections by a vote with arithmetic. Requires legal IR, and a plan in which the
 * subgroup is the warp.
 */
export function selectByVotes(func: Func, builder: Builder): void {
  const numbers = votesAsWords(func, builder);
  if (numbers.size === 0) return;
  const numberOf = (inst: Inst): VoteNumber | undefined => {
    const condition = selectionOf(inst)?.condition;
    return condition?.kind === 'result' ? numbers.get(condition) : undefined;
  };
  const replacements = new IdMap<Definition, Value>();
  replaceInsts(
    func,
    builder,
    (inst) => numberOf(inst) !== undefined,
    (inst) => {
      const [selection, number, result] = [selectionOf(inst), numberOf(inst), inst.results[0]];
      if (selection && number && result)
        replacements.set(result, selected(builder, number, selection, { hint: result.hint }));
    },
  );
  replaceValues(func, replacements);
}

/**
 * Returns `otherwise + number * (then - otherwise)`, which is exact even if the difference
 * overflows. If the difference is known, it is written as a positive number, so that the range of
 * the result is known.
 */
function selected(
  builder: Builder,
  { bit, isOpposite }: VoteNumber,
  { then, otherwise }: Selection,
  options: { readonly hint: string | undefined },
): Value {
  const [one, zero] = isOpposite ? [otherwise, then] : [then, otherwise];
  const difference = builder.isub(one, zero);
  const known = constantOf(difference);
  if (known !== undefined && known >= 0x8000_0000n)
    return builder.value('isub', {}, [zero, builder.imul(bit, builder.neg(difference))], options);
  return builder.value('iadd', {}, [builder.imul(bit, difference), zero], options);
}

/**
 * Changes votes that are used only for selections to words. Returns the numbers of these votes, by
 * their former results.
 */
function votesAsWords(func: Func, builder: Builder): IdMap<Definition, VoteNumber> {
  const numbers = new IdMap<Definition, VoteNumber>();
  const selecting = votesThatSelect(func);
  // Lanes at different places may execute one vote together, if their instructions have the same
  // qualifiers. So all votes with the same qualifiers must have results of one type.
  const changed = new Set([...selecting].map(kindOf));
  if (changed.size === 0) return numbers;
  const replacements = new IdMap<Definition, Value>();
  replaceInsts(
    func,
    builder,
    (inst) => isVote(inst) && changed.has(kindOf(inst)),
    (inst) => {
      const [result] = inst.results;
      if (!isVote(inst) || result === undefined) return;
      const word = voteAsWord(builder, inst);
      const isOpposite = inst.attrs.mods.mode !== 'any';
      if (selecting.has(inst)) {
        numbers.set(result, { bit: builder.umin(word, builder.i32(1)), isOpposite });
        return;
      }
      const relation = isOpposite ? 'eq' : 'ne';
      replacements.set(result, builder.value('icmp', { relation }, [word, builder.i32(0)], { hint: result.hint }));
    },
  );
  replaceValues(func, replacements);
  return numbers;
}

/** Returns the votes of all lanes that have uses, and whose uses are all selections. */
function votesThatSelect(func: Func): ReadonlySet<WarpInst> {
  const votes = func.blocks.flatMap(({ insts }) => insts.filter(isVote));
  if (votes.length === 0) return new Set();
  const users = usersOf(func);
  const selects = ({ results: [result] }: WarpInst): boolean =>
    result !== undefined &&
    users.get(result)?.every((user) => user.kind === 'inst' && selectionOf(user.inst)?.condition === result) === true;
  return new Set(votes.filter((vote) => isOfAll(vote) && selects(vote)));
}

function voteAsWord(builder: Builder, { attrs, args, when, otherwise: [kept] }: WarpInst): Value {
  const otherwise = kept === undefined ? [] : [wordOf(builder, kept, attrs.mods.mode)];
  const [word] = builder.emit('warp', { ...attrs, asWord: true }, args, { when, otherwise, hint: 'voters' });
  if (word === undefined) throw new InternalError('a vote has a result');
  return word;
}

/** Returns the word that represents a vote's result. */
function wordOf(builder: Builder, value: Value, mode: string | undefined): Value {
  if (value.kind === 'undef') return undef('i32');
  return builder.resize(mode === 'any' ? value : builder.not(value), 'i32');
}

const isVote = (inst: Inst): inst is WarpInst => inst.op === 'warp' && warpFacts(inst.attrs.row).votes;

function isOfAll(vote: WarpInst): boolean {
  const mask = memberMaskOf(vote);
  return mask === undefined || constantOf(mask) === 0xffff_ffffn;
}

const kindOf = ({ attrs: { row, mods } }: WarpInst): string => `${row} ${mods.mode}`;

/**
 * Returns the selection that an instruction performs; undefined if it selects no word. The
 * conversion of an i1 to a word is a selection between 1 and 0.
 */
function selectionOf(inst: Inst): Selection | undefined {
  if (inst.when !== undefined || inst.results[0]?.type !== 'i32') return undefined;
  const [condition, then, otherwise] = inst.args;
  if (inst.op === 'zext' && condition?.type === 'i1')
    return { condition, then: constant('i32', 1), otherwise: constant('i32', 0) };
  if (inst.op !== 'select' || condition === undefined || then === undefined || otherwise === undefined)
    return undefined;
  return { condition, then, otherwise };
}
