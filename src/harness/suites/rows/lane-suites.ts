// Suites of instructions that work lane by lane: every choice of a row's modifiers, on edges of its operands' types and on random bits. Each lane has
// operands of its own.

import { type Bits, boundlessRows, isApproximateHalf, laneFunctions } from '../../../cpu-ref/index.ts';
import type { IsaRow, LaneRowName, Mods } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/constraints.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  threadsOf,
  warpNumbers,
  warpsOf,
} from '../geometry.ts';
import { warpLanes } from '../lanes.ts';
import { random } from '../random.ts';
import { suiteId } from '../suite-id.ts';
import {
  type Batch,
  type Choice,
  hex,
  type NativeNote,
  type Slot,
  type Suite,
  type SuiteGroup,
  state,
} from '../types.ts';
import { coveringChoices } from './cover-choices.ts';
import { modChoices, modsText, operandType, sourceNames } from './instruction-text.ts';
import { bitsOf, instructionOf, laneKernelText, layoutOf, type Part } from './lane-kernel.ts';
import { laneValue } from './lane-values.ts';
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
}

const form = 'lane';
const block = [64, 1, 1] as const;
const sampleWarps = 32;
const launchWarps = 512;
/// Behind the sample: every value of 16 bits.
const everyHalfWarps = 2 ** 16 / 32;

const approximated: NativeNote = { runs: true, why: 'the manual leaves the last places of results open' };
const isApproximated = ({ name }: LaneRow): boolean => boundlessRows.has(name) || isApproximateHalf(name);
const departing: NativeNote = { runs: true, why: 'the manual stands: docs/native-compiler.md, video instructions' };

function nativeNote(row: LaneRow, mods: Mods): NativeNote | undefined {
  if (isApproximated(row)) return approximated;
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
    return [all.filter(hasFewOperands), all.filter((suite) => !hasFewOperands(suite))].flatMap((list) =>
      inKernels(family, list, index === 1),
    );
  });
}

function suiteOf(row: LaneRow, modifiers: Mods): LaneSuite {
  const mods = modsText(row, modifiers);
  const native = nativeNote(row, modifiers);
  return {
    id: suiteId(row.name, mods, form),
    row: row.name,
    mods,
    form,
    variants: 1,
    source: shaped(row, modifiers),
    modifiers,
    ...(native === undefined ? {} : { native }),
  };
}

/// One source of at most 16 bits, or of pairs of them.
function hasFewOperands({ source, modifiers }: LaneSuite): boolean {
  const [first, ...others] = sourceNames(source);
  if (first === undefined || others.length > 0) return false;
  const type = operandType(source, modifiers, first);
  return bitsOf(type) <= 16 || /x\d$/.test(type);
}

function inKernels(family: LaneFamily, suites: readonly LaneSuite[], onlyAsked: boolean): SuiteGroup[] {
  const { kernelSuites, exhaustiveWarps } = family;
  return Array.from({ length: Math.ceil(suites.length / kernelSuites) }, (_, index): SuiteGroup => {
    const chosen = suites.slice(index * kernelSuites, (index + 1) * kernelSuites);
    const exhaustive = chosen.every(hasFewOperands) ? sampleWarps + everyHalfWarps : exhaustiveWarps;
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

/// Operands of a thread for one instruction; they depend on the suite, the warp and the lane only.
function operandsOf(suite: LaneSuite, seed: number, warp: number, lane: number): readonly Bits[] {
  const { source, modifiers } = suite;
  const names = sourceNames(source);
  if (warp >= sampleWarps && hasFewOperands(suite)) {
    const value = ((warp - sampleWarps) * 32 + lane) & 0xffff;
    return names.map((name) => eachValue(bitsOf(operandType(source, modifiers, name)), value));
  }
  const rng = random(seed, suite.id, warp, lane);
  const values: Bits[] = [];
  for (const name of names) values.push(laneValue(rng, operandType(source, modifiers, name), values.at(-1)));
  return values;
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
  const instructions = layout.parts.map((part, index) => {
    const suite = suiteAt(chosen, index);
    return { part, suite, slots: slotsOf(part, suite, index, outputWords, threads) };
  });
  for (const warp of warpNumbers(geometry)) {
    for (const lane of warpLanes) {
      const thread = threadAt(geometry, warp, lane);
      if (thread === undefined) continue;
      for (const { part, suite, slots } of instructions) {
        const operands = operandsOf(suite, seed, warp, lane);
        for (const [number, bits] of operands.entries()) {
          for (let word = 0; word < part.words; word++)
            input[thread * inputWords + part.input + number * part.words + word] = wordOf(bits, word);
        }
        const results = laneFunctions[suite.source.name](suite.modifiers, operands);
        for (const [number, { expected }] of slots.entries())
          expected[thread] = wordOf(results[Math.floor(number / part.words)] ?? 0, number % part.words);
      }
    }
  }
  const names = [...new Set(chosen.map(({ row }) => row))];
  return {
    launch: launchOf(`${names[0]}.${form}`, laneKernelText(layout, threadsOf(block), platform), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputWords),
    ]),
    geometry,
    slots: instructions.flatMap(({ slots }) => slots),
    describe(slot, warp, lane) {
      const suite = chosen.find(({ id }) => id === slot.suite.id);
      if (suite === undefined) return {};
      const operands = operandsOf(suite, seed, warp, lane);
      return Object.fromEntries(sourceNames(suite.source).map((name, index) => [name, hex(operands[index] ?? 0)]));
    },
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
        state: new Uint8Array(threads).fill(state.defined),
      }),
    ),
  );
}

const wordOf = (bits: Bits, word: number): number =>
  typeof bits === 'bigint' ? Number((bits >> BigInt(32 * word)) & 0xffff_ffffn) : word === 0 ? bits >>> 0 : 0;
