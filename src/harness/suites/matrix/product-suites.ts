// Suites for matrix products: each form of `mma`, with elements that identify themselves, small
// integers, random numbers and edge values.
import { elementBounds, multiplyMatrices } from '../../../cpu-ref/index.ts';
import {
  fragmentVectors,
  fragmentWords,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  matrixForm,
} from '../../../isa/fragments.ts';
import {
  type IsaRow,
  laterDemands,
  type MmaRowName,
  type Mods,
  matrixRows,
  type WmmaProductName,
  wmmaRows,
} from '../../../isa/index.ts';
import type { VectorType } from '../../../isa/row.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadsOfWarp,
  warpNumbers,
  warpsOf,
} from '../geometry.ts';
import { allLanes, warpLanes } from '../lanes.ts';
import { moduleText } from '../module-text.ts';
import { random } from '../random.ts';
import { coveringChoices } from '../rows/cover-choices.ts';
import { anyInstructionText, modChoices, modsText } from '../rows/instruction-text.ts';
import { suiteId } from '../suite-id.ts';
import { type Batch, type Choice, hex, type Suite, type SuiteGroup } from '../types.ts';
import { type BoundedSlot, boundedSlot } from './bounded-slot.ts';
import { contents, productWords } from './product-values.ts';
import { sparsitySources, withSelector } from './selectors.ts';

type MmaRow = IsaRow & { readonly name: MmaRowName | WmmaProductName };

interface ProductSuite extends Suite {
  readonly source: MmaRow;
  readonly modifiers: Mods;
  readonly matrix: MatrixForm;
}

const form = 'warp';
const block = [64, 1, 1] as const;
const sampleWarps = 2 * contents.length;
const kernelSuites = 3;

const rows: readonly MmaRow[] = [...matrixRows, ...wmmaRows].flatMap((row): MmaRow[] => (isProduct(row) ? [row] : []));
function isProduct(row: IsaRow): row is MmaRow {
  return row.name.startsWith('mma.') || row.name.startsWith('wmma.mma.');
}

/**
 * Returns the groups. A default run includes choices that cover each value of a row's modifiers
 * once. The other choices run on request.
 */
export function productGroups(): SuiteGroup[] {
  return rows.flatMap((row) => {
    const choices = modChoices(row).filter((mods) => objectionTo(row, mods) === undefined);
    const first = coveringChoices(choices);
    return [choices.filter((mods) => first.has(mods)), choices.filter((mods) => !first.has(mods))].flatMap(
      (list, index) =>
        inKernels(
          list.map((mods, at) => suiteOf(row, withSelector(mods, at))),
          index === 1,
        ),
    );
  });
}

function suiteOf(row: MmaRow, modifiers: Mods): ProductSuite {
  const mods = modsText(row, modifiers);
  return {
    id: suiteId(row.name, mods, form),
    row: row.name,
    mods,
    form,
    variants: 1,
    source: row,
    modifiers,
    matrix: matrixForm(modifiers),
  };
}

function inKernels(suites: readonly ProductSuite[], onlyAsked: boolean): SuiteGroup[] {
  return Array.from({ length: Math.ceil(suites.length / kernelSuites) }, (_, index): SuiteGroup => {
    const chosen = suites.slice(index * kernelSuites, (index + 1) * kernelSuites);
    return {
      suites: chosen,
      blockWarps: warpsOf(block),
      warps: { sample: sampleWarps, exhaustive: 16 * sampleWarps },
      launchWarps: 4 * sampleWarps,
      cost: 100,
      ...(onlyAsked ? { onlyAsked } : {}),
      build: (choice) => buildBatch(chosen, choice),
    };
  });
}

/**
 * An instruction of the kernel, and the offsets of its operands and results in a thread's records.
 */
interface Part {
  readonly suite: ProductSuite;
  readonly vectors: Readonly<Record<MatrixOperand, VectorType>>;
  readonly input: number;
  readonly output: number;
  readonly lines: readonly string[];
  readonly instruction: string;
}

