// Shows the fields of the inputs: a pattern for each input, and a field for each value.

import type { Dim3, ScalarKind } from '../../src/base/launch.ts';
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
  maxShared,
  type Pattern,
  type Store,
} from '../state.ts';
import { shortName } from './buffer-view.ts';
import { maskRow } from './mask-row.ts';

/** The maximum number of elements of a buffer that can be changed individually. */
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
    ...shown.map((input) =>
      inputField(input, clip(shortName(input.name, program), maxNameLength), state.format, (spec) =>
        change(input.name, spec),
      ),
    ),
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

const axisNames = ['x', 'y', 'z'] as const;

function launchFields(program: Program, state: AppState, store: Store): HTMLElement {
  const { block, grid, sharedBytes } = program.launch;
  const number = (
    label: string,
    value: number,
    [least, most]: readonly [number, number],
    set: (value: number) => void,
  ) => {
    const field = el('input', {
      type: 'number',
      min: least,
      max: most,
      value,
      'aria-label': label,
      'data-key': label,
      onchange: () => set(Math.min(Math.max(Math.trunc(Number(field.value)) || least, least), most)),
    });
    return field;
  };
  const size = (label: string, value: Dim3, most: number, set: (value: Dim3) => void): HTMLElement =>
    el(
      'div',
      { class: 'field size', role: 'group', 'aria-label': label },
      el('span', {}, label),
      ...axisNames.map((name, axis) => {
        const others = value.reduce((product, length, at) => (at === axis ? product : product * length), 1);
        const limits = [1, Math.max(1, Math.floor(most / others))] as const;
        return number(`${label} ${name}`, value[axis] ?? 1, limits, (length) =>
          set([axis === 0 ? length : value[0], axis === 1 ? length : value[1], axis === 2 ? length : value[2]]),
        );
      }),
    );
  const names = program.entries
    .slice(0, maxEntries)
    .map(({ name, title }) => [name, clip(title, maxNameLength)] as const);
  const isChosen =
    state.block !== undefined || state.grid !== undefined || state.shared !== undefined || state.inputs.size > 0;
  return el(
    'div',
    { class: 'fields' },
    names.length > 1 &&
      choice('Kernel', names, program.entry, (entry) => store.set({ entry, step: 0, cta: 0, warp: 0 })),
    size('Block', block, maxBlock, (chosen) => store.set({ block: chosen, warp: 0 })),
    size('Grid', grid, maxGrid, (chosen) => store.set({ grid: chosen, cta: 0 })),
    el(
      'label',
      { class: 'field' },
      el('span', {}, 'Dynamic shared bytes'),
      number('Dynamic shared bytes', sharedBytes, [0, maxShared], (shared) => store.set({ shared })),
    ),
    isChosen &&
      el(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'data-key': 'infer',
          onclick: () => store.set({ inputs: new Map(), block: undefined, grid: undefined, shared: undefined }),
        },
        'Infer all again',
      ),
  );
}

function inputField(
  input: ProgramInput,
  name: string,
  format: Format,
  onChange: (spec: InputSpec) => void,
): HTMLElement {
  const { spec } = input;
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
  if (variable.array) {
    const words = Math.min(Math.ceil(variable.bytes / 4), maxCells);
    return el(
      'fieldset',
      { class: 'input' },
      legend,
      el('p', { class: 'note' }, `A struct of ${variable.bytes} bytes, as words:`),
      patternFields(name, spec, 'u32', onChange),
      folded(name, cells(name, spec, 'u32', words, format, onChange)),
    );
  }
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
    folded(name, cells(name, spec, type, Math.min(spec.count ?? 32, maxCells), format, onChange)),
  );
}

/** The parameters whose values are shown because the user has unfolded them. */
const unfolded = new Set<string>();

function folded(name: string, content: HTMLElement): HTMLElement {
  const details = el(
    'details',
    {
      class: 'about',
      open: unfolded.has(name),
      ontoggle: () => (details.open ? unfolded.add(name) : unfolded.delete(name)),
    },
    el('summary', { 'data-key': `${name}:values` }, 'Values'),
    content,
  );
  return details;
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
    // If the user chooses typed values, use the previous values as initial ones.
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

/** The maximum number of characters of invalid values that are shown. */
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

/**
 * Moves the focus to the cell above or below at the keys Up and Down. Left and Right move in the
 * text.
 */
function moveCell(event: Event, list: HTMLElement, index: number): void {
  if (!(event instanceof KeyboardEvent) || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  const next = list.querySelectorAll('input')[index + (event.key === 'ArrowDown' ? 1 : -1)];
  next?.focus();
  next?.select();
}
