// Suites of instructions that each lane executes separately: every choice of a row's modifiers,
// with edge values of its operands' types and random bits. Each lane has different operands.

import { at } from '../../../base/invariants.ts';
import type { Mods } from '../../../isa/index.ts';
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
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type NativeNote, type Slot, type SuiteGroup } from '../types.ts';
import { coveringChoices } from './cover-choices.ts';
import { modChoices, modsText } from './instruction-text.ts';
import {
  bitsOf,
  instructionOf,
  isRead,
  laneKernelText,
  layoutOf,
  type Part,
  resultsOf,
  sourcesOf,
} from './lane-kernel.ts';
import {
  allowedBy,
  bitsReader,
  type LaneRow,
  type LaneSuite,
  operandsOf,
  type Step,
  sampleWarps,
  stepsOf,
  tables,
  wordsFunction,
} from './lane-steps.ts';
import { shaped, withMarks } from './marks.ts';
import { departsAsVideo } from './video-departures.ts';

/** Rows whose suites share kernels. */
export interface LaneFamily {
  readonly rows: readonly LaneRow[];
  /** The PTX version and target of the kernels' modules. */
  readonly platform: { readonly version: string; readonly target: string };
  /** The number of instructions in one kernel. */
  readonly kernelSuites: number;
  /** The number of warps of a suite with `--exhaustive`. */
  readonly exhaustiveWarps: number;
}

const form = 'lane';
const block = [64, 1, 1] as const;
const launchWarps = 512;
/** The number of warps after the sample. They try every 16-bit value. */
const everyHalfWarps = 2 ** 16 / 32;

const departing: NativeNote = {
  runs: true,
  why: 'the suite follows the manual: docs/lab-notes/native-compiler.md, video instructions',
};

function nativeNote(row: LaneRow, mods: Mods): NativeNote | undefined {
  if (row.selectors === undefined) return undefined;
  const types = [mods.dtype, mods.atype, mods.btype].flatMap((type) => type ?? []);
  return departsAsVideo(row.name, types, Object.values(mods), mods.dsel) ? departing : undefined;
}

/**
 * Returns the groups of a family. A default run includes choices that cover each value of a row's
 * modifiers once. `--exhaustive` or a query selects the other choices.
 */
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
    // Instructions whose operand values are all tried need more warps.
    return [all.filter(({ isSmall }) => isSmall), all.filter(({ isSmall }) => !isSmall)].flatMap((list) =>
      inKernels(family, list, index === 1),
    );
  });
}

function suiteOf(row: LaneRow, modifiers: Mods): LaneSuite {
  const mods = modsText(row, modifiers);
  const native = nativeNote(row, modifiers);
  const source = shaped(row, modifiers);
  const sources = sourcesOf(source, modifiers);
  const [first] = sources;
  return {
    id: suiteId(row.name, mods, form),
    row: row.name,
    mods,
    form,
    variants: sources.every(isRead) ? 1 : tables,
    source,
    modifiers,
    sources,
    results: resultsOf(source, modifiers),
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

function buildBatch({ platform }: LaneFamily, suites: readonly LaneSuite[], choice: Choice): Batch {
  const { firstWarp, warps, seed } = choice;
  const steps = stepsOf(suites, choice);
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const layout = layoutOf(
    steps.map(({ suite: { source, modifiers, sources }, table }) => ({
      row: source,
      modifiers,
      immediates: Object.fromEntries(sources.filter((one) => !isRead(one)).map(({ name }) => [name, hex(table)])),
    })),
  );
  const { inputWords, outputWords } = layout;
  const input = new Uint32Array(threads * inputWords);
  const warpsOfLaunch = warpNumbers(geometry);
  const placed = layout.parts.map((part, index) => {
    const step = at(steps, index, 'the suite of an instruction');
    const allows = allowedBy(step, part, input, inputWords);
    const slots = slotsOf(part, step, index, outputWords, threads).map((slot) => ({ ...slot, ...allows }));
    const expected = slots.map((slot) => slot.expected);
    return { slots, fill: filler(step, part, seed, input, inputWords, expected) };
  });
  // Process a few warps of one instruction, then of the next instruction, because the operands of
  // threads are adjacent and still in the cache.
  for (let from = 0; from < warpsOfLaunch.length; from += warpsAtOnce) {
    const some = warpsOfLaunch.slice(from, from + warpsAtOnce);
    for (const { fill } of placed) {
      for (const warp of some) fill(warp, threadsOfWarp(geometry, warp));
    }
  }
  const names = [...new Set(steps.map(({ suite }) => suite.row))];
  return {
    launch: launchOf(`${names[0]}.${form}`, laneKernelText(layout, threadsOf(block), platform), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputWords),
    ]),
    geometry,
    slots: placed.flatMap(({ slots }) => slots),
    describe(slot, warp, lane) {
      const step = steps.find(({ suite, variant }) => suite.id === slot.suite.id && variant === slot.variant);
      if (step === undefined) return {};
      const { suite } = step;
      const words = new Uint32Array(2 * suite.sources.length);
      operandsOf(suite, seed, 2)(warp, lane, words, 0);
      const operands = bitsReader(step, 2)(words, 0);
      return Object.fromEntries(suite.sources.map(({ name }, index) => [name, hex(operands[index] ?? 0)]));
    },
  };
}

const warpsAtOnce = 8;

/**
 * Returns a function that writes a warp's operands into `input`, and its expected results into
 * `expected`. The latter has one list for each result word.
 */
function filler(
  step: Step,
  { words, input: offset }: Part,
  seed: number,
  input: Uint32Array,
  inputWords: number,
  expected: readonly Uint32Array[],
): (warp: number, threads: WarpThreads) => void {
  const draw = operandsOf(step.suite, seed, words);
  const compute = wordsFunction(step, words);
  const results = new Uint32Array(words * step.suite.results.length);
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

/** Returns a slot for each word of each result. */
function slotsOf(part: Part, { suite, variant }: Step, index: number, stride: number, threads: number): Slot[] {
  return suite.results.flatMap(({ name: result }, number) =>
    Array.from(
      { length: part.words },
      (_, word): Slot => ({
        suite,
        variant,
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