const operands = ['a', 'b', 'c'] as const;

function partsOf(suites: readonly ProductSuite[]): {
  readonly parts: readonly Part[];
  readonly inputs: number;
  readonly outputs: number;
} {
  let [inputs, outputs] = [0, 0];
  const parts = suites.map((suite, number): Part => {
    const vectors = fragmentVectors(suite.modifiers);
    const [input, output] = [inputs, outputs];
    const lines: string[] = [];
    const registers = (operand: 'a' | 'b' | 'c' | 'd') => {
      const { type, count } = vectors[operand];
      const base = `%${operand}${number}_`;
      lines.push(`.reg .${type} ${base}<${count}>;`);
      return Array.from({ length: count }, (_, index) => `${base}${index}`);
    };
    const texts: Record<string, string> = {};
    for (const operand of operands) {
      const names = registers(operand);
      const { type } = vectors[operand];
      const bytes = type === 'f64' ? 8 : 4;
      lines.push(...names.map((name, index) => `ld.global.${type} ${name}, [%in+${4 * inputs + bytes * index}];`));
      inputs += fragmentWords(suite.matrix, operand);
      texts[operand] = `{${names.join(', ')}}`;
      if (operand !== 'a' || suite.modifiers.selector === undefined) continue;
      // The metadata follow the registers of A.
      texts.e = `%e${number}`;
      texts.f = suite.modifiers.selector;
      lines.push(`.reg .b32 ${texts.e};`, `ld.global.b32 ${texts.e}, [%in+${4 * (inputs - 1)}];`);
    }
    const results = registers('d');
    texts.d = `{${results.join(', ')}}`;
    const instruction = `${anyInstructionText(suite.source, suite.modifiers, texts)};`;
    lines.push(instruction);
    const bytes = vectors.d.type === 'f64' ? 8 : 4;
    lines.push(
      ...results.map((name, index) => `st.global.${vectors.d.type} [%out+${4 * outputs + bytes * index}], ${name};`),
    );
    // A result that is a pair of words needs an even offset.
    outputs += fragmentWords(suite.matrix, 'd');
    return { suite, vectors, input, output, lines, instruction };
  });
  return { parts, inputs: inputs + (inputs % 2), outputs: outputs + (outputs % 2) };
}

const newest = (suites: readonly ProductSuite[], of: (row: Pick<IsaRow, 'ptx' | 'target'>) => string): string =>
  suites
    .flatMap(({ source, modifiers }) => [source, ...laterDemands(source, modifiers)])
    .map(of)
    .reduce((a, b) => (Number(a.replace(/\D/g, '')) >= Number(b.replace(/\D/g, '')) ? a : b));

function kernelText(parts: readonly Part[], inputs: number, outputs: number): string {
  const suites = parts.map(({ suite }) => suite);
  const platform = { version: newest(suites, ({ ptx }) => ptx), target: newest(suites, ({ target }) => target) };
  return moduleText(
    '.param .u64 in, .param .u64 out',
    [
      '.reg .b32 %t<4>;',
      '.reg .b64 %in, %out, %at;',
      'mov.u32 %t0, %tid.x;',
      'mov.u32 %t1, %ctaid.x;',
      `mad.lo.u32 %t2, %t1, ${block[0]}, %t0;`,
      'ld.param.u64 %in, [in];',
      'ld.param.u64 %out, [out];',
      `mul.wide.u32 %at, %t2, ${4 * inputs};`,
      'add.s64 %in, %in, %at;',
      `mul.wide.u32 %at, %t2, ${4 * outputs};`,
      'add.s64 %out, %out, %at;',
      ...parts.flatMap(({ lines }) => lines),
      'ret;',
    ],
    platform,
  );
}

