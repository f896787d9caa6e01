// Compares what a launch wrote with what its suites expect, lane by lane.
import type { LaunchOutputs } from './launch.ts';
import { threadAt, warpNumbers, warpsOf } from './suites/geometry.ts';
import { type Batch, caseNumber, hex, type Slot, type Suite, sentinel, state } from './suites/index.ts';

/// One lane's result that is not as the reference has it.
export interface LaneMismatch {
  /// Query of the single case: `shfl.sync:up:register#17`.
  readonly case: string;
  /// The PTX line.
  readonly instruction: string;
  /// Destination operand.
  readonly result: string;
  readonly block: number;
  /// In the block.
  readonly warp: number;
  readonly lane: number;
  readonly operands: Readonly<Record<string, string>>;
  /// Bits in hexadecimal. `got` may say that a lane wrote what it must not touch.
  readonly expected: string;
  readonly got: string;
}

export interface Tally {
  readonly cases: number;
  /// Lane results compared; those undefined by PTX; those that differ.
  readonly compared: number;
  readonly undefined: number;
  readonly mismatches: number;
  readonly first: LaneMismatch | undefined;
}

/// By suite of the batch. `only` limits the comparison to the case of that number.
export function judge(batch: Batch, outputs: LaunchOutputs, only: number | undefined): Map<Suite, Tally> {
  const words = new Map([...outputs].map(([param, bytes]) => [param, wordsOf(bytes)]));
  const tallies = new Map<Suite, Tally>();
  for (const slot of batch.slots) {
    const before = tallies.get(slot.suite);
    const tally = judgeSlot(batch, slot, words.get(slot.param), only);
    tallies.set(slot.suite, before ? joinTallies(before, tally) : tally);
  }
  return tallies;
}

/// Sums, and the first mismatch of `a` before that of `b`.
export function joinTallies(a: Tally, b: Tally): Tally {
  return {
    cases: a.cases + b.cases,
    compared: a.compared + b.compared,
    undefined: a.undefined + b.undefined,
    mismatches: a.mismatches + b.mismatches,
    first: a.first ?? b.first,
  };
}

function judgeSlot(batch: Batch, slot: Slot, words: Uint32Array | undefined, only: number | undefined): Tally {
  let cases = 0;
  let compared = 0;
  let undefinedLanes = 0;
  let mismatches = 0;
  let first: LaneMismatch | undefined;
  const isFirstResult =
    batch.slots.find(({ suite, variant }) => suite === slot.suite && variant === slot.variant) === slot;
  for (const warp of warpNumbers(batch.geometry)) {
    if (only !== undefined && caseNumber(slot.suite, warp, slot.variant) !== only) continue;
    if (isFirstResult) cases++;
    for (let lane = 0; lane < 32; lane++) {
      const thread = threadAt(batch.geometry, warp, lane);
      if (thread === undefined) continue;
      const must = slot.state[thread];
      if (must === state.undefined) {
        undefinedLanes++;
        continue;
      }
      const untouched = must === state.untouched;
      const got = words?.[thread * slot.stride + slot.offset];
      if (!untouched) compared++;
      if (got === (untouched ? sentinel : slot.expected[thread])) continue;
      mismatches++;
      first ??= describe(batch, slot, warp, lane, thread, got);
    }
  }
  return { cases, compared, undefined: undefinedLanes, mismatches, first };
}

function describe(
  batch: Batch,
  slot: Slot,
  warp: number,
  lane: number,
  thread: number,
  got: number | undefined,
): LaneMismatch {
  const untouched = slot.state[thread] === state.untouched;
  const perBlock = warpsOf(batch.geometry.block);
  return {
    case: `${slot.suite.id}#${caseNumber(slot.suite, warp, slot.variant)}`,
    instruction: slot.instruction,
    result: slot.result,
    block: Math.floor((warp - batch.geometry.firstWarp) / perBlock),
    warp: (warp - batch.geometry.firstWarp) % perBlock,
    lane,
    operands: batch.describe(slot, warp, lane),
    expected: untouched ? 'nothing written' : hex(slot.expected[thread] ?? 0),
    got: got === undefined ? 'no output' : got === sentinel && !untouched ? 'nothing written' : hex(got),
  };
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 4));
}
