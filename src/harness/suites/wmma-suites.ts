// The suites of wmma.load and wmma.store: random bits in every element of every matrix, layout and
// state space. PTX does not define which lane holds which element; the reference follows NVIDIA's
// GPUs since sm_80.

import { effectsOf, type IsaRow, type Mods, wmmaRows } from '../../isa/index.ts';
import { vectorType } from '../../isa/match.ts';
import {
  type WmmaLayout,
  wmmaElement,
  wmmaExtent,
  wmmaLayout,
  wmmaMatrix,
  wmmaStride,
} from '../../isa/wmma-fragments.ts';
import { objectionTo } from '../../ptx/checks/constraints.ts';
import { type Geometry, inputBuffer, launchOf, launchThreads, outputBuffer, warpNumbers, warpsOf } from './geometry.ts';
import { warpLanes } from './lanes.ts';
import { moduleText } from './module-text.ts';
import { random } from './random.ts';
import { anyInstructionText, modChoices, modsText } from './rows/instruction-text.ts';
import { suiteId } from './suite-id.ts';
import { type Batch, type Choice, hex, type Slot, type Suite, type SuiteGroup, state } from './types.ts';

/** The state spaces of the address. */
const forms = ['global', 'shared', 'generic'] as const;
type Form = (typeof forms)[number];

interface WmmaSuite extends Suite {
  readonly isaRow: IsaRow;
  readonly modifiers: Mods;
  readonly form: Form;
  readonly isLoad: boolean;
  readonly layout: WmmaLayout;
  /** The number of a lane's registers. */
  readonly registers: number;
  readonly registerType: string;
  /** The number of elements from one row, or column, to the next. */
  readonly stride: number;
  /**
   * The number of words of the matrix in memory, including gaps; a multiple of 32, so that each
   * lane has the same number of words.
   */
  readonly matrixWords: number;
}

const block = [64, 1, 1] as const;
/**
 * The maximum number of suites in a kernel. The number is small because each suite needs a buffer
 * for its results.
 */
const kernelSuites = 6;
const gapBytes = 32;

function suitesOf(row: IsaRow): WmmaSuite[] {
  const choices = modChoices(row).filter((mods) => mods.space === undefined && objectionTo(row, mods) === undefined);
  return choices.flatMap((modifiers) => forms.map((form) => suiteOf(row, modifiers, form)));
}

function suiteOf(isaRow: IsaRow, modifiers: Mods, form: Form): WmmaSuite {
  const { shape, type = '', layout: order } = modifiers;
  const mods = modsText(isaRow, modifiers);
  const isLoad = isaRow.writes.length > 0;
  const matrix = wmmaMatrix(modifiers.matrix);
  const own = wmmaLayout(matrix, shape, type);
  const { bits } = own;
  const vector = vectorType(isaRow, isLoad ? 'd' : 'b', modifiers);
  const tight = wmmaStride(matrix, shape, order);
  const stride = form === 'global' ? tight + (gapBytes * 8) / bits : tight;
  const { rows, columns } = wmmaExtent(matrix, shape);
  return {
    id: suiteId(isaRow.name, mods, form),
    row: isaRow.name,
    mods,
    form,
    variants: 1,
    isaRow,
    modifiers: form === 'generic' ? modifiers : { ...modifiers, space: form },
    isLoad,
    layout: own,
    registers: vector.count,
    registerType: vector.type,
    stride,
    matrixWords: ((order === 'row' ? rows : columns) * stride * bits) / 32,
  };
}

export function wmmaSuiteGroups(): SuiteGroup[] {
  const rows: readonly IsaRow[] = wmmaRows;
  return rows
    .filter((row) => effectsOf(row, {}).memory !== 'none')
    .flatMap((row) => {
      const suites = suitesOf(row);
      const count = Math.ceil(suites.length / kernelSuites);
      return Array.from({ length: count }, (_, index) =>
        groupOf(suites.slice(index * kernelSuites, (index + 1) * kernelSuites)),
      );
    });
}

function groupOf(suites: readonly WmmaSuite[]): SuiteGroup {
  return {
    suites,
    blockWarps: warpsOf(block),
    warps: { sample: 8, exhaustive: 64 },
    launchWarps: 64,
    cost: 20,
    build: (choice) => buildBatch(suites, choice),
  };
}

const registerWords = ({ registerType }: WmmaSuite): number => (registerType === 'f64' ? 2 : 1);
const fragmentWords = (suite: WmmaSuite): number => suite.registers * registerWords(suite);
/** Returns the number of words that each lane reads. */
const sourceWords = (suite: WmmaSuite): number => (suite.isLoad ? suite.matrixWords / 32 : fragmentWords(suite));
const resultWords = (suite: WmmaSuite): number => (suite.isLoad ? fragmentWords(suite) : suite.matrixWords / 32);

