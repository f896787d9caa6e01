// The PTX text of a kernel around a suite's instructions: load operands, execute, store every
// result.
import type { IsaRow, Mods } from '../../../isa/index.ts';
import { threadsOf } from '../geometry.ts';
import { allLanes } from '../lanes.ts';
import { hex } from '../types.ts';
import type { Form } from './forms.ts';
import { destinations } from './forms.ts';
import { instructionText, operandType, sourceNames } from './instruction-text.ts';
import type { Immediates } from './operand-values.ts';

/** One instruction of the kernel, and the offsets of its results in a thread's record of words. */
export interface Step {
  readonly mods: Mods;
  readonly immediates: Immediates;
  readonly results: readonly { readonly name: string; readonly offset: number }[];
}

/** The layout of the kernel's input and output: one record of 32-bit words for each thread. */
export interface Layout {
  /** The operands in registers, and their places in the input record. */
  readonly inputs: readonly { readonly name: string; readonly type: string; readonly offset: number }[];
  /** The offset of the control word (bit 0) in the input record. */
  readonly control: number | undefined;
  readonly inputWords: number;
  readonly outputWords: number;
  readonly steps: readonly Step[];
}

export interface StepChoice {
  readonly mods: Mods;
  readonly immediates: Immediates;
}

export function layOut(row: IsaRow, form: Form, chosen: readonly StepChoice[]): Layout {
  const mods = chosen[0]?.mods ?? {};
  const fixed = new Set(Object.keys(chosen[0]?.immediates ?? {}));
  let words = 0;
  // 64-bit operands are first, so that they are aligned.
  const inputs = sourceNames(row)
    .filter((name) => !fixed.has(name))
    .map((name) => ({ name, type: operandType(row, mods, name) }))
    .sort((x, y) => Number(y.type === 'b64') - Number(x.type === 'b64'))
    .map((operand) => {
      const offset = words;
      words += operand.type === 'b64' ? 2 : 1;
      return { ...operand, offset };
    });
  const control = form.control === undefined ? undefined : words++;
  let offset = 0;
  const steps = chosen.map(({ mods, immediates }) => ({
    mods,
    immediates,
    results: destinations(form, row)
      .filter(({ sink }) => !sink)
      .map(({ name }) => ({ name, offset: offset++ })),
  }));
  return { inputs, control, inputWords: words + (words % 2), outputWords: offset, steps };
}

/**
 * The value of a result if the instruction did not execute: `thread ^ oldTag`, or the thread's bit
 * 0 for a predicate.
 */
export const oldTag = 0x5ca1ab1e;

/** Returns the instruction's PTX line with its guard. */
export function stepText(row: IsaRow, form: Form, layout: Layout, index: number): string {
  const step = layout.steps[index];
  if (!step) throw new RangeError(`no step ${index}`);
  const operands: Record<string, string> = {};
  for (const { name, sink } of destinations(form, row)) {
    operands[name] = sink ? '_' : `%${name}${index}`;
  }
  for (const { name } of layout.inputs) operands[name] = `%${name}`;
  if (form.negatedSource) operands.a = `!${operands.a ?? ''}`;
  for (const [name, value] of Object.entries(step.immediates)) operands[name] = hex(value);
  const guard = form.control === 'guard' ? (form.negatedGuard ? '@!%control ' : '@%control ') : '';
  return `${guard}${instructionText(row, step.mods, operands)};`;
}

