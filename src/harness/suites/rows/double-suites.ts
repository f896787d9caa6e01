// The suites of f64: every row and choice of its modifiers, on edges of its operands' types and on random bits. Each lane has operands of its own.

import { type Bits, boundlessRows, laneFunctions } from '../../../cpu-ref/index.ts';
import { type DoubleRowName, doubleRows, type IsaRow, type Mods } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/constraints.ts';
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
import { operandValue } from './double-values.ts';
import { instructionText, modChoices, modsText, operandType, sourceNames } from './instruction-text.ts';

type DoubleRow = IsaRow & { readonly name: DoubleRowName };

interface DoubleSuite extends Suite {
  readonly modifiers: Mods;
}

const form = 'lane';
const block = [64, 1, 1] as const;
/// Instructions of one kernel: f64 arithmetic is much code.
const kernelSuites = 12;
/// Words for an operand or a result.
const words = 2;

const approximated: NativeNote = { runs: true, why: 'the manual bounds no error' };

export function doubleSuiteGroups(): SuiteGroup[] {
  const rows: readonly DoubleRow[] = doubleRows;
  return rows.flatMap((row) => {
    const suites = modChoices(row)
      .filter((mods) => objectionTo(row, mods) === undefined)
      .map((modifiers): DoubleSuite => {
        const mods = modsText(row, modifiers);
        const native = boundlessRows.has(row.name) ? { native: approximated } : {};
        return { id: suiteId(row.name, mods, form), row: row.name, mods, form, variants: 1, modifiers, ...native };
      });
    const count = Math.ceil(suites.length / kernelSuites);
    return Array.from({ length: count }, (_, index) =>
      groupOf(row, suites.slice(index * kernelSuites, (index + 1) * kernelSuites)),
    );
  });
}

function groupOf(row: DoubleRow, suites: readonly DoubleSuite[]): SuiteGroup {
  return {
    suites,
    blockWarps: warpsOf(block),
    warps: { sample: 32, exhaustive: 4096 },
    launchWarps: 512,
    build: (choice) => buildBatch(row, suites, choice),
  };
}

/// Operands of a thread for one instruction; they depend on the suite, the warp and the lane only.
function operandsOf(row: DoubleRow, suite: DoubleSuite, seed: number, warp: number, lane: number): readonly Bits[] {
  const rng = random(seed, suite.id, warp, lane);
  const values: Bits[] = [];
  for (const name of sourceNames(row))
    values.push(operandValue(rng, operandType(row, suite.modifiers, name), values.at(-1)));
  return values;
}

function buildBatch(row: DoubleRow, suites: readonly DoubleSuite[], { ids, firstWarp, warps, seed }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block: [...block], firstWarp, warps };
  const threads = launchThreads(geometry);
  const sources = sourceNames(row);
  const inputWords = chosen.length * sources.length * words;
  const outputWords = chosen.length * row.writes.length * words;
  const input = new Uint32Array(threads * inputWords);
  const slots = chosen.map((suite, index) =>
    row.writes.map((result, number) =>
      Array.from(
        { length: words },
        (_, word): Slot => ({
          suite,
          variant: 0,
          instruction: `${textOf(row, suite, index)};`,
          result: word === 0 ? result : `${result} (upper word)`,
          param: 1,
          stride: outputWords,
          offset: (index * row.writes.length + number) * words + word,
          expected: new Uint32Array(threads),
          state: new Uint8Array(threads).fill(state.defined),
        }),
      ),
    ),
  );
  for (const warp of warpNumbers(geometry)) {
    for (const lane of warpLanes) {
      const thread = threadAt(geometry, warp, lane);
      if (thread === undefined) continue;
      chosen.forEach((suite, index) => {
        const operands = operandsOf(row, suite, seed, warp, lane);
        operands.forEach((bits, number) => {
          const at = thread * inputWords + (index * sources.length + number) * words;
          input.set([wordOf(bits, 0), wordOf(bits, 1)], at);
        });
        const results = laneFunctions[row.name](suite.modifiers, operands);
        slots[index]?.forEach((pair, number) => {
          for (const [word, slot] of pair.entries()) slot.expected[thread] = wordOf(results[number] ?? 0, word);
        });
      });
    }
  }
  return {
    launch: launchOf(`${row.name}.${form}`, kernelText(row, chosen), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads * outputWords),
    ]),
    geometry,
    slots: slots.flat(2),
    describe(slot, warp, lane) {
      const suite = chosen.find(({ id }) => id === slot.suite.id);
      if (suite === undefined) return {};
      const operands = operandsOf(row, suite, seed, warp, lane);
      return Object.fromEntries(sources.map((name, index) => [name, hex(operands[index] ?? 0)]));
    },
  };
}