/**
 * Calls a function for each run of bits that a lane's registers share with the matrix in memory,
 * with the run's offsets in both.
 */
function forEachElement(
  { layout, modifiers, stride, registerType }: WmmaSuite,
  lane: number,
  visit: (inFragment: number, inMatrix: number) => void,
): void {
  const { bits } = layout;
  const width = registerType === 'f64' ? 64 : 32;
  for (const position of layout.positions.keys()) {
    const { row, column } = wmmaElement(layout, lane, position);
    const place = modifiers.layout === 'row' ? row * stride + column : column * stride + row;
    const register = Math.floor(position / layout.packed);
    visit(register * width + (position % layout.packed) * bits, place * bits);
  }
}

/** Copies `count` bits, which are either within one word or whole words. */
function copyBits(from: Uint32Array, start: number, to: Uint32Array, end: number, count: number): void {
  for (let done = 0; done < count; done += 32) {
    const [source, target] = [start + done, end + done];
    const mask = count < 32 ? 2 ** count - 1 : 0xffff_ffff;
    const bits = ((from[source >>> 5] ?? 0) >>> (source & 31)) & mask;
    to[target >>> 5] = ((to[target >>> 5] ?? 0) & ~(mask << (target & 31))) | (bits << (target & 31));
  }
}

function buildBatch(suites: readonly WmmaSuite[], { ids, firstWarp, warps, seed }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const starts = chosen.map(
    (_, index) => 32 * chosen.slice(0, index).reduce((sum, each) => sum + sourceWords(each), 0),
  );
  const inputWords = 32 * chosen.reduce((sum, each) => sum + sourceWords(each), 0);
  const input = new Uint32Array((threads / 32) * inputWords);
  const slots = chosen.map((suite, index) =>
    Array.from(
      { length: resultWords(suite) },
      (_, word): Slot => ({
        suite,
        variant: 0,
        instruction: `${textOf(suite, index)};`,
        result: suite.isLoad ? `d.${word}` : `word ${word}`,
        param: 1 + index,
        stride: resultWords(suite),
        offset: word,
        expected: new Uint32Array(threads),
        state: new Uint8Array(threads).fill(suite.isLoad ? state.defined : state.untouched),
      }),
    ),
  );
  for (const warp of warpNumbers(geometry)) {
    const index = warp - firstWarp;
    chosen.forEach((suite, number) => {
      const rng = random(seed, suite.id, warp);
      const source = Uint32Array.from({ length: 32 * sourceWords(suite) }, () => rng.u32());
      input.set(source, index * inputWords + (starts[number] ?? 0));
      const words = resultWords(suite);
      const result = new Uint32Array(32 * words);
      const written = new Uint32Array(32 * words);
      const ones = new Uint32Array(source.length).fill(0xffff_ffff);
      for (const lane of warpLanes) {
        const fragment = lane * fragmentWords(suite) * 32;
        forEachElement(suite, lane, (own, inMatrix) => {
          const [from, to] = suite.isLoad ? [inMatrix, fragment + own] : [fragment + own, inMatrix];
          copyBits(source, from, result, to, suite.layout.bits);
          copyBits(ones, from, written, to, suite.layout.bits);
        });
      }
      result.forEach((bits, at) => {
        const slot = slots[number]?.[at % words];
        if (slot === undefined || written[at] === 0) return;
        const thread = index * 32 + Math.floor(at / words);
        slot.expected[thread] = bits;
        slot.state[thread] = state.defined;
      });
    });
  }
  const buffers = chosen.map((suite, index) => outputBuffer(`out${index}`, threads * resultWords(suite)));
  return {
    launch: launchOf(chosen[0]?.row ?? '', kernelText(chosen, starts, inputWords), geometry, [
      inputBuffer('in', input),
      ...buffers,
    ]),
    geometry,
    slots: slots.flat(),
    describe(slot, warp) {
      return { 'first word': hex(random(seed, slot.suite.id, warp).u32()) };
    },
  };
}

const fragmentOf = ({ registers }: WmmaSuite, index: number): readonly string[] =>
  Array.from({ length: registers }, (_, register) => `%f${index}_${register}`);

