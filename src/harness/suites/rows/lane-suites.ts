// Suites of instructions that work lane by lane: every choice of a row's modifiers, on edges of its operands' types and on random bits. Each lane has
// operands of its own.

import { type Bits, compareWords, laneFunctions, type WordsFunction } from '../../../cpu-ref/index.ts';
import type { IsaRow, LaneRowName, Mods } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadsOf,
  threadsOfWarp,
  type WarpThreads,
  warpNumbers,
  warpsOf,
} from '../geometry.ts';
import { randomStreams } from '../random.ts';
import { suiteId } from '../suite-id.ts';
import {
  type Batch,
  type Choice,
  everyDefined,
  hex,
  type NativeNote,
  type Slot,
  type Suite,
  type SuiteGroup,
} from '../types.ts';
import { coveringChoices } from './cover-choices.ts';
import { modChoices, modsText, operandType, sourceNames } from './instruction-text.ts';
import { bitsOf, instructionOf, laneKernelText, layoutOf, type Part } from './lane-kernel.ts';
import { drawerOf } from './lane-values.ts';
import { shaped, withMarks } from './marks.ts';
import { departsAsVideo } from './video-departures.ts';

type LaneRow = IsaRow & { readonly name: LaneRowName };

/// Rows whose suites share kernels.
export interface LaneFamily {
  readonly rows: readonly LaneRow[];
  /// Of the kernels' modules.
  readonly platform: { readonly version: string; readonly target: string };
  /// Instructions of one kernel.
  readonly kernelSuites: number;
  /// Warps of a suite with `--exhaustive`.
  readonly exhaustiveWarps: number;
}

interface LaneSuite extends Suite {
  readonly source: LaneRow;
  readonly modifiers: Mods;
  /// What the instruction reads, in order.
  readonly sources: readonly { readonly name: string; readonly type: string }[];
  /// Whether every operand can be tried: one source of at most 16 bits, or of pairs of them.
  readonly isSmall: boolean;
}

const form = 'lane';
const block = [64, 1, 1] as const;
const sampleWarps = 32;
const launchWarps = 512;
/// Behind the sample: every value of 16 bits.
const everyHalfWarps = 2 ** 16 / 32;

const departing: NativeNote = { runs: true, why: 'the manual stands: docs/native-compiler.md, video instructions' };

function nativeNote(row: LaneRow, mods: Mods): NativeNote | undefined {
  if (row.selectors === undefined) return undefined;
  const types = [mods.dtype, mods.atype, mods.btype].flatMap((type) => type ?? []);
  return departsAsVideo(row.name, types, Object.values(mods), mods.dsel) ? departing : undefined;
}

/// By default as many choices of a row's modifiers as have each of their values once; the others with `--exhaustive`, or where a query asks for them.
export function laneSuiteGroups(family: LaneFamily): SuiteGroup[] {
  const suites = family.rows.map((row) => {
    const choices = modChoices(row).filter((mods) => objectionTo(row, mods) === undefined);
    const first = coveringChoices(choices);
    const [covering, rest] = [choices.filter((mods) => first.has(mods)), choices.filter((mods) => !first.has(mods))];
    const count = covering.length;
    return [
      covering.map((mods, index) => suiteOf(row, withMarks(row, mods, index))),
      rest.map((mods, index) => suiteOf(row, withMarks(row, mods, count + index))),
    ];
  });
  return [0, 1].flatMap((index) => {
    const all = suites.flatMap((lists) => lists[index] ?? []);
    // Instructions of which every operand can be tried have more warps than others.
    return [all.filter(({ isSmall }) => isSmall), all.filter(({ isSmall }) => !isSmall)].flatMap((list) =>
      inKernels(family, list, index === 1),
    );
  });
}

function suiteOf(row: LaneRow, modifiers: Mods): LaneSuite {
  const mods = modsText(row, modifiers);
  const native = nativeNote(row, modifiers);
  const source = shaped(row, modifiers);
  const sources = sourceNames(source).map((name) => ({ name, type: operandType(source, modifiers, name) }));
  const [first] = sources;
  return {
    id: suiteId(row.name, mods, form),
    row: row.name,
    mods,
    form,
    variants: 1,
    source,
    modifiers,
    sources,
    isSmall: first !== undefined && sources.length === 1 && (bitsOf(first.type) <= 16 || /x\d$/.test(first.type)),
    ...(native === undefined ? {} : { native }),
  };
}

function inKernels(family: LaneFamily, suites: readonly LaneSuite[], onlyAsked: boolean): SuiteGroup[] {
  const { kernelSuites, exhaustiveWarps } = family;
  return Array.from({ length: Math.ceil(suites.length / kernelSuites) }, (_, index): SuiteGroup => {
    const chosen = suites.slice(index * kernelSuites, (index + 1) * kernelSuites);
    const exhaustive = chosen.every(({ isSmall }) => isSmall) ? sampleWarps + everyHalfWarps : exhaustiveWarps;
    return {
      suites: chosen,
      blockWarps: warpsOf(block),
      warps: { sample: sampleWarps, exhaustive },
      launchWarps,
      ...(onlyAsked ? { onlyAsked } : {}),
      build: (choice) => buildBatch(family, chosen, choice),
    };
  });
}

/// Puts a lane's operands into words, the first at `at`; they depend on the warp, the lane and the suite only.
type DrawOperands = (warp: number, lane: number, words: Uint32Array, at: number) => void;

