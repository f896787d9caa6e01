// Suites of the products of warpgroups (`wgmma`): each form, with A in registers or in shared
// memory, and random layouts. A block is a warpgroup.
import { alignUp } from '../../../base/align.ts';
import { at, missing } from '../../../base/invariants.ts';
import { elementBounds, multiplyMatrices } from '../../../cpu-ref/index.ts';
import { alongBytes, elementAddress, unitBytes } from '../../../cpu-ref/matrix/shared-matrix.ts';
import {
  elementBits,
  fragmentWords,
  laneElements,
  type MatrixForm,
  matrixForm,
  registerCount,
} from '../../../isa/fragments.ts';
import { type IsaRow, type Mods, wgmmaRows } from '../../../isa/index.ts';
import { groupWarps } from '../../../isa/limits.ts';
import { vectorType } from '../../../isa/match.ts';
import { columnsOf, partMods } from '../../../isa/wgmma.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { type Geometry, inputBuffer, launchOf, launchThreads, outputBuffer } from '../geometry.ts';
import { allLanes, warpLanes } from '../lanes.ts';
import { moduleText } from '../module-text.ts';
import { random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { anyInstructionText, modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import type { Batch, Choice, Suite, SuiteGroup } from '../types.ts';
import { type BoundedSlot, boundedSlot } from './bounded-slot.ts';
import { contents, productWords } from './product-values.ts';
import { sparsitySources, withSelector } from './selectors.ts';
import { descriptorBits, drawLayout, type SharedLayout, sharedSize } from './shared-layout.ts';

interface WarpgroupSuite extends Suite {
  readonly source: IsaRow;
  readonly modifiers: Mods;
  /** The product of 16 rows and 8 columns. */
  readonly part: Mods;
  readonly matrix: MatrixForm;
  /** The number of such products of a warp. */
  readonly parts: number;
}

const threads = 32 * groupWarps;
const rowsOfA = 64;
/** The memory of A, in bytes. */
const roomOfA = 8192;
/** The largest number of columns of B. */
const maxColumns = 256;
const sharedAlign = 1024;

/** The rows that multiply. */
export const warpgroupRows: readonly IsaRow[] = wgmmaRows.filter(({ types }: IsaRow) => types.scaled !== undefined);

/**
 * Returns one suite and one kernel for each choice of modifiers. A default run includes the choices
 * with eight columns that cover the other modifiers.
 */
export function warpgroupGroups(): SuiteGroup[] {
  return warpgroupRows.flatMap((source) => {
    const choices = modChoices(source).filter((mods) => objectionTo(source, mods) === undefined);
    const first = coveringChoices(choices.filter((mods) => columnsOf(mods) === 8));
    return choices.map((modifiers, index): SuiteGroup => {
      const suite = suiteOf(source, modifiers, index % 2 === 0 ? 'registers' : 'shared');
      return {
        suites: [suite],
        blockWarps: groupWarps,
        warps: { sample: groupWarps * contents.length, exhaustive: groupWarps * contents.length },
        launchWarps: groupWarps * contents.length,
        cost: 100 * suite.parts,
        ...(first.has(modifiers) ? {} : { onlyAsked: true }),
        build: (choice) => buildBatch(suite, choice),
      };
    });
  });
}

function suiteOf(source: IsaRow, modifiers: Mods, form: string): WarpgroupSuite {
  const mods = modsText(source, modifiers);
  const parts = columnsOf(modifiers) / 8;
  const part = withSelector(partMods(modifiers), parts);
  const id = suiteId(source.name, mods, form);
  return { id, row: source.name, mods, form, variants: 1, source, modifiers, part, matrix: matrixForm(part), parts };
}

/** The constants of a kernel. */
interface Constants {
  /** Undefined if A is in registers. */
  readonly a: SharedLayout | undefined;
  readonly b: SharedLayout;
  readonly isNegated: { readonly a: boolean; readonly b: boolean };
}

function constantsOf({ id, form, source, matrix, parts }: WarpgroupSuite, seed: number): Constants {
  const rng = random(seed, id);
  const isKMajor = () => source.types.transb === undefined || rng.chance(0.5);
  const a = form === 'registers' ? undefined : drawLayout(sharedSize(matrix, 'a', rowsOfA), isKMajor(), roomOfA, rng);
  // Any B fits beside A: 16 KiB are enough for both, or 24 KiB if A is sparse.
  const room = roomOfA + maxColumns * alongBytes(matrix, 'b') - alignUp(a?.bytes ?? 0, sharedAlign);
  const b = drawLayout(sharedSize(matrix, 'b', 8 * parts), isKMajor(), room, rng);
  const isSigned = source.types.signa !== undefined;
  return { a, b, isNegated: { a: isSigned && rng.chance(0.3), b: isSigned && rng.chance(0.3) } };
}

/** Returns the place of B in shared memory, which follows A. */
const startOfB = ({ a }: Constants): number => alignUp(a?.bytes ?? 0, sharedAlign);

const vector = (name: string, count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `%${name}${index}`).join(', ')}}`;

function instructionOf({ source, modifiers, form, part }: WarpgroupSuite, { a, b, isNegated }: Constants): string {
  const { count } = vectorType(source, 'd', modifiers);
  const major = (layout: SharedLayout) => (layout.isKMajor ? '0' : '1');
  const signs =
    source.types.signa === undefined ? {} : { signa: isNegated.a ? '-1' : '1', signb: isNegated.b ? '-1' : '1' };
  const orders =
    source.types.transb === undefined ? {} : { ...(a === undefined ? {} : { transa: major(a) }), transb: major(b) };
  const factor = form === 'registers' ? vector('a', 4) : '%desca';
  const sparsity = part.selector === undefined ? {} : { e: '%e', f: part.selector };
  const texts = { d: vector('d', count), a: factor, b: '%descb', ...sparsity, scaled: '%scaled', ...signs, ...orders };
  return `${anyInstructionText(source, modifiers, texts)};`;
}

/** Returns code that makes a descriptor of a matrix at `place` of shared memory. */
const descriptorText = (name: string, { descriptor }: SharedLayout, place: number): readonly string[] => [
  'mov.u32 %w, memory;',
  `add.u32 %w, %w, ${place + descriptor.start};`,
  'and.b32 %w, %w, 0x3ffff;',
  'shr.u32 %w, %w, 4;',
  `cvt.u64.u32 ${name}, %w;`,
  `or.b64 ${name}, ${name}, 0x${descriptorBits(descriptor).toString(16)};`,
];

const usedBytes = (constants: Constants): number => alignUp(startOfB(constants) + constants.b.bytes, 4 * threads);
/** A thread's words of input: A with its metadata, then D, then whether D is added. */
const inputWords = ({ source, modifiers, matrix }: WarpgroupSuite): number =>
  fragmentWords(matrix, 'a') + vectorType(source, 'd', modifiers).count + 1;

function kernelText(suite: WarpgroupSuite, constants: Constants): string {
  const { source, modifiers, form, matrix, part } = suite;
  const { type, count } = vectorType(source, 'd', modifiers);
  const sums = fragmentWords(matrix, 'a');
  const [bytes, words] = [usedBytes(constants), inputWords(suite)];
  const numbers = Array.from({ length: count }, (_, index) => index);
  return moduleText(
    '.param .u64 memory_in, .param .u64 in, .param .u64 out',
    [
      `.shared .align ${sharedAlign} .b8 memory[${bytes}];`,
      `.reg .b32 %t, %n, %i, %w, %to, %e, %a<4>;`,
      `.reg .${type} %d<${count}>;`,
      '.reg .b64 %memory, %in, %out, %wide, %desca, %descb;',
      '.reg .pred %scaled, %more;',
      'mov.u32 %t, %tid.x;',
      'mov.u32 %n, %ctaid.x;',
      'ld.param.u64 %memory, [memory_in];',
      `mul.wide.u32 %wide, %n, ${bytes};`,
      'add.s64 %memory, %memory, %wide;',
      `mad.lo.u32 %n, %n, ${threads}, %t;`,
      'ld.param.u64 %in, [in];',
      `mul.wide.u32 %wide, %n, ${4 * words};`,
      'add.s64 %in, %in, %wide;',
      'ld.param.u64 %out, [out];',
      `mul.wide.u32 %wide, %n, ${4 * count};`,
      'add.s64 %out, %out, %wide;',
      'shl.b32 %i, %t, 2;',
      'FILL:',
      'cvt.u64.u32 %wide, %i;',
      'add.s64 %wide, %memory, %wide;',
      'ld.global.u32 %w, [%wide];',
      'mov.u32 %to, memory;',
      'add.u32 %to, %to, %i;',
      'st.shared.u32 [%to], %w;',
      `add.u32 %i, %i, ${4 * threads};`,
      `setp.lt.u32 %more, %i, ${bytes};`,
      '@%more bra FILL;',
      ...(form === 'registers' ? [0, 1, 2, 3].map((word) => `ld.global.u32 %a${word}, [%in+${4 * word}];`) : []),
      ...(part.selector === undefined ? [] : [`ld.global.u32 %e, [%in+${4 * (sums - 1)}];`]),
      ...numbers.map((word) => `ld.global.${type} %d${word}, [%in+${4 * (sums + word)}];`),
      `ld.global.u32 %w, [%in+${4 * (words - 1)}];`,
      'setp.ne.u32 %scaled, %w, 0;',
      ...(constants.a === undefined ? [] : descriptorText('%desca', constants.a, 0)),
      ...descriptorText('%descb', constants.b, startOfB(constants)),
      'fence.proxy.async.shared::cta;',
      'bar.sync 0;',
      'wgmma.fence.sync.aligned;',
      instructionOf(suite, constants),
      'wgmma.commit_group.sync.aligned;',
      'wgmma.wait_group.sync.aligned 0;',
      ...numbers.map((word) => `st.global.${type} [%out+${4 * word}], %d${word};`),
      'ret;',
    ],
    { version: source.ptx, target: source.target },
  );
}

/** The operands of a block. Words are those of fragments, for each lane. */
interface Operands {
  /** By warp. */
  readonly a: readonly (readonly Uint32Array[])[];
  /** By part. */
  readonly b: readonly (readonly Uint32Array[])[];
  /** By warp, then by part. */
  readonly c: readonly (readonly (readonly Uint32Array[])[])[];
  readonly isScaled: boolean;
  readonly what: string;
}

function operandsOf({ id, matrix, parts }: WarpgroupSuite, seed: number, block: number): Operands {
  const rng = random(seed, id, block);
  const what = contents[block % contents.length] ?? 'whole';
  const [first, second] = [fragmentWords(matrix, 'a'), fragmentWords(matrix, 'a') + fragmentWords(matrix, 'b')];
  const draw = () => productWords(matrix, what, Math.floor(block / contents.length), rng);
  const part = (from: number, to?: number) => draw().map((words) => words.slice(from, to));
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
  return {
    a: times(groupWarps, () => part(0, first)),
    b: times(parts, () => part(first, second)),
    c: times(groupWarps, () => times(parts, () => part(second))),
    isScaled: rng.chance(0.7),
    what,
  };
}

/**
 * Writes the words of a fragment to shared memory: word `index` of a lane holds 4 bytes along K, of
 * the row or column `outerOf(lane, index)`.
 */
function place(
  memory: Uint8Array,
  start: number,
  { descriptor, isKMajor }: SharedLayout,
  words: readonly Uint32Array[],
  bytes: number,
  placeOf: (lane: number, index: number) => readonly [outer: number, byte: number],
): void {
  words.forEach((own, lane) => {
    own.forEach((word, index) => {
      const [outer, first] = placeOf(lane, index);
      for (let byte = 0; byte < 4; byte++) {
        const k = Math.floor((first + byte) / bytes);
        const address = elementAddress(descriptor, isKMajor, outer, k, bytes) + (byte % bytes);
        memory[start + address] = (word >>> (8 * byte)) & 0xff;
      }
    });
  });
}

function memoryOf({ matrix }: WarpgroupSuite, constants: Constants, { a, b }: Operands): Uint8Array {
  const memory = new Uint8Array(usedBytes(constants)).fill(0xa5);
  const bytes = Math.max(elementBits[matrix.types.a] / 8, 1);
  const { a: layout } = constants;
  if (layout !== undefined) {
    a.forEach((words, warp) => {
      const row = (lane: number, index: number) => 16 * warp + 8 * (index % 2) + (lane >> 2);
      const registers = words.map((own) => own.slice(0, registerCount(matrix, 'a')));
      place(memory, 0, layout, registers, bytes, (lane, index) => [
        row(lane, index),
        unitBytes * (index >> 1) + 4 * (lane & 3),
      ]);
    });
  }
  b.forEach((words, part) => {
    const column = (lane: number) => 8 * part + (lane >> 2);
    place(memory, startOfB(constants), constants.b, words, bytes, (lane, index) => [
      column(lane),
      unitBytes * index + 4 * (lane & 3),
    ]);
  });
  return memory;
}

/** Returns a mask of the sign bits of a word of factors. */
function signsOf({ types: { a } }: MatrixForm): number {
  let signs = 0;
  for (let bit = elementBits[a] - 1; bit < 32; bit += elementBits[a]) signs |= 1 << bit;
  return signs >>> 0;
}

function buildBatch(suite: WarpgroupSuite, { firstWarp, warps, seed }: Choice): Batch {
  const geometry: Geometry = { block: [threads, 1, 1], firstWarp, warps };
  const constants = constantsOf(suite, seed);
  const { source, modifiers, part, parts } = suite;
  const { count } = vectorType(source, 'd', modifiers);
  const [all, words, bytes] = [launchThreads(geometry), inputWords(suite), usedBytes(constants)];
  const blocks = all / threads;
  const memory = new Uint8Array(blocks * bytes);
  const input = new Uint32Array(all * words);
  const instruction = instructionOf(suite, constants);
  const slots = Array.from({ length: count }, (_, word) =>
    boundedSlot({ suite, instruction, result: `d${word}`, param: 2, stride: count, offset: word }, part, all),
  );
  const firstBlock = firstWarp / groupWarps;
  for (let block = 0; block < blocks; block++) {
    const operands = operandsOf(suite, seed, firstBlock + block);
    memory.set(memoryOf(suite, constants, operands), block * bytes);
    for (let warp = 0; warp < groupWarps; warp++) {
      const first = block * threads + 32 * warp;
      const a = at(operands.a, warp, 'a warp');
      const c = at(operands.c, warp, 'a warp');
      for (const lane of warpLanes) {
        const own = input.subarray((first + lane) * words, (first + lane + 1) * words);
        own.set(at(a, lane, 'a lane'));
        own.set(
          c.flatMap((lanes) => [...at(lanes, lane, 'a lane')]),
          fragmentWords(suite.matrix, 'a'),
        );
        own[words - 1] = operands.isScaled ? 1 : 0;
      }
      for (let index = 0; index < parts; index++) {
        const own = slots.slice((index * count) / parts, ((index + 1) * count) / parts);
        fillPart(
          suite,
          constants,
          own,
          first,
          a,
          at(operands.b, index, 'a part'),
          operands.isScaled ? at(c, index, 'a part') : undefined,
        );
      }
    }
  }
  return {
    launch: launchOf(`${suite.row}.${suite.form}`, kernelText(suite, constants), geometry, [
      inputBuffer('memory_in', new Uint32Array(memory.buffer)),
      inputBuffer('in', input),
      outputBuffer('out', all * count),
    ]),
    geometry,
    slots,
    describe(_slot, warp) {
      const { what, isScaled } = operandsOf(suite, seed, Math.floor(warp / groupWarps));
      const { a, b } = constants;
      return {
        contents: what,
        scaled: `${isScaled}`,
        a: JSON.stringify(a?.descriptor ?? 'registers'),
        b: JSON.stringify(b.descriptor),
      };
    },
  };
}

/** Computes the words of D of one warp and 8 columns. `c` is undefined if D is not added. */
function fillPart(
  { part, matrix }: WarpgroupSuite,
  { isNegated }: Constants,
  slots: readonly BoundedSlot[],
  firstThread: number,
  a: readonly Uint32Array[],
  b: readonly Uint32Array[],
  c: readonly Uint32Array[] | undefined,
): void {
  const sources: Record<string, Uint32Array> = { ...sparsitySources(matrix, a) };
  const signs = isNegated.a === isNegated.b ? 0 : signsOf(matrix);
  const gather = (name: string, lanes: readonly Uint32Array[] | undefined, number: number, flips = 0) => {
    for (let index = 0; index < number; index++) {
      const wordOf = (lane: number) =>
        lanes === undefined ? 0 : at(at(lanes, lane, 'a lane'), index, 'a word') ^ flips;
      sources[`${name}.${index}`] = Uint32Array.from(warpLanes, wordOf);
    }
  };
  gather('a', a, registerCount(matrix, 'a'), signs);
  gather('b', b, registerCount(matrix, 'b'));
  gather('c', c, registerCount(matrix, 'c'));
  const state = { active: allLanes, exited: 0, sources };
  const { results } = multiplyMatrices.hopper(part, state);
  const bounds = elementBounds(part, state);
  const each = laneElements(matrix, 'd');
  slots.forEach((slot, register) => {
    const values = results[`d.${register}`] ?? missing('a result');
    const packed = slot.bounds.length / slot.expected.length;
    for (const lane of warpLanes) {
      slot.expected[firstThread + lane] = Number(values[lane]);
      for (let index = 0; index < packed; index++)
        slot.bounds[(firstThread + lane) * packed + index] = bounds?.[lane * each + register * packed + index];
    }
  });
}