function buildBatch(suites: readonly ProductSuite[], { ids, firstWarp, warps, seed }: Choice): Batch {
  const { parts, inputs, outputs } = partsOf(suites.filter(({ id }) => ids.has(id)));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const input = new Uint32Array(threads * inputs);
  const slots = parts.flatMap((part) => {
    const own = slotsOf(part, outputs, threads);
    for (const warp of warpNumbers(geometry)) fillWarp(part, own, geometry, warp, seed, input, inputs);
    return own;
  });
  return {
    launch: launchOf(`${parts[0]?.suite.row}.${form}`, kernelText(parts, inputs, outputs), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputs),
    ]),
    geometry,
    slots,
    describe(slot, warp, lane) {
      const suite = suites.find(({ id }) => id === slot.suite.id);
      return suite === undefined ? {} : describeLane(suite, wordsOf(suite, seed, warp)[lane] ?? new Uint32Array());
    },
  };
}

/** Returns the words of a warp's matrices. They depend only on the suite, the seed and the warp. */
function wordsOf({ id, matrix }: ProductSuite, seed: number, warp: number): readonly Uint32Array[] {
  const what = contents[warp % contents.length] ?? 'whole';
  return productWords(matrix, what, Math.floor(warp / contents.length), random(seed, id, warp));
}

function describeLane({ matrix }: ProductSuite, words: Uint32Array): Readonly<Record<string, string>> {
  let first = 0;
  return Object.fromEntries(
    operands.map((operand) => {
      const own = words.subarray(first, first + fragmentWords(matrix, operand));
      first += own.length;
      return [operand, [...own].map(hex).join(' ')];
    }),
  );
}

function slotsOf({ suite, output, instruction }: Part, stride: number, threads: number): BoundedSlot[] {
  return Array.from({ length: fragmentWords(suite.matrix, 'd') }, (_, word) =>
    boundedSlot(
      { suite, instruction, result: `d${word}`, param: 1, stride, offset: output + word },
      suite.modifiers,
      threads,
    ),
  );
}

function fillWarp(
  part: Part,
  slots: readonly BoundedSlot[],
  geometry: Geometry,
  warp: number,
  seed: number,
  input: Uint32Array,
  stride: number,
): void {
  const { suite } = part;
  const { matrix, modifiers } = suite;
  const words = wordsOf(suite, seed, warp);
  const sources: Record<string, Uint32Array | BigUint64Array> = { ...sparsitySources(matrix, words) };
  let first = 0;
  for (const operand of operands) {
    const { type, count } = part.vectors[operand];
    for (let index = 0; index < count; index++) {
      const wordAt = (lane: number, word: number) => words[lane]?.[first + word] ?? 0;
      sources[`${operand}.${index}`] =
        type === 'f64'
          ? BigUint64Array.from(
              warpLanes,
              (lane) => (BigInt(wordAt(lane, 2 * index + 1)) << 32n) | BigInt(wordAt(lane, 2 * index)),
            )
          : Uint32Array.from(warpLanes, (lane) => wordAt(lane, index));
    }
    first += fragmentWords(matrix, operand);
  }
  const state = { active: allLanes, exited: 0, sources };
  const result = multiplyMatrices.hopper(modifiers, state);
  const bounds = elementBounds(modifiers, state);
  const each = matrix.types.d === 'f64' ? 2 : 1;
  const elements = laneElements(matrix, 'd');
  const { first: firstThread, lanes } = threadsOfWarp(geometry, warp);
  for (let lane = 0; lane < lanes; lane++) {
    input.set(words[lane] ?? [], (firstThread + lane) * stride + part.input);
  }
  slots.forEach(({ expected, bounds: own }, word) => {
    const register = Math.floor(word / each);
    const values = result.results[`d.${register}`];
    const packed = own.length / expected.length;
    for (let lane = 0; lane < lanes; lane++) {
      const thread = firstThread + lane;
      const value = values?.[lane] ?? 0;
      expected[thread] = typeof value === 'bigint' ? Number((value >> BigInt(32 * (word % 2))) & 0xffff_ffffn) : value;
      for (let index = 0; index < packed; index++) {
        own[thread * packed + index] = bounds?.[lane * elements + register * packed + index];
      }
    }
  });
}