/// `stride`: words for each operand.
function operandsOf({ id, sources, isSmall }: LaneSuite, seed: number, stride: number): DrawOperands {
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

/// Pairs have another value in the upper half.
const eachValue = (bits: number, value: number): number =>
  bits === 32 ? (((value ^ 0x5a5a) << 16) | value) >>> 0 : value % 2 ** bits;

function buildBatch(
  { platform }: LaneFamily,
  suites: readonly LaneSuite[],
  { ids, firstWarp, warps, seed }: Choice,
): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const layout = layoutOf(chosen.map(({ source, modifiers }) => ({ row: source, modifiers })));
  const { inputWords, outputWords } = layout;
  const input = new Uint32Array(threads * inputWords);
  const warpsOfLaunch = warpNumbers(geometry);
  const slots = layout.parts.map((part, index) => slotsOf(part, suiteAt(chosen, index), index, outputWords, threads));
  const fills = layout.parts.map((part, index) => {
    const expected = (slots[index] ?? []).map((slot) => slot.expected);
    return filler(suiteAt(chosen, index), part, seed, input, inputWords, expected);
  });
  // Some warps of one instruction, then those of the next: threads' operands lie side by side, and are still at hand.
  for (let from = 0; from < warpsOfLaunch.length; from += warpsAtOnce) {
    const some = warpsOfLaunch.slice(from, from + warpsAtOnce);
    for (const fill of fills) {
      for (const warp of some) fill(warp, threadsOfWarp(geometry, warp));
    }
  }
  const names = [...new Set(chosen.map(({ row }) => row))];
  return {
    launch: launchOf(`${names[0]}.${form}`, laneKernelText(layout, threadsOf(block), platform), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputWords),
    ]),
    geometry,
    slots: slots.flat(),
    describe(slot, warp, lane) {
      const suite = chosen.find(({ id }) => id === slot.suite.id);
      if (suite === undefined) return {};
      const words = new Uint32Array(2 * suite.sources.length);
      operandsOf(suite, seed, 2)(warp, lane, words, 0);
      const operands = bitsReader(suite, 2)(words, 0);
      return Object.fromEntries(suite.sources.map(({ name }, index) => [name, hex(operands[index] ?? 0)]));
    },
  };
}

const warpsAtOnce = 8;

/// Puts the operands of a warp's lanes into `input`, and what they must get into `expected`, which has a list for each word of each result.
function filler(
  suite: LaneSuite,
  { words, input: offset, row }: Part,
  seed: number,
  input: Uint32Array,
  inputWords: number,
  expected: readonly Uint32Array[],
): (warp: number, threads: WarpThreads) => void {
  const draw = operandsOf(suite, seed, words);
  const compute = wordsFunction(suite, words);
  const results = new Uint32Array(words * row.writes.length);
  return (warp, { first, lanes }) => {
    for (let lane = 0; lane < lanes; lane++) {
      const thread = first + lane;
      const at = thread * inputWords + offset;
      draw(warp, lane, input, at);
      compute(input, at, results);
      for (let number = 0; number < expected.length; number++) {
        const list = expected[number];
        if (list) list[thread] = results[number] ?? 0;
      }
    }
  };
}

function suiteAt(suites: readonly LaneSuite[], index: number): LaneSuite {
  const suite = suites[index];
  if (suite === undefined) throw new RangeError(`no suite ${index}`);
  return suite;
}

/// A slot for each word of each result.
function slotsOf(part: Part, suite: LaneSuite, index: number, stride: number, threads: number): Slot[] {
  return part.row.writes.flatMap((result, number) =>
    Array.from(
      { length: part.words },
      (_, word): Slot => ({
        suite,
        variant: 0,
        instruction: `${instructionOf(part, index)};`,
        result: word === 0 ? result : `${result} (upper word)`,
        param: 1,
        stride,
        offset: part.output + number * part.words + word,
        expected: new Uint32Array(threads),
        state: everyDefined(threads),
      }),
    ),
  );
}

/// The reference, with `stride` words for each operand and result.
function wordsFunction(suite: LaneSuite, stride: number): WordsFunction {
  const { source, modifiers } = suite;
  const comparison = compareWords(source.name, modifiers, stride, source.writes.length);
  if (comparison) return comparison;
  const compute = laneFunctions[source.name];
  const read = bitsReader(suite, stride);
  const put = stride === 1 ? putWords : putPairs;
  return (words, at, results) => put(compute(modifiers, read(words, at)), results);
}

const wide = new BigUint64Array(1);
const [lower, upper] = [new Uint32Array(wide.buffer, 0, 1), new Uint32Array(wide.buffer, 4, 1)];

/// The same array each time.
function bitsReader({ sources }: LaneSuite, stride: number): (words: Uint32Array, at: number) => readonly Bits[] {
  const isWide = sources.map(({ type }) => bitsOf(type) > 32);
  const values: Bits[] = sources.map(() => 0);
  return (words, at) => {
    for (let number = 0; number < values.length; number++) {
      const place = at + number * stride;
      if (isWide[number]) {
        lower[0] = words[place] ?? 0;
        upper[0] = words[place + 1] ?? 0;
        values[number] = wide[0] ?? 0n;
      } else values[number] = words[place] ?? 0;
    }
    return values;
  };
}

function putWords(bits: readonly Bits[], results: Uint32Array): void {
  for (let number = 0; number < results.length; number++) results[number] = Number(bits[number] ?? 0);
}

/// Two words for each value, the lower first.
function putPairs(bits: readonly Bits[], results: Uint32Array): void {
  for (let number = 0; 2 * number < results.length; number++) {
    const value = bits[number] ?? 0;
    // As a value of 64 bits: taking a bigint apart by arithmetic makes others.
    if (typeof value === 'bigint') wide[0] = value;
    results[2 * number] = typeof value === 'bigint' ? (lower[0] ?? 0) : value;
    results[2 * number + 1] = typeof value === 'bigint' ? (upper[0] ?? 0) : 0;
  }
}
