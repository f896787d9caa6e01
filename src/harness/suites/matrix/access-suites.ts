// Suites of ldmatrix, stmatrix and movmatrix: matrices of random bits, whose rows are permuted in
// shared memory.
import { type IsaRow, type Mods, matrixRows } from '../../../isa/index.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  warpNumbers,
  warpsOf,
} from '../geometry.ts';
import { warpLanes } from '../lanes.ts';
import { moduleText } from '../module-text.ts';
import { random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { anyInstructionText, modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from '../types.ts';

interface AccessSuite extends Suite {
  readonly source: IsaRow;
  readonly modifiers: Mods;
  readonly matrices: number;
}

const form = 'shared';
const block = [64, 1, 1] as const;
const sampleWarps = 8;
/** The number of bytes of a row, and of all rows of a warp. */
const rowBytes = 16;
const tileBytes = 32 * rowBytes;
/**
 * The number of words of a thread's input: its row of the tile, the number of the row that its
 * address names, and the words that it stores.
 */
const inputWords = 9;
const outputWords = 4;

const accesses: readonly IsaRow[] = matrixRows.filter((row) => row.name.includes('matrix'));
const countOf = ({ num }: Mods): number => Number(num?.slice(1) ?? 1);

/**
 * Returns one suite and one kernel for each choice of modifiers. A default run includes only
 * choices that cover each value of a modifier once.
 */
export function matrixAccessGroups(): SuiteGroup[] {
  return accesses.flatMap((source) => {
    const choices = modChoices(source);
    const first = coveringChoices(choices);
    return choices.map((modifiers): SuiteGroup => {
      const suite = suiteOf(source, modifiers);
      return {
        suites: [suite],
        blockWarps: warpsOf(block),
        warps: { sample: sampleWarps, exhaustive: 16 * sampleWarps },
        launchWarps: 4 * sampleWarps,
        cost: 20,
        ...(first.has(modifiers) ? {} : { onlyAsked: true }),
        build: (choice) => buildBatch(suite, choice),
      };
    });
  });
}

function suiteOf(source: IsaRow, modifiers: Mods): AccessSuite {
  const mods = modsText(source, modifiers);
  const id = suiteId(source.name, mods, form);
  return { id, row: source.name, mods, form, variants: 1, source, modifiers, matrices: countOf(modifiers) };
}

const vector = (name: string, count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `%${name}${index}`).join(', ')}}`;

function instructionOf({ source, modifiers, matrices }: AccessSuite): string {
  const texts =
    source.name === 'movmatrix'
      ? { d: '%d0', a: '%b0' }
      : { a: '[%row]', d: vector('d', matrices), b: vector('b', matrices) };
  return `${anyInstructionText(source, modifiers, texts)};`;
}

function kernelText(suite: AccessSuite): string {
  const { source, modifiers, matrices } = suite;
  const isGeneric = source.where?.space !== undefined && modifiers.space === undefined;
  const results = source.writes.length > 0 ? matrices : 0;
  return moduleText(
    '.param .u64 in, .param .u64 out',
    [
      `.shared .align ${rowBytes} .b8 tile[${(block[0] / 32) * tileBytes}];`,
      '.reg .b32 %t<8>, %b<4>, %d<4>, %v<4>;',
      '.reg .b64 %in, %out, %at, %row, %own;',
      'mov.u32 %t0, %tid.x;',
      'mov.u32 %t1, %ctaid.x;',
      `mad.lo.u32 %t2, %t1, ${block[0]}, %t0;`,
      'ld.param.u64 %in, [in];',
      'ld.param.u64 %out, [out];',
      `mul.wide.u32 %at, %t2, ${4 * inputWords};`,
      'add.s64 %in, %in, %at;',
      `mul.wide.u32 %at, %t2, ${4 * outputWords};`,
      'add.s64 %out, %out, %at;',
      ...warpLanes.slice(0, 4).map((word) => `ld.global.u32 %v${word}, [%in+${4 * word}];`),
      'ld.global.u32 %t3, [%in+16];',
      ...warpLanes.slice(0, 4).map((word) => `ld.global.u32 %b${word}, [%in+${20 + 4 * word}];`),
      'mov.u64 %own, tile;',
      `mul.wide.u32 %at, %t0, ${rowBytes};`,
      'add.s64 %own, %own, %at;',
      'st.shared.v4.u32 [%own], {%v0, %v1, %v2, %v3};',
      // The number of the row to which the lane's address points, among its warp's rows.
      'and.b32 %t4, %t0, 32;',
      'add.u32 %t4, %t4, %t3;',
      'mov.u64 %row, tile;',
      `mul.wide.u32 %at, %t4, ${rowBytes};`,
      'add.s64 %row, %row, %at;',
      ...(isGeneric ? ['cvta.shared.u64 %row, %row;'] : []),
      'bar.sync 0;',
      instructionOf(suite),
      'bar.sync 0;',
      ...(results === 0 ? ['ld.shared.v4.u32 {%d0, %d1, %d2, %d3}, [%own];'] : []),
      ...warpLanes.slice(0, results === 0 ? 4 : results).map((word) => `st.global.u32 [%out+${4 * word}], %d${word};`),
      'ret;',
    ],
    { version: '7.8', target: source.target },
  );
}

/** Returns the input words of a warp's threads. */
function inputsOf(suite: AccessSuite, seed: number, warp: number): readonly Uint32Array[] {
  const rng = random(seed, suite.id, warp);
  const order = [...warpLanes];
  for (let last = order.length - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    const [a = 0, b = 0] = [order[last], order[other]];
    order[last] = b;
    order[other] = a;
  }
  return warpLanes.map((lane) =>
    Uint32Array.from({ length: inputWords }, (_, word) => (word === 4 ? (order[lane] ?? 0) : rng.u32())),
  );
}

/**
 * Returns an element of a matrix in the registers of lanes: columns 2t and 2t + 1 of row r are in
 * lane 4r + t.
 */
const elementOf = (words: (lane: number) => number, row: number, column: number): number =>
  (words(4 * row + (column >> 1)) >>> (16 * (column & 1))) & 0xffff;

/** Packs a matrix's elements into one word for each lane. */
const wordsOf = (element: (row: number, column: number) => number): readonly number[] =>
  warpLanes.map((lane) => {
    const [row, column] = [lane >> 2, 2 * (lane & 3)];
    return (element(row, column) | (element(row, column + 1) << 16)) >>> 0;
  });

/** Returns, for each result word of a thread, the expected words of all lanes. */
function expectedOf(
  { source, modifiers, matrices }: AccessSuite,
  inputs: readonly Uint32Array[],
): readonly (readonly number[])[] {
  const word = (lane: number, index: number): number => inputs[lane]?.[index] ?? 0;
  const isTransposed = source.name === 'movmatrix' || modifiers.trans !== undefined;
  const turned = (element: (row: number, column: number) => number) => (row: number, column: number) =>
    isTransposed ? element(column, row) : element(row, column);
  if (source.name === 'movmatrix') {
    return [wordsOf(turned((row, column) => elementOf((lane) => word(lane, 5), row, column)))];
  }
  const each = Array.from({ length: matrices }, (_, matrix) => matrix);
  if (source.writes.length > 0) {
    return each.map((matrix) =>
      wordsOf(
        turned((row, column) => {
          const place = word(8 * matrix + row, 4);
          return (word(place, column >> 1) >>> (16 * (column & 1))) & 0xffff;
        }),
      ),
    );
  }
  const rows = warpLanes.map((lane) => [0, 1, 2, 3].map((index) => word(lane, index)));
  for (const matrix of each) {
    const element = turned((row, column) => elementOf((lane) => word(lane, 5 + matrix), row, column));
    for (let row = 0; row < 8; row++) {
      rows[word(8 * matrix + row, 4)] = [0, 2, 4, 6].map(
        (column) => (element(row, column) | (element(row, column + 1) << 16)) >>> 0,
      );
    }
  }
  return [0, 1, 2, 3].map((index) => rows.map((row) => row[index] ?? 0));
}

function buildBatch(suite: AccessSuite, { firstWarp, warps, seed }: Choice): Batch {
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const input = new Uint32Array(threads * inputWords);
  const results = suite.source.writes.length > 0 ? suite.matrices : outputWords;
  const slots = Array.from(
    { length: results },
    (_, word): Slot => ({
      suite,
      variant: 0,
      instruction: instructionOf(suite),
      result: suite.source.writes.length > 0 ? `d${word}` : `row ${word}`,
      param: 1,
      stride: outputWords,
      offset: word,
      expected: new Uint32Array(threads),
      state: everyDefined(threads),
    }),
  );
  for (const warp of warpNumbers(geometry)) {
    const inputs = inputsOf(suite, seed, warp);
    const expected = expectedOf(suite, inputs);
    for (const lane of warpLanes) {
      const thread = threadAt(geometry, warp, lane);
      if (thread === undefined) continue;
      input.set(inputs[lane] ?? [], thread * inputWords);
      slots.forEach((slot, word) => {
        slot.expected[thread] = expected[word]?.[lane] ?? 0;
      });
    }
  }
  return {
    launch: launchOf(`${suite.row}.${form}`, kernelText(suite), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputWords),
    ]),
    geometry,
    slots,
    describe(_slot, warp, lane) {
      const words = inputsOf(suite, seed, warp)[lane] ?? new Uint32Array();
      return { row: hex(words[4] ?? 0), stored: [...words.subarray(5)].map(hex).join(' ') };
    },
  };
}
