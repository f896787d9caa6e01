// Describes the 32 lanes of a case, for the table of a failure.

import { existingLanes, threadAt, warpsOf } from '../suites/geometry.ts';
import {
  type Batch,
  caseNumber,
  type ExecutorSums,
  hex,
  roleNames,
  type Slot,
  sentinel,
  state,
} from '../suites/index.ts';
import { has, warpLanes } from '../suites/lanes.ts';
import type { CaseLanes, LaneOutcome, LaneRole, LaneRow } from './lane-table.ts';

/** An executor's answer as words. */
export interface AnswerWords extends ExecutorSums {
  readonly name: string;
  readonly native: boolean;
  readonly wordOf: (slot: Slot, thread: number) => number | undefined;
  /** All words of a parameter; undefined if the executor did not return it. */
  readonly wordsOf: (param: number) => Uint32Array | undefined;
}

/**
 * Returns the lanes of the case in warp `warp`: how each lane executed the instruction of `slot`,
 * and all its results.
 */
export function caseLanes(batch: Batch, slot: Slot, warp: number, judged: AnswerWords): CaseLanes {
  const { geometry } = batch;
  const slots = batch.slots.filter(({ suite, variant }) => suite === slot.suite && variant === slot.variant);
  const roles = batch.roles?.(slot, warp) ?? { executing: existingLanes(geometry, warp), exited: 0 };
  const perBlock = warpsOf(geometry.block);
  const rowOf = (lane: number): LaneRow => {
    const thread = threadAt(geometry, warp, lane);
    if (thread === undefined) return { lane, role: 'absent', operands: {}, results: {} };
    const role: LaneRole = has(roles.executing, lane) ? 'executes' : has(roles.exited, lane) ? 'exited' : 'idle';
    const operands = Object.entries(batch.describe(slot, warp, lane)).filter(([name]) => !roleNames.includes(name));
    return {
      lane,
      role,
      ...(roles.membermask ? { member: has(roles.membermask[lane] ?? 0, lane) } : {}),
      operands: Object.fromEntries(operands),
      results: Object.fromEntries(slots.map((each) => [each.result, outcomeOf(each, thread, judged)])),
    };
  };
  return {
    case: `${slot.suite.id}#${caseNumber(slot.suite, warp, slot.variant)}`,
    instruction: slot.instruction,
    block: Math.floor((warp - geometry.firstWarp) / perBlock),
    warp: (warp - geometry.firstWarp) % perBlock,
    lanes: warpLanes.map(rowOf),
  };
}

function outcomeOf(slot: Slot, thread: number, judged: AnswerWords): LaneOutcome {
  const word = judged.wordOf(slot, thread);
  const agrees = isRight(slot, thread, word, judged);
  const verdict = slot.state[thread] === state.undefined ? 'undefined' : agrees ? 'agrees' : 'differs';
  return { expected: expectedText(slot, thread), got: textOf(word), verdict };
}

/**
 * Returns the expected word: the sentinel if the lane does not write its output, and otherwise the
 * word that the reference computes, even if PTX does not define it.
 */
function expectedWord(slot: Slot, thread: number): number {
  return slot.state[thread] === state.untouched ? sentinel : (slot.expected[thread] ?? 0);
}

/** Whether a word is a permitted result of a thread on an executor. */
export function isRight(slot: Slot, thread: number, word: number | undefined, executor: ExecutorSums): boolean {
  if (word === expectedWord(slot, thread)) return true;
  return word !== undefined && slot.state[thread] === state.defined && slot.allows?.(thread, word, executor) === true;
}

export function expectedText(slot: Slot, thread: number): string {
  const must = slot.state[thread];
  if (must === state.undefined) return 'undefined';
  return must === state.untouched ? textOf(sentinel) : hex(slot.expected[thread] ?? 0);
}

export function textOf(word: number | undefined): string {
  if (word === undefined) return 'no output';
  return word === sentinel ? 'nothing written' : hex(word);
}