const wordOf = (bits: Bits, word: number): number => Number((BigInt(bits) >> BigInt(32 * word)) & 0xffff_ffffn);

/// A register for each operand and result of each instruction.
const register = (name: string, index: number): string => `%${name}${index}`;

function textOf(row: DoubleRow, { modifiers }: DoubleSuite, index: number): string {
  const texts = Object.fromEntries(Object.keys(row.types).map((name) => [name, register(name, index)]));
  return instructionText(row, modifiers, texts);
}

function kernelText(row: DoubleRow, suites: readonly DoubleSuite[]): string {
  const sources = sourceNames(row);
  const record = (names: readonly string[]): number => suites.length * names.length * words * 4;
  const at = (names: readonly string[], index: number, number: number): number =>
    (index * names.length + number) * words * 4;
  const lines = suites.flatMap((suite, index) => {
    const typeOf = (name: string): string => operandType(row, suite.modifiers, name);
    return [
      ...[...row.writes, ...sources].map((name) => `.reg .${registerType(typeOf(name))} ${register(name, index)};`),
      ...sources.flatMap((name, number) => loadText(typeOf(name), register(name, index), at(sources, index, number))),
      `${textOf(row, suite, index)};`,
      ...row.writes.flatMap((name, number) =>
        storeText(typeOf(name), register(name, index), at(row.writes, index, number)),
      ),
    ];
  });
  const body = [
    '.reg .b64 %in, %out, %wide;',
    '.reg .b32 %thread, %t, %word;',
    '.reg .pred %truth;',
    'mov.u32 %t, %ctaid.x;',
    'mov.u32 %thread, %tid.x;',
    `mad.lo.u32 %thread, %t, ${block[0]}, %thread;`,
    'ld.param.u64 %in, [p_in];',
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %in, %in;',
    'cvta.to.global.u64 %out, %out;',
    `mad.wide.u32 %in, %thread, ${record(sources)}, %in;`,
    `mad.wide.u32 %out, %thread, ${record(row.writes)}, %out;`,
    ...lines,
    'ret;',
  ];
  return moduleText('.param .u64 p_in, .param .u64 p_out', body);
}

/// Bytes are in registers of 16 bits.
const registerType = (type: string): string => (type.endsWith('8') ? 'b16' : type);

function loadText(type: string, name: string, offset: number): string[] {
  if (type === 'pred') return [`ld.global.u32 %word, [%in+${offset}];`, `setp.ne.u32 ${name}, %word, 0;`];
  return [`ld.global.${type} ${name}, [%in+${offset}];`];
}

/// Narrow results fill two words with zeros.
function storeText(type: string, name: string, offset: number): string[] {
  const store = `st.global.b64 [%out+${offset}], %wide;`;
  if (type === 'pred') return [`selp.u64 %wide, 1, 0, ${name};`, store];
  if (type.endsWith('64')) return [`mov.b64 %wide, ${name};`, store];
  if (type === 'f32') return [`mov.b32 %word, ${name};`, 'cvt.u64.u32 %wide, %word;', store];
  return [`cvt.u64.u${type.slice(1)} %wide, ${name};`, store];
}
