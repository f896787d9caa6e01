// Shows a mask as 32 switches. The Tab key reaches one of the switches, and the arrow keys reach
// the others.
import { el } from '../dom.ts';
import { hexMask } from '../format.ts';
import { allLanes, hasLane } from '../program/scene.ts';

export interface MaskRowOptions {
  readonly label: string;
  readonly key: string;
  readonly mask: number;
  readonly onChange: (mask: number) => void;
}

/**
 * Creates the row. The arrow keys move among the bits, and the hexadecimal field accepts whole
 * masks.
 */
export function maskRow({ label, key, mask, onChange }: MaskRowOptions): HTMLElement {
  const buttons = allLanes.map((lane) => {
    const on = hasLane(mask, lane);
    return el(
      'button',
      {
        type: 'button',
        class: 'bit',
        'aria-pressed': String(on),
        'aria-label': `${label}, lane ${lane}: ${on ? 1 : 0}`,
        'data-key': `${key}:${lane}`,
        tabindex: lane === 0 ? 0 : -1,
        onclick: () => onChange((mask ^ (1 << lane)) >>> 0),
      },
      on ? '1' : '0',
    );
  });
  const row = el('div', {
    class: 'bits',
    role: 'group',
    'aria-label': label,
    onkeydown: (event) => move(event, buttons),
  });
  for (const button of buttons) row.append(button);
  const text = el('input', {
    type: 'text',
    class: 'hex',
    value: hexMask(mask),
    'aria-label': `${label}, hexadecimal`,
    'data-key': `${key}:hex`,
    spellcheck: 'false',
    onchange: () => {
      const value = Number(text.value);
      if (Number.isInteger(value) && value >= 0 && value <= 0xffffffff) onChange(value >>> 0);
      else text.value = hexMask(mask);
    },
  });
  return el('div', { class: 'mask-row' }, el('span', { class: 'row-label' }, label), row, text);
}

const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -32, End: 32 };

function move(event: Event, buttons: readonly HTMLButtonElement[]): void {
  if (!(event instanceof KeyboardEvent)) return;
  const by = moves[event.key];
  const at = buttons.findIndex((button) => button.matches(':focus'));
  if (by === undefined || at < 0) return;
  event.preventDefault();
  const next = buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)];
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next?.focus();
}