export function kernelText(row: IsaRow, form: Form, layout: Layout): string {
  const { version, target } = moduleDemands(row);
  const lines = layout.steps.map((_, index) => stepText(row, form, layout, index));
  const arms = form.control === 'arm';
  // If lanes skip the instructions, they also store, so the stores follow all instructions.
  // Otherwise each result is stored immediately, because many long live ranges slow down compilers.
  const storesLast = arms || form.control === 'skip';
  return [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    `// ${row.name}, form ${form.name}`,
    '.visible .entry k(.param .u64 p_in, .param .u64 p_out)',
    '{',
    ...declarations(row, form, layout),
    ...threadIndex(form),
    ...recordAddress('in', layout.inputWords),
    ...recordAddress('out', layout.outputWords),
    ...loads(layout),
    ...(form.control === undefined || arms ? [] : oldValues(row, layout.steps, 0)),
    ...branchBefore(form),
    ...(storesLast
      ? lines
      : lines.flatMap((line, index) => [...execute(row, form, layout, index, line), ...stores(row, layout, index)])),
    ...(arms ? secondArm(row, layout, lines) : []),
    ...(form.control === 'skip' ? ['STORE:'] : []),
    ...(storesLast ? lines.flatMap((_, index) => stores(row, layout, index)) : []),
    ...(form.control === 'leave' ? ['LEAVE:'] : []),
    'ret;',
    '}',
    '',
  ]
    .map((line) =>
      /^(\.(version|target|address_size|visible)|[}{/]|\w+:)/.test(line) || line === '' ? line : `  ${line}`,
    )
    .join('\n');
}

/**
 * Returns the module's `.version` and `.target`: those of the row, raised to the minimum for the
 * rest of the kernel. For a removed form, it is the last version that supports the form.
 */
export function moduleDemands(row: IsaRow): { readonly version: string; readonly target: string } {
  if (row.removed) return { version: '6.3', target: 'sm_60' };
  const version = versionNumber(row.ptx) < versionNumber('6.0') ? '6.0' : row.ptx;
  // Masks that differ within a warp, and waiting across branches, require sm_70.
  return { version, target: Number.parseInt(row.target.slice(3), 10) < 70 ? 'sm_70' : row.target };
}

function versionNumber(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 100 + minor;
}

function declarations(row: IsaRow, form: Form, { inputs, steps }: Layout): string[] {
  const registers = (type: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`.reg .${type} ${names.join(', ')};`];
  const results = steps.flatMap(({ mods, results }, index) =>
    results.map(({ name }) => ({ name: `${name}${index}`, pred: operandType(row, mods, name) === 'pred' })),
  );
  const named = (type: string): string[] => inputs.filter((input) => input.type === type).map(({ name }) => `%${name}`);
  const predicates = named('pred');
  return [
    ...registers('b64', ['%in', '%out', '%offset', ...named('b64')]),
    ...registers('b32', [
      '%thread',
      '%t',
      '%n',
      '%word',
      ...named('b32'),
      ...named('u32'),
      ...named('s32'),
      ...named('f32'),
    ]),
    ...registers(
      'b32',
      results.filter(({ pred }) => !pred).map(({ name }) => `%${name}`),
    ),
    ...registers('pred', [
      ...(form.control === undefined ? [] : ['%control']),
      ...(form.outsiders === undefined ? [] : ['%outside']),
      ...predicates,
    ]),
    ...registers(
      'pred',
      results.filter(({ pred }) => pred).map(({ name }) => `%${name}`),
    ),
  ];
}

/** Returns instructions that compute `%thread`, the thread's linear index in the launch. */
function threadIndex(form: Form): string[] {
  const [, y, z] = form.block;
  const axis = (index: string, count: string): string[] => [
    `mov.u32 %n, ${count};`,
    `mov.u32 %t, ${index};`,
    'mad.lo.u32 %thread, %thread, %n, %t;',
  ];
  return [
    `mov.u32 %thread, ${z > 1 ? '%tid.z' : y > 1 ? '%tid.y' : '%tid.x'};`,
    ...(z > 1 ? axis('%tid.y', '%ntid.y') : []),
    ...(y > 1 ? axis('%tid.x', '%ntid.x') : []),
    'mov.u32 %t, %ctaid.x;',
    `mad.lo.u32 %thread, %t, ${threadsOf(form.block)}, %thread;`,
  ];
}

