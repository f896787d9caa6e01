// The interface of a text view. There are two implementations: a plain view that is available at
// once, and the editor that replaces it.
import { el } from '../dom.ts';
import type { Edit } from '../program/edit-operands.ts';

/** A message at a position in the text. */
export interface Lint {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly source: string;
  readonly message: string;
}

/**
 * The highlighted lines that correspond to lines of the other view, and the line of the current
 * step. Lines are counted from 1.
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
  /**
   * Scrolls to a line, counted from 1. With `start`, the line is at the upper edge; with `center`,
   * in the middle.
   */
  show(line: number, place?: 'nearest' | 'start' | 'center'): void;
  goTo(offset: number): void;
}

export interface CodeViewOptions {
  readonly parent: HTMLElement;
  readonly label: string;
  readonly text: string;
  /** Called with the text after each change. Undefined if the text is read-only. */
  readonly onChange?: (text: string) => void;
  /** Called with the line of the cursor, counted from 1, when the line changes. */
  readonly onLine: (line: number) => void;
  /** Called with the line that the user clicked, counted from 1. */
  readonly onClick?: (line: number) => void;
  /**
   * Called with the lines that have breakpoints, counted from 1, when the breakpoints change.
   * Undefined for a view without breakpoints.
   */
  readonly onBreakpoints?: (lines: ReadonlySet<number>) => void;
  /** Called for Ctrl-Enter (Cmd-Enter on a Mac). */
  readonly onSubmit?: () => void;
}

export type MakeCodeView = (options: CodeViewOptions) => CodeView;

/**
 * The maximum number of characters that a text area can lay out without a delay. A longer text is
 * truncated and read-only.
 */
const maxPlain = 100_000;

/**
 * Creates a text area, which is used until the editor has loaded, or if the editor cannot be
 * loaded.
 */
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
 * Implements the methods for marks and messages with empty functions, because a text area cannot
 * show them.
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
