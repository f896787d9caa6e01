// The kernel of lane suites: each thread loads the operands of every instruction, executes it, and
// stores its results.
import type { IsaRow, Mods } from '../../../isa/index.ts';
import { typeNamed } from '../../../isa/match.ts';
import { widthOf } from '../../../ptx/types.ts';
import { moduleText } from '../module-text.ts';
import { instructionText, operandType, sourceNames } from './instruction-text.ts';

/**
 * One instruction of a kernel, and the word offsets of its operands and results in a thread's
 * records.
 */
export interface Part {
  readonly row: IsaRow;
  readonly modifiers: Mods;
  /** The texts of its immediate operands. */
  readonly immediates: Readonly<Record<string, string>>;
  /** The number of words for each operand or result. */
  readonly words: number;
  readonly input: number;
  readonly output: number;
}

export interface Layout {
  readonly parts: readonly Part[];
  /** The number of words of a thread's input record. */
  readonly inputWords: number;
  readonly outputWords: number;
}

export interface LaneOperand {
  readonly name: string;
  readonly type: string;
}

// The carry flag before the instruction, as an operand, and after the instruction, as a result. It
// is 0 or 1.
const carryIn: LaneOperand = { name: 'carryIn', type: 'carry' };
const carryOut: LaneOperand = { name: 'carryOut', type: 'carry' };

/** Returns the operands of the row's reference function, in order. */
export const sourcesOf = (row: IsaRow, mods: Mods): readonly LaneOperand[] => [
  ...sourceNames(row).map((name) => ({ name, type: operandType(row, mods, name) })),
  ...(row.carry?.in ? [carryIn] : []),
];

/** Returns the results of the row's reference function, in order. */
export const resultsOf = (row: IsaRow, mods: Mods): readonly LaneOperand[] => [
  ...row.writes.map((name) => ({ name, type: operandType(row, mods, name) })),
  ...(row.carry?.out === true || (row.carry?.out === 'cc' && mods.cc !== undefined) ? [carryOut] : []),
];

/** Whether each lane loads its own value of the operand. An immediate is the same in all lanes. */
export const isRead = ({ type }: LaneOperand): boolean => type !== 'immediate';

/**
 * Returns the number of bits of a type's values. Predicates and the carry flag count as words.
 * Types without registers are named by their fields: `e4m3x2`, `ue8m0x2`, `tf32`.
 */
export function bitsOf(type: string): number {
  if (type === 'pred') return 32;
  const known = typeNamed(type);
  if (known !== undefined) return widthOf(known);
  const [, unsigned, exponent, fraction, count = '1'] = /^(u?)e(\d)m(\d)(?:x(\d))?$/.exec(type) ?? [];
  if (exponent === undefined || fraction === undefined) return 32;
  const element = Number(exponent) + Number(fraction) + (unsigned === '' ? 1 : 0);
  // A 6-bit value is stored in a byte.
  return (element === 6 ? 8 : element) * Number(count);
}

export function layoutOf(instructions: readonly Pick<Part, 'row' | 'modifiers' | 'immediates'>[]): Layout {
  let [inputWords, outputWords] = [0, 0];
  const parts = instructions.map(({ row, modifiers, immediates }): Part => {
    const [sources, results] = [sourcesOf(row, modifiers).filter(isRead), resultsOf(row, modifiers)];
    const words = [...sources, ...results].some(({ type }) => bitsOf(type) === 64) ? 2 : 1;
    // A 64-bit operand is loaded as one aligned vector of two words.
    const input = alignTo(inputWords, words);
    const output = alignTo(outputWords, words);
    inputWords = input + words * sources.length;
    outputWords = output + words * results.length;
    return { row, modifiers, immediates, words, input, output };
  });
  return { parts, inputWords: alignTo(inputWords, 2), outputWords: alignTo(outputWords, 2) };
}

const alignTo = (at: number, words: number): number => Math.ceil(at / words) * words;

/** Returns the register of an operand or result of an instruction. */
const register = (name: string, index: number): string => `%${name}${index}`;

export function instructionOf(part: Pick<Part, 'row' | 'modifiers' | 'immediates'>, index: number): string {
  const { row, modifiers, immediates } = part;
  const texts = Object.fromEntries(Object.keys(row.types).map((name) => [name, register(name, index)]));
  return instructionText(row, modifiers, { ...texts, ...immediates });
}

