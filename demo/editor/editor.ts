// The PTX editor and the WGSL view.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  GutterMarker,
  gutter,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from '../content-policy.ts';
import { changedPart } from './changed-part.ts';
import type { CodeView, CodeViewOptions, MakeCodeView, Marks } from './code-view.ts';
import { cudaLanguage } from './cuda-language.ts';
import { complete, ptxHover } from './ptx-help.ts';
import { ptxLanguage } from './ptx-language.ts';
import { wgslLanguage } from './wgsl-language.ts';

/**
 * The highlighting of syntax. The page's style sheet defines the colors, for light and dark
 * schemes.
 */
const highlighting = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--code-type)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.atom, tags.meta], color: 'var(--code-special)' },
  { tag: tags.labelName, color: 'var(--code-label)' },
]);

const setMarks = StateEffect.define<Marks>();

const linkedLine = Decoration.line({ class: 'cm-linked' });
const stepLine = Decoration.line({ class: 'cm-step' });

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const effect = transaction.effects.find((candidate) => candidate.is(setMarks));
    if (!effect?.is(setMarks)) return marks.map(transaction.changes);
    const { doc } = transaction.state;
    const { linked, step } = effect.value;
    const lines = [...new Set([...linked, ...(step === undefined ? [] : [step])])].sort((a, b) => a - b);
    const builder = new RangeSetBuilder<Decoration>();
    for (const line of lines.filter((number) => number >= 1 && number <= doc.lines)) {
      const { from } = doc.line(line);
      if (linked.includes(line)) builder.add(from, from, linkedLine);
      if (line === step) builder.add(from, from, stepLine);
    }
    return builder.finish();
  },
  provide: (field) => EditorView.decorations.from(field),
});

const toggleBreakpoint = StateEffect.define<number>({ map: (position, changes) => changes.mapPos(position) });

const breakpointMarker = new (class extends GutterMarker {
  override toDOM = (): Node => document.createTextNode('●');
})();

/** The starts of the lines with breakpoints. These positions move when the text changes. */
const breakpoints = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(toggleBreakpoint)) continue;
      const at = effect.value;
      let isSet = false;
      next.between(at, at, () => {
        isSet = true;
      });
      next = isSet
        ? next.update({ filter: (from) => from !== at })
        : next.update({ add: [breakpointMarker.range(at)] });
    }
    return next;
  },
});

function breakpointLines(state: EditorState): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const cursor = state.field(breakpoints).iter(); cursor.value !== null; cursor.next()) {
    lines.add(state.doc.lineAt(cursor.from).number);
  }
  return lines;
}

/**
 * Creates the gutter with the breakpoints. A click on the gutter, or F9, sets or removes a
 * breakpoint.
 */
function breakpointGutter(onBreakpoints: (lines: ReadonlySet<number>) => void): Extension {
  const toggle = (view: EditorView, at: number): boolean => {
    view.dispatch({ effects: toggleBreakpoint.of(view.state.doc.lineAt(at).from) });
    return true;
  };
  return [
    breakpoints,
    gutter({
      class: 'cm-breakpoints',
      markers: (view) => view.state.field(breakpoints),
      initialSpacer: () => breakpointMarker,
      domEventHandlers: { mousedown: (view, line) => toggle(view, line.from) },
    }),
    keymap.of([{ key: 'F9', run: (view) => toggle(view, view.state.selection.main.head) }]),
    EditorView.updateListener.of(({ state, startState }) => {
      if (state.field(breakpoints) !== startState.field(breakpoints)) onBreakpoints(breakpointLines(state));
    }),
  ];
}

function makeView(options: CodeViewOptions, language: Extension, extra: Extension): CodeView {
  let line = 0;
  options.parent.replaceChildren();
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorView.cspNonce.of(styleNonce),
        ...(options.onBreakpoints ? [breakpointGutter(options.onBreakpoints)] : []),
        lineNumbers(),
        drawSelection(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        language,
        syntaxHighlighting(highlighting),
        marksField,
        EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'false', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange?.(update.state.doc.toString());
          const now = update.state.doc.lineAt(update.state.selection.main.head).number;
          if (now !== line && (update.selectionSet || update.docChanged)) options.onLine(now);
          line = now;
        }),
        EditorView.domEventHandlers({
          click: (_, { state }) => {
            const { main } = state.selection;
            if (main.empty) options.onClick?.(state.doc.lineAt(main.head).number);
          },
        }),
        extra,
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    setText(text) {
      const before = view.state.doc.toString();
      // Edit only the changed part, because replacing a whole long text would block the page.
      if (text !== before) view.dispatch({ changes: changedPart(before, text) });
    },
    edit: (edit) => view.dispatch({ changes: edit }),
    setMarks: (marks) => view.dispatch({ effects: setMarks.of(marks) }),
    setLint(list) {
      // The messages may belong to an earlier, longer text.
      const { length } = view.state.doc;
      const inside = list.map((lint) => ({
        ...lint,
        from: Math.min(lint.from, length),
        to: Math.min(lint.to, length),
      }));
      view.dispatch(setDiagnostics(view.state, inside));
    },
    show(number, place = 'nearest') {
      if (number < 1 || number > view.state.doc.lines) return;
      const { from } = view.state.doc.line(number);
      // Scroll the text in its frame, but not the page around it.
      view.requestMeasure({
        read: () => view.lineBlockAt(Math.min(from, view.state.doc.length)),
        write: ({ top, bottom }) => {
          const { scrollTop, clientHeight } = view.scrollDOM;
          const nearest = Math.min(Math.max(scrollTop, bottom - clientHeight), top);
          const places = { start: top, center: (top + bottom - clientHeight) / 2, nearest };
          view.scrollDOM.scrollTop = places[place];
        },
      });
    },
    goTo(offset) {
      view.dispatch({ selection: { anchor: Math.min(offset, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    },
  };
}

export const makePtxEditor: MakeCodeView = (options) =>
  makeView(options, ptxLanguage, [
    history(),
    lintGutter(),
    bracketMatching(),
    autocompletion({ override: [complete], icons: false }),
    ptxHover,
    // Do not bind Tab, so that Tab leaves the editor and the keyboard focus is not trapped.
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
  ]);

export const makeCudaView: MakeCodeView = (options) =>
  makeView(options, cudaLanguage, [
    history(),
    lintGutter(),
    bracketMatching(),
    placeholder('Paste CUDA C++ here'),
    // Bind this key before the default keys, which would insert a line.
    keymap.of([{ key: 'Mod-Enter', run: () => submit(options) }]),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
  ]);

function submit({ onSubmit }: CodeViewOptions): boolean {
  onSubmit?.();
  return onSubmit !== undefined;
}

export const makeWgslView: MakeCodeView = (options) =>
  makeView(options, wgslLanguage, [EditorState.readOnly.of(true), keymap.of([...defaultKeymap, ...searchKeymap])]);
