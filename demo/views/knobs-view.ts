// Sliders for the constants in the text. Moving a slider edits the text.
import { choice, el, keepFocus } from '../dom.ts';
import {
  type ConstantOperand,
  constantOperands,
  type Edit,
  modifierSlots,
  setConstant,
  setModifier,
} from '../program/edit-operands.ts';
import type { Program } from '../program/program.ts';
import type { TraceStep } from '../program/trace.ts';
import { maskRow } from './mask-row.ts';

export interface KnobsOptions {
  readonly text: string;
  readonly program: Program;
  readonly step: TraceStep;
  readonly onEdit: (edit: Edit) => void;
}

const widths = [32, 16, 8, 4, 2] as const;

/**
 * The controls of an instruction. If the set of controls does not change, only their values are
 * updated, so that the user can drag a slider.
 */
export class KnobsView {
  readonly #root: HTMLElement;
  #shape = '';
  #options: KnobsOptions | undefined;
  #updates: (() => void)[] = [];
  #isCurrent = true;
  /** The last requested edit. It waits until the positions in the current text are known. */
  #waiting: (() => void) | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /**
   * Sets whether the options belong to the editor's text. Only then are the positions of edits
   * correct.
   */
  setCurrent(isCurrent: boolean): void {
    this.#isCurrent = isCurrent;
  }

  /**
   * Edits the text at once, or when the positions in it are known again. Only the last waiting edit
   * is applied.
   */
  #turn(edit: () => Edit | undefined): void {
    if (!this.#isCurrent) {
      this.#waiting = () => this.#turn(edit);
      return;
    }
    const made = edit();
    if (made) this.#options?.onEdit(made);
  }

  render(options: KnobsOptions | undefined): void {
    this.#options = options;
    const shape = shapeOf(options);
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#updates = [];
      const parts = options && shape !== '' ? this.#build(options) : [];
      keepFocus(this.#root, () => this.#root.replaceChildren(...parts));
    }
    for (const update of this.#updates) update();
    if (!this.#isCurrent) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }

  #constant(name: string): ConstantOperand | undefined {
    const { step, program } = this.#options ?? {};
    if (!step || !program) return undefined;
    return constantOperands(step.instruction, program.prefix).find((operand) => operand.name === name);
  }

  #set(name: string, change: (value: number) => number): void {
    this.#turn(() => {
      const operand = this.#constant(name);
      return operand && setConstant(operand, change(operand.value));
    });
  }

  #build({ program, step }: KnobsOptions): HTMLElement[] {
    const { instruction } = step;
    const slots = modifierSlots(instruction, program.dialect === 'sass').map((slot) => this.#slot(slot.name));
    const isShuffle = instruction.row.name.startsWith('shfl');
    const fixed = isShuffle ? ['b', 'c'].filter((name) => !this.#constant(name)) : [];
    const fields = el('div', { class: 'fields' }, ...slots);
    if (this.#constant('b')) fields.append(this.#slider('b', 'b', 0));
    if (this.#constant('c')) {
      fields.append(this.#slider("c's clamp", 'c', 0), this.#slider("c's segmask", 'c', 8), this.#segments());
    }
    if (fixed.length > 0) fields.append(el('span', { class: 'note' }, `${fixed.join(', ')}: from a register`));
    return [fields, ...(this.#constant('membermask') ? [this.#membermask()] : [])];
  }

  #slot(name: string): HTMLElement {
    const find = () => {
      const { step, program } = this.#options ?? {};
      return step && modifierSlots(step.instruction, program?.dialect === 'sass').find((slot) => slot.name === name);
    };
    const values = find()?.values ?? [];
    const list = choice(
      `.${name}`,
      values.map((value) => [value, value] as const),
      find()?.value ?? '',
      (value) =>
        this.#turn(() => {
          const slot = find();
          const { text, step } = this.#options ?? {};
          if (!slot || !step || text === undefined) return undefined;
          return setModifier(text, step.start, step.end, slot, value);
        }),
    );
    const select = list.querySelector('select');
    this.#updates.push(() => {
      if (select) select.value = find()?.value ?? '';
    });
    return list;
  }

  /** Returns a slider for five bits of a constant, starting at bit `shift`. */
  #slider(label: string, name: string, shift: number): HTMLElement {
    const output = el('output');
    const range = el('input', {
      type: 'range',
      min: 0,
      max: 31,
      'data-key': label,
      'aria-label': label,
      oninput: () =>
        this.#set(
          name,
          (value) => ((name === 'b' ? 0 : value & ~(31 << shift)) | (Number(range.value) << shift)) >>> 0,
        ),
    });
    this.#updates.push(() => {
      // While an edit waits, the value of the slider is newer than the text.
      if (this.#waiting) return;
      const value = ((this.#constant(name)?.value ?? 0) >>> shift) & 31;
      if (Number(range.value) !== value) range.value = String(value);
      output.value = shift === 8 ? value.toString(2).padStart(5, '0') : String(value);
    });
    return el('label', { class: 'field slider' }, el('span', {}, label), range, output);
  }

  /** Returns a list of segment masks, which correspond to CUDA's `width` argument. */
  #segments(): HTMLElement {
    const options = [['', 'as set'] as const, ...widths.map((width) => [String(width), `${width} lanes`] as const)];
    const list = choice('Segments of', options, '', (width) => {
      if (width !== '') this.#set('c', (value) => ((32 - Number(width)) << 8) | ((value & 31) === 0 ? 0 : 31));
    });
    const select = list.querySelector('select');
    this.#updates.push(() => {
      const segmask = ((this.#constant('c')?.value ?? 0) >>> 8) & 31;
      if (select) select.value = widths.map(String).find((width) => 32 - Number(width) === segmask) ?? '';
    });
    return list;
  }

  #membermask(): HTMLElement {
    const place = el('div');
    this.#updates.push(() =>
      keepFocus(place, () => {
        const mask = this.#constant('membermask')?.value ?? 0;
        const onChange = (next: number): void => this.#set('membermask', () => next);
        place.replaceChildren(maskRow({ label: 'membermask', key: 'membermask', mask, onChange }));
      }),
    );
    return place;
  }
}

/** Returns a text that identifies the set of controls. */
function shapeOf(options: KnobsOptions | undefined): string {
  if (options?.step.instruction.row.kind !== 'warp') return '';
  const { step, program } = options;
  const names = constantOperands(step.instruction, program.prefix).map(({ name }) => name);
  return [step.instruction.row.name, program.dialect, ...names].join(' ');
}
