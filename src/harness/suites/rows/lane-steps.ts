// The operands and results of lane suites' instructions in each lane.

import {
  type ApproximateRowName,
  approximate,
  type Bits,
  compareWords,
  isAllowedResult,
  laneFunctions,
  type WordsFunction,
} from '../../../cpu-ref/index.ts';
import type { IsaRow, LaneRowName, Mods } from '../../../isa/index.ts';
import { random, randomStreams } from '../random.ts';
import type { Choice, Slot, Suite } from '../types.ts';
import { bitsOf, isRead, type LaneOperand, type Part } from './lane-kernel.ts';
import { drawerOf } from './lane-values.ts';

export type LaneRow = IsaRow & { readonly name: LaneRowName };

export interface LaneSuite extends Suite {
  readonly source: LaneRow;
  readonly modifiers: Mods;
  /** The operands that the instruction reads, in order. */
  readonly sources: readonly LaneOperand[];
  readonly results: readonly LaneOperand[];
  /**
   * Whether all values of the operand are tried. This is so if the only source has at most 16 bits,
   * or packs pairs of such values.
   */
  readonly isSmall: boolean;
}

/** The number of warps of a suite in a default run. */
export const sampleWarps = 32;

/** The number of instructions in a suite of a row with a truth table. */
export const tables = 16;
/** The number of truth tables that each instruction may use. */
const tablesEach = 256 / tables;

/** Returns the immediate operand of one of a suite's instructions. */
const tableOf = ({ id }: LaneSuite, variant: number, seed: number): number =>
  variant * tablesEach + random(seed, id, variant).below(tablesEach);

/**
 * Writes a lane's operands into words, starting at `at`. They depend only on the warp, the lane and
 * the suite.
 */
type DrawOperands = (warp: number, lane: number, words: Uint32Array, at: number) => void;

/** Returns the function that draws operands. `stride` is the number of words for each operand. */
export function operandsOf({ id, sources: all, isSmall }: LaneSuite, seed: number, stride: number): DrawOperands {
  const sources = all.filter(isRead);
  const draw = randomStreams(seed, id);
  const drawers = sources.map(({ type }, number) => drawerOf(type, sources[number - 1]?.type));
  const widths = sources.map(({ type }) => bitsOf(type));
  return (warp, lane, words, at) => {
    if (warp >= sampleWarps && isSmall) {
      const value = ((warp - sampleWarps) * 32 + lane) & 0xffff;
      for (let number = 0; number < widths.length; number++)
        words[at + number * stride] = eachValue(widths[number] ?? 16, value);
      return;
    }
    const rng = draw(warp, lane);
    for (let number = 0; number < drawers.length; number++) {
      const place = at + number * stride;
      drawers[number]?.(rng, words, place, number === 0 ? undefined : place - stride);
    }
  };
}

/**
 * Returns the operand for one 16-bit value of an exhaustive run. If the operand is a pair, the
 * value is the lower half, and the upper half has a different value.
 */
const eachValue = (bits: number, value: number): number =>
  bits === 32 ? (((value ^ 0x5a5a) << 16) | value) >>> 0 : value % 2 ** bits;

/** A suite's instruction with one of its immediate operands. */
export interface Step {
  readonly suite: LaneSuite;
  readonly variant: number;
  readonly table: number;
}

export const stepsOf = (suites: readonly LaneSuite[], { ids, variant: wanted, seed }: Choice): readonly Step[] =>
  suites
    .filter(({ id }) => ids.has(id))
    .flatMap((suite) =>
      Array.from({ length: suite.variants }, (_, variant) => ({
        suite,
        variant,
        table: tableOf(suite, variant, seed),
      })),
    )
    .filter(({ variant }) => wanted === undefined || variant === wanted);

const isApproximate = (row: LaneRowName): row is ApproximateRowName => row in approximate;

/**
 * Returns a check that accepts other results within PTX's bounds. Only approximations have such a
 * check.
 */
export function allowedBy(step: Step, part: Part, input: Uint32Array, inputWords: number): Pick<Slot, 'allows'> {
  const { source, modifiers } = step.suite;
  const { name } = source;
  if (!isApproximate(name)) return {};
  const read = bitsReader(step, part.words);
  return {
    allows: (thread, got) => isAllowedResult(name, modifiers, read(input, thread * inputWords + part.input), got),
  };
}

/** Returns the reference function on words. Each operand and result has `stride` words. */
export function wordsFunction(step: Step, stride: number): WordsFunction {
  const { source, modifiers, results } = step.suite;
  const comparison = compareWords(source.name, modifiers, stride, results.length);
  if (comparison) return comparison;
  const compute = laneFunctions[source.name];
  const read = bitsReader(step, stride);
  const put = stride === 1 ? putWords : putPairs;
  return (words, from, into) => put(compute(modifiers, read(words, from)), into);
}

const wide = new BigUint64Array(1);
const [lower, upper] = [new Uint32Array(wide.buffer, 0, 1), new Uint32Array(wide.buffer, 4, 1)];

/** Returns a function that reads operands as bits. It returns the same array for each call. */
export function bitsReader(
  { suite, table }: Step,
  stride: number,
): (words: Uint32Array, at: number) => readonly Bits[] {
  const values: Bits[] = suite.sources.map(() => table);
  const read = suite.sources.flatMap((source, number) =>
    isRead(source) ? [{ number, isWide: bitsOf(source.type) > 32 }] : [],
  );
  return (words, from) => {
    let place = from;
    for (const { number, isWide } of read) {
      if (isWide) {
        lower[0] = words[place] ?? 0;
        upper[0] = words[place + 1] ?? 0;
        values[number] = wide[0] ?? 0n;
      } else values[number] = words[place] ?? 0;
      place += stride;
    }
    return values;
  };
}

function putWords(bits: readonly Bits[], results: Uint32Array): void {
  for (let number = 0; number < results.length; number++) results[number] = Number(bits[number] ?? 0);
}

/** Writes the two words of each value, the low word first. */
function putPairs(bits: readonly Bits[], results: Uint32Array): void {
  for (let number = 0; 2 * number < results.length; number++) {
    const value = bits[number] ?? 0;
    // Write through a 64-bit array, because splitting a bigint by arithmetic would allocate more
    // bigints.
    if (typeof value === 'bigint') wide[0] = value;
    results[2 * number] = typeof value === 'bigint' ? (lower[0] ?? 0) : value;
    results[2 * number + 1] = typeof value === 'bigint' ? (upper[0] ?? 0) : 0;
  }
}