function textOf(suite: WmmaSuite, index: number): string {
  const fragment = `{${fragmentOf(suite, index).join(', ')}}`;
  const operands = {
    [suite.isLoad ? 'd' : 'b']: fragment,
    a: suite.form === 'shared' ? '[%sh]' : '[%m]',
    ...(suite.form === 'global' ? { stride: '%stride' } : {}),
  };
  return anyInstructionText(suite.isaRow, suite.modifiers, operands);
}

/** Emits a copy of each lane's words of a matrix. */
const copied = (words: number, load: string, store: string): string[] =>
  Array.from({ length: words }, (_, word) => [`${load}+${word * 4}];`, `${store}+${word * 4}], %word;`]).flat();

function suiteText(suite: WmmaSuite, index: number, start: number): string[] {
  const { isLoad, form, matrixWords, registerType, registers, stride } = suite;
  const [own, result] = [sourceWords(suite) * 4, resultWords(suite) * 4];
  const bytes = registerType === 'f64' ? 8 : 4;
  const perLane = matrixWords / 32;
  const shared = form === 'shared';
  const fragment = fragmentOf(suite, index);
  const operation = [...(form === 'global' ? [`mov.u32 %stride, ${stride};`] : []), `${textOf(suite, index)};`];
  // Emit the address of a warp's matrix.
  const matrixAt = (base: string): string[] => [
    `mul.wide.u32 %offset, %warp, ${matrixWords * 4};`,
    `add.s64 %m, ${base}, %offset;`,
    ...(form === 'generic' ? ['cvta.global.u64 %m, %m;'] : []),
  ];
  const inShared = shared
    ? [
        `.shared .align 32 .b8 sh${index}[${matrixWords * 4 * warpsOf(block)}];`,
        `mov.u32 %sh, sh${index};`,
        `mad.lo.u32 %sh, %inBlock, ${matrixWords * 4}, %sh;`,
        `mad.lo.u32 %mine, %lane, ${perLane * 4}, %sh;`,
      ]
    : [];
  const lines = [
    `.reg .${registerType} ${fragment.join(', ')};`,
    ...inShared,
    `ld.param.u64 %to, [p_out${index}];`,
    'cvta.to.global.u64 %to, %to;',
    // Compute the addresses of the lane's words of the source and of the result.
    `mad.wide.u32 %from, %lane, ${own}, %in;`,
    `mad.wide.u32 %result, %thread, ${result}, %to;`,
    ...(start === 0 ? [] : [`add.s64 %from, %from, ${start * 4};`]),
  ];
  if (isLoad) {
    const source = shared
      ? [...copied(perLane, 'ld.global.b32 %word, [%from', 'st.shared.b32 [%mine'), 'bar.warp.sync -1;']
      : [`add.s64 %m, %in, ${start * 4};`, ...(form === 'generic' ? ['cvta.global.u64 %m, %m;'] : [])];
    return [
      ...lines,
      ...source,
      ...operation,
      ...fragment.map((name, register) => `st.global.${registerType} [%result+${register * bytes}], ${name};`),
    ];
  }
  const sources = Array.from(
    { length: registers },
    (_, register) => `ld.global.${registerType} ${fragment[register]}, [%from+${register * bytes}];`,
  );
  if (!shared) return [...lines, ...sources, ...matrixAt('%to'), ...operation];
  return [
    ...lines,
    ...sources,
    ...operation,
    'bar.warp.sync -1;',
    ...copied(perLane, 'ld.shared.b32 %word, [%mine', 'st.global.b32 [%result'),
  ];
}

function kernelText(suites: readonly WmmaSuite[], starts: readonly number[], inputWords: number): string {
  const body = [
    '.reg .b64 %in, %from, %to, %result, %m, %offset;',
    '.reg .b32 %thread, %t, %warp, %inBlock, %lane, %sh, %mine, %word, %stride;',
    'mov.u32 %t, %ctaid.x;',
    'mov.u32 %lane, %tid.x;',
    `mad.lo.u32 %thread, %t, ${block[0]}, %lane;`,
    'shr.u32 %inBlock, %lane, 5;',
    'and.b32 %lane, %lane, 31;',
    'shr.u32 %warp, %thread, 5;',
    'ld.param.u64 %in, [p_in];',
    'cvta.to.global.u64 %in, %in;',
    `mul.wide.u32 %offset, %warp, ${inputWords * 4};`,
    'add.s64 %in, %in, %offset;',
    ...suites.flatMap((suite, index) => suiteText(suite, index, starts[index] ?? 0)),
    'ret;',
  ];
  const parameters = ['.param .u64 p_in', ...suites.map((_, index) => `.param .u64 p_out${index}`)].join(', ');
  return moduleText(parameters, body, { version: '7.8', target: 'sm_80' });
}
