// Shows one step as a table: the facts of the picture, with values in full length.
import { el, keepFocus } from '../dom.ts';
import { formatBits } from '../format.ts';
import { clip, maxNameLength } from '../program/limits.ts';
import { hasLane, type LaneFacts, type OperandValues, type Scene } from '../program/scene.ts';
import type { Format } from '../state.ts';

export function renderLaneTable(
  root: HTMLElement,
  scene: Scene,
  format: Format,
  selected: number | undefined,
  onSelect: (lane: number | undefined) => void,
): void {
  keepFocus(root, () => root.replaceChildren(table(scene, format, selected, onSelect)));
}

function table(
  scene: Scene,
  format: Format,
  selected: number | undefined,
  onSelect: (lane: number | undefined) => void,
): HTMLElement {
  const isShuffle = scene.kind === 'shuffle';
  const hasMask = scene.lanes.some(({ member }) => member !== undefined);
  const columns = [
    'lane',
    'executes',
    ...(hasMask ? ['in its membermask'] : []),
    ...(isShuffle ? ['reads lane', 'in range'] : []),
    ...scene.sources.map(({ name, text }) => `${name} = ${clip(text, maxNameLength)}`),
    ...scene.results.map(({ name, text }) => `${name} = ${clip(text, maxNameLength)}, after`),
  ];
  const body = scene.lanes.map((facts) => {
    const pick = el(
      'button',
      {
        type: 'button',
        class: 'lane-pick',
        'data-key': `lane:${facts.lane}`,
        'aria-pressed': String(facts.lane === selected),
        onclick: () => onSelect(facts.lane === selected ? undefined : facts.lane),
      },
      String(facts.lane),
    );
    const cells = [
      facts.executes ? 'yes' : facts.exited ? 'exited' : 'no',
      ...(hasMask ? [facts.member ? 'yes' : 'no'] : []),
      ...(isShuffle ? [facts.reads === undefined ? '' : String(facts.reads), rangeText(facts)] : []),
      ...scene.sources.map((operand) => valueText(operand, facts.lane, format)),
      ...scene.results.map((operand) => (facts.executes ? valueText(operand, facts.lane, format) : '–')),
    ];
    const row = el('tr', { class: facts.lane === selected ? 'selected' : '' }, el('th', { scope: 'row' }, pick));
    for (const text of cells) row.append(el('td', { class: text.startsWith('undefined') ? 'undefined' : '' }, text));
    return row;
  });
  const head = el('tr');
  for (const text of columns) head.append(el('th', { scope: 'col' }, text));
  const list = el('tbody');
  list.append(...body);
  return el(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Table of the lanes' },
    el('table', { class: 'lanes' }, el('thead', {}, head), list),
  );
}

function rangeText({ inRange, executes }: LaneFacts): string {
  if (!executes) return '';
  return inRange ? 'yes' : 'no, keeps its own value';
}

function valueText({ name, values, type, undefinedLanes }: OperandValues, lane: number, format: Format): string {
  const isMask = name === 'membermask' && format === 'auto';
  const text = formatBits(values[lane] ?? 0n, type, isMask ? 'hex' : format); // Each register has 32 values.
  return hasLane(undefinedLanes, lane) ? `undefined (here ${text})` : text;
}