export function laneKernelText(
  { parts, inputWords, outputWords }: Layout,
  blockThreads: number,
  platform: { readonly version: string; readonly target: string },
): string {
  const lines = parts.flatMap((part, index) => {
    const { row, modifiers, words, input, output } = part;
    const [sources, results] = [sourcesOf(row, modifiers).filter(isRead), resultsOf(row, modifiers)];
    const loads = sources.flatMap(({ name, type }, number) =>
      loadText(type, register(name, index), 4 * (input + number * words)),
    );
    const stores = results.map(({ name, type }, number) =>
      storeText(type, register(name, index), 4 * (output + number * words), words),
    );
    return [
      ...[...results, ...sources].map(({ name, type }) => `.reg .${registerType(type)} ${register(name, index)};`),
      ...loads,
      ...(row.carry?.in ? [`add.cc.u32 %word, ${register(carryIn.name, index)}, 0xffffffff;`] : []),
      `${instructionOf(part, index)};`,
      // The flag is the last result, and the kernel reads the flag immediately.
      ...(results.includes(carryOut) ? [`addc.u32 ${register(carryOut.name, index)}, 0, 0;`] : []),
      ...stores.flat(),
    ];
  });
  const body = [
    '.reg .b64 %in, %out, %wide;',
    '.reg .b32 %thread, %t, %word;',
    '.reg .b16 %zero;',
    '.reg .pred %truth;',
    'mov.u16 %zero, 0;',
    'mov.u32 %t, %ctaid.x;',
    'mov.u32 %thread, %tid.x;',
    `mad.lo.u32 %thread, %t, ${blockThreads}, %thread;`,
    'ld.param.u64 %in, [p_in];',
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %in, %in;',
    'cvta.to.global.u64 %out, %out;',
    `mad.wide.u32 %in, %thread, ${4 * inputWords}, %in;`,
    `mad.wide.u32 %out, %thread, ${4 * outputWords}, %out;`,
    ...lines,
    'ret;',
  ];
  return moduleText('.param .u64 p_in, .param .u64 p_out', body, platform);
}

/**
 * Returns the type of a register for a type. Bytes use 16-bit registers, except pairs of 4-bit
 * values. If PTX has no register of the type, the register is untyped.
 */
function registerType(type: string): string {
  if (type === 'carry') return 'b32';
  if (type === 'pred' || type === 'b8' || /^[busf](?:32|64)$/.test(type)) return type;
  return `b${Math.max(16, bitsOf(type))}`;
}

function loadText(type: string, name: string, offset: number): string[] {
  if (type === 'pred') return [`ld.global.u32 %word, [%in+${offset}];`, `setp.ne.u32 ${name}, %word, 0;`];
  // A signed byte is sign-extended when it is loaded.
  const loaded = /^[us]/.test(type) && typeNamed(type) !== undefined ? type : `b${bitsOf(type)}`;
  return [`ld.global.${/^f(?:32|64)$/.test(type) ? type : loaded} ${name}, [%in+${offset}];`];
}

/** Returns instructions that store a result. Narrow results are zero-extended to a word. */
function storeText(type: string, name: string, offset: number, words: number): string[] {
  const at = `[%out+${offset}]`;
  if (words === 1) return [...wordText(type, name), `st.global.b32 ${at}, %word;`];
  if (bitsOf(type) === 64) return [`mov.b64 %wide, ${name};`, `st.global.b64 ${at}, %wide;`];
  return [...wordText(type, name), 'cvt.u64.u32 %wide, %word;', `st.global.b64 ${at}, %wide;`];
}

/**
 * Returns instructions that put a result into a word. A 16-bit value is packed, because NVIDIA's
 * compiler widens some results into both halves (docs/lab-notes/native-compiler.md).
 */
function wordText(type: string, name: string): string[] {
  if (type === 'pred') return [`selp.u32 %word, 1, 0, ${name};`];
  const bits = bitsOf(type);
  if (bits === 32) return [`mov.b32 %word, ${name};`];
  if (type === 'b8') return [`cvt.u32.u8 %word, ${name};`];
  const packed = `mov.b32 %word, {${name}, %zero};`;
  return bits === 16 ? [packed] : [packed, `and.b32 %word, %word, ${2 ** bits - 1};`];
}