function recordAddress(name: 'in' | 'out', words: number): string[] {
  return [
    `ld.param.u64 %${name}, [p_${name}];`,
    `cvta.to.global.u64 %${name}, %${name};`,
    `mul.wide.u32 %offset, %thread, ${words * 4};`,
    `add.s64 %${name}, %${name}, %offset;`,
  ];
}

function loads({ inputs, control }: Layout): string[] {
  return [
    ...inputs.flatMap(({ name, type, offset }) =>
      type === 'pred'
        ? [`ld.global.b32 %word, [%in+${offset * 4}];`, `setp.ne.u32 %${name}, %word, 0;`]
        : [`ld.global.${type === 'b64' ? 'b64' : 'b32'} %${name}, [%in+${offset * 4}];`],
    ),
    ...(control === undefined ? [] : [`ld.global.b32 %word, [%in+${control * 4}];`, 'setp.ne.u32 %control, %word, 0;']),
  ];
}

/**
 * Returns instructions that initialize the results of `steps`. `first` is the index of the first
 * step in the kernel.
 */
function oldValues(row: IsaRow, steps: readonly Step[], first: number): string[] {
  return [
    `xor.b32 %word, %thread, ${hex(oldTag)};`,
    'and.b32 %t, %thread, 1;',
    ...steps.flatMap(({ mods, results }, index) =>
      results.map(({ name }) =>
        operandType(row, mods, name) === 'pred'
          ? `setp.ne.u32 %${name}${first + index}, %t, 0;`
          : `mov.b32 %${name}${first + index}, %word;`,
      ),
    ),
  ];
}

/**
 * Returns one instruction, and the branch or exit of the lanes outside its immediate membermask.
 */
function execute(row: IsaRow, form: Form, { steps }: Layout, index: number, line: string): string[] {
  const step = steps[index];
  const mask = step?.immediates.membermask;
  if (!step || form.outsiders === undefined || mask === undefined || mask === allLanes) return [line];
  const outside = ['mov.u32 %t, %lanemask_eq;', `and.b32 %t, %t, ${hex(mask)};`, 'setp.eq.u32 %outside, %t, 0;'];
  if (form.outsiders === 'branch') {
    const label = `AROUND${index}`;
    return [...oldValues(row, [step], index), ...outside, `@%outside bra ${label};`, line, `${label}:`];
  }
  return mask === steps[index - 1]?.immediates.membermask ? [line] : [...outside, '@%outside exit;', line];
}

function branchBefore({ control }: Form): string[] {
  if (control === 'exit') return ['@%control exit;'];
  if (control === 'skip') return ['@%control bra STORE;'];
  if (control === 'leave') return ['@%control bra LEAVE;'];
  return control === 'arm' ? ['@%control bra SECOND;'] : [];
}

/**
 * Returns the second arm of a branch: it repeats the instructions, and complements their results.
 * So the two arms differ, and a compiler cannot merge them.
 */
function secondArm(row: IsaRow, { steps }: Layout, lines: readonly string[]): string[] {
  const complements = steps.flatMap(({ mods, results }, index) =>
    results.map(({ name }) =>
      operandType(row, mods, name) === 'pred'
        ? `not.pred %${name}${index}, %${name}${index};`
        : `not.b32 %${name}${index}, %${name}${index};`,
    ),
  );
  return ['bra STORE;', 'SECOND:', ...lines, ...complements, 'STORE:'];
}

function stores(row: IsaRow, { steps }: Layout, index: number): string[] {
  const { mods, results } = steps[index] ?? { mods: {}, results: [] };
  return results.flatMap(({ name, offset }) =>
    operandType(row, mods, name) === 'pred'
      ? [`selp.u32 %word, 1, 0, %${name}${index};`, `st.global.b32 [%out+${offset * 4}], %word;`]
      : [`st.global.b32 [%out+${offset * 4}], %${name}${index};`],
  );
}
