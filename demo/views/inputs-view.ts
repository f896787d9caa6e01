// Inputs of the lanes: patterns, and every value to click and change.

import type { ScalarKind } from '../../src/base/launch.ts';
import type { PtxType } from '../../src/isa/index.ts';
import { choice, el, keepFocus, moreNote } from '../dom.ts';
import { formatBits } from '../format.ts';
import { badValues, bufferTypes, inputBits, patternNames } from '../program/inputs.ts';
import { clip, maxEntries, maxNameLength, maxShownInputs } from '../program/limits.ts';
import type { Program, ProgramInput } from '../program/program.ts';
import { hasLane } from '../program/scene.ts';
import {
  type AppState,
  type Format,
  type InputSpec,
  maxBlock,
  maxCount,
  maxGrid,
  type Pattern,
  type Store,
} from '../state.ts';
import { maskRow } from './mask-row.ts';

/** The maximum number of buffer elements that can be changed individually. */
const maxCells = 64;

export function renderInputs(root: HTMLElement, program: Program | undefined, store: Store): void {
  keepFocus(root, () => {
    root.replaceChildren(...(program ? contents(program, store) : []));
  });
}

function contents(program: Program, store: Store): HTMLElement[] {
  const { state } = store;
  const change = (name: string, spec: InputSpec): void =>
    store.set({ inputs: new Map([...store.state.inputs, [name, spec]]) });
  const shown = program.inputs.slice(0, maxShownInputs);
  const parts = [
    ...shown.map((input) => inputField(input, state.format, (spec) => change(input.name, spec))),
    ...moreNote(program.inputs.length - shown.length, 'inputs'),
  ];
  if (program.dialect === 'fragment') {
    const runs = maskRow({
      label: 'Active lanes',
      key: 'runs',
      mask: state.runs,
      onChange: (mask) => store.set({ runs: mask }),
    });
    return [runs, ...parts];
  }
  return program.dialect === 'module' ? [launchFields(program, state, store), ...parts] : parts;
}

function launchFields(program: Program, state: AppState, store: Store): HTMLElement {
  const number = (label: string, value: number, most: number, set: (value: number) => void): HTMLElement => {
    const field = el('input', {
      type: 'number',
      min: 1,
      max: most,
      value,
      'data-key': label,
      onchange: () => set(Math.min(Math.max(Math.trunc(Number(field.value)) || 1, 1), most)),
    });
    return el('label', { class: 'field' }, el('span', {}, label), field);
  };
  const names = program.entries.slice(0, maxEntries).map((name) => [name, clip(name, maxNameLength)] as const);
  return el(
    'div',
    { class: 'fields' },
    names.length > 1 && choice('Kernel', names, program.entry, (entry) => store.set({ entry, step: 0 })),
    number('Threads per block', state.block, maxBlock, (block) => store.set({ block, warp: 0 })),
    number('Blocks', state.grid, maxGrid, (grid) => store.set({ grid })),
  );
}

function inputField(input: ProgramInput, format: Format, onChange: (spec: InputSpec) => void): HTMLElement {
  const { spec } = input;
  const name = clip(input.name, maxNameLength);
  if (input.kind === 'register') {
    return el(
      'fieldset',
      { class: 'input' },
      el('legend', {}, el('code', {}, name), ` ${input.type}`),
      patternFields(name, spec, input.type, onChange),
      cells(name, spec, input.type, 32, format, onChange),
    );
  }
  const { variable } = input;
  const legend = el('legend', {}, el('code', {}, name), ` .${variable.type}`);
  if (variable.array) return el('fieldset', { class: 'input' }, legend, `${variable.bytes} bytes, all zero`);
  const kinds = choice(
    'Parameter',
    [
      ['buffer', 'pointer to a buffer'],
      ['scalar', 'number'],
    ],
    spec.as ?? 'scalar',
    (as) => onChange({ ...spec, as: as === 'buffer' ? 'buffer' : 'scalar' }),
  );
  if (spec.as !== 'buffer') {
    const typed = textField(name, 'Value', spec.value, (value) => onChange({ ...spec, value }));
    return el('fieldset', { class: 'input' }, legend, el('div', { class: 'fields' }, kinds, typed));
  }
  const type = spec.type ?? 'u32';
  const types = choice(
    'Elements',
    bufferTypes.map((kind) => [kind, kind] as const),
    type,
    (chosen) => onChange({ ...spec, type: bufferTypes.find((kind): kind is ScalarKind => kind === chosen) ?? 'u32' }),
  );
  const count = textField(name, 'Count', String(spec.count ?? 32), (text) =>
    onChange({ ...spec, count: Math.min(Math.max(Math.trunc(Number(text)) || 1, 1), maxCount) }),
  );
  return el(
    'fieldset',
    { class: 'input' },
    legend,
    el('div', { class: 'fields' }, kinds, types, count),
    patternFields(name, spec, type, onChange),
    cells(name, spec, type, Math.min(spec.count ?? 32, maxCells), format, onChange),
  );
}

