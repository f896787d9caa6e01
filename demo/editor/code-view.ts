// The interface of a text view: the plain one that is available at once, or the editor that
// replaces it.
import { el } from '../dom.ts';
import type { Edit } from '../program/edit-operands.ts';

/** A message at a place of the text. */
export interface Lint {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly source: string;
  readonly message: string;
}

/**
 * The highlighted lines (from 1) that correspond to lines of the other view, and the line of the
 * current step.
 */
export interface Marks {
  readonly linked: readonly number[];
  readonly step: number | undefined;
}

export interface CodeView {
  readonly text: string;
  /** Replaces the whole text, as one step of the history. */
  setText(text: string): void;
  edit(edit: Edit): void;
  setMarks(marks: Marks): void;
  setLint(list: readonly Lint[]): void;
  /** Scrolls to a line (from 1); `start` puts it at the upper edge, `center` in the middle. */
  show(line: number, place?: 'nearest' | 'start' | 'center'): void;
  goTo(offset: number): void;
}

export interface CodeViewOptions {
  readonly parent: HTMLElement;
  readonly label: string;
  readonly text: string;
  /** Receives the text after each change. Absent if the text is read-only. */
  readonly onChange?: (text: string) => void;
  /** Receives the cursor's line (from 1) when it changes. */
  readonly onLine: (line: number) => void;
  /** Receives the line (from 1) that the user clicked. */
  readonly onClick?: (line: number) => void;
  /** Receives the lines (from 1) with breakpoints when they change. Absent for a view without them. */
  readonly onBreakpoints?: (lines: ReadonlySet<number>) => void;
  /** Called for Ctrl-Enter (Cmd-Enter on a Mac). */
  readonly onSubmit?: () => void;
}

export type MakeCodeView = (options: CodeViewOptions) => CodeView;

/**
 * The maximum number of characters that a text area lays out without a delay. A longer text is
 * shown cut and read-only.
 */
const maxPlain = 100_000;

/** A text area, used until the editor has loaded, or if it cannot load. */
export const makePlainView: MakeCodeView = (options) =>
  options.text.length > maxPlain ? makeLongView(options) : makeShortView(options);

function makeLongView({ parent, label, text }: CodeViewOptions): CodeView {
  const area = el('textarea', { 'aria-label': label, spellcheck: 'false', readonly: true }, text.slice(0, maxPlain));
  parent.replaceChildren(area);
  let whole = text;
  const set = (next: string): void => {
    if (next === whole) return;
    whole = next;
    area.value = next.slice(0, maxPlain);
  };
  return {
    get text() {
      return whole;
    },
    setText: set,
    edit: ({ from, to, insert }) => set(whole.slice(0, from) + insert + whole.slice(to)),
    ...withoutMarks(area),
  };
}

function makeShortView({ parent, label, text, onChange }: CodeViewOptions): CodeView {
  const area = el('textarea', { 'aria-label': label, spellcheck: 'false', readonly: onChange === undefined }, text);
  area.addEventListener('input', () => onChange?.(area.value));
  parent.replaceChildren(area);
  return {
    get text() {
      return area.value;
    },
    setText(next) {
      if (area.value !== next) area.value = next;
    },
    edit({ from, to, insert }) {
      area.setRangeText(insert, from, to);
    },
    ...withoutMarks(area),
  };
}

/**
 * Implements the methods for marks and messages as no-ops, because a text area cannot show them.
 */
function withoutMarks(area: HTMLTextAreaElement): Pick<CodeView, 'setMarks' | 'setLint' | 'show' | 'goTo'> {
  return {
    setMarks: () => undefined,
    setLint: () => undefined,
    show: () => undefined,
    goTo(offset) {
      area.focus();
      area.setSelectionRange(offset, offset);
    },
  };
}