function textField(name: string, label: string, value: string, onChange: (value: string) => void): HTMLLabelElement {
  const field = el('input', {
    type: 'text',
    value,
    spellcheck: 'false',
    'data-key': `${name}:${label}`,
    onchange: () => onChange(field.value),
  });
  return el('label', { class: 'field' }, el('span', {}, label), field);
}

const valueLabels: Partial<Record<Pattern, string>> = {
  constant: 'Constant',
  random: 'Seed',
  values: 'Values, separated by commas',
};

function patternFields(name: string, spec: InputSpec, type: PtxType, onChange: (spec: InputSpec) => void): HTMLElement {
  const patterns = choice('Pattern', patternNames, spec.pattern, (text) => {
    const pattern = patternNames.find(([key]) => key === text)?.[0] ?? 'lane';
    // Typed values start from the previous ones.
    const value = pattern === 'values' ? listOf(inputBits(spec, type, 32), type) : '';
    onChange({ ...spec, pattern, value });
  });
  const label = valueLabels[spec.pattern];
  const bad = badValues(spec, type);
  return el(
    'div',
    { class: 'fields' },
    patterns,
    label !== undefined && textField(name, label, spec.value, (value) => onChange({ ...spec, value })),
    bad.length > 0 && el('span', { class: 'bad', role: 'alert' }, `no ${type}: ${clip(bad.join(', '), maxBad)}`),
  );
}

/** The maximum number of shown characters of invalid values. */
const maxBad = 200;

const listOf = (bits: readonly bigint[], type: PtxType): string =>
  bits.map((value) => formatBits(value, type, 'auto')).join(', ');

function cells(
  name: string,
  spec: InputSpec,
  type: PtxType,
  count: number,
  format: Format,
  onChange: (spec: InputSpec) => void,
): HTMLElement {
  const bits = inputBits(spec, type, Math.max(count, 1));
  if (type === 'pred') {
    const mask = bits.reduce((sum, bit, lane) => (bit === 0n ? sum : sum | (1 << lane)), 0) >>> 0;
    const set = (next: number): void => {
      const value = bits.map((_, lane) => (hasLane(next, lane) ? '1' : '0')).join(', ');
      onChange({ ...spec, pattern: 'values', value });
    };
    return maskRow({ label: name, key: name, mask, onChange: set });
  }
  const list = el('div', { class: 'cells' });
  for (const [index, value] of bits.entries()) {
    const cell = el('input', {
      type: 'text',
      value: formatBits(value, type, format),
      'aria-label': `${name}, element ${index}`,
      'data-key': `${name}:${index}`,
      tabindex: index === 0 ? 0 : -1,
      spellcheck: 'false',
      onchange: () => {
        const texts = bits.map((old, at) =>
          at === index ? cell.value.replaceAll(',', '') : formatBits(old, type, 'auto'),
        );
        onChange({ ...spec, pattern: 'values', value: texts.join(', ') });
      },
      onkeydown: (event) => moveCell(event, list, index),
    });
    list.append(el('label', { class: 'cell' }, el('span', { 'aria-hidden': 'true' }, String(index)), cell));
  }
  return list;
}

/** Up and down move to the neighbors; left and right stay in the text. */
function moveCell(event: Event, list: HTMLElement, index: number): void {
  if (!(event instanceof KeyboardEvent) || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  const next = list.querySelectorAll('input')[index + (event.key === 'ArrowDown' ? 1 : -1)];
  next?.focus();
  next?.select();
}
