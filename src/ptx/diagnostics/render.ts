// Renders diagnostics as text: the position, a code frame and a hint.
import { demangledIfLoaded } from '../../base/demangle-part.ts';
import { oneLine, printable } from '../../base/printable.ts';
import type { Diagnostic, Source, Span } from '../ast.ts';
import { type Origin, originOf, type SourcePlace } from './origin.ts';
import { lineText, offsetOf, positionOf } from './source.ts';

/** Options of `renderDiagnostic`. */
export interface RenderOptions {
  /** Whether to add ANSI colors. */
  readonly color?: boolean;
}

const tabWidth = 4;
/**
 * The maximum number of columns of a quoted line. Longer lines are shortened to the part around the
 * marked columns.
 */
const maxLineWidth = 160;
/**
 * The maximum length of a message in characters. Longer messages are truncated, because names in
 * PTX may have any length.
 */
const maxMessageLength = 2000;

type Paint = (text: string) => string;

interface Palette {
  readonly error: Paint;
  readonly warning: Paint;
  readonly label: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
}

const plain: Palette = {
  error: (text) => text,
  warning: (text) => text,
  label: (text) => text,
  dim: (text) => text,
  bold: (text) => text,
};
const ansi =
  (code: string): Paint =>
  (text) =>
    `\u001b[${code}m${text}\u001b[0m`;
const colored: Palette = {
  error: ansi('1;31'),
  warning: ansi('1;33'),
  label: ansi('36'),
  dim: ansi('2'),
  bold: ansi('1'),
};

/**
 * Returns the number of terminal columns of a character: 2 for East Asian wide characters and
 * emoji, 0 for combining marks.
 */
function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

/**
 * Expands tabs and escapes control characters. Returns the new text, with the column of each UTF-16
 * offset.
 */
function layOut(line: string): { readonly text: string; readonly columns: readonly number[] } {
  const columns: number[] = [];
  let text = '';
  let column = 0;
  for (const character of line) {
    for (let unit = 0; unit < character.length; unit++) columns.push(column);
    if (character === '\t') {
      const blanks = tabWidth - (column % tabWidth);
      text += ' '.repeat(blanks);
      column += blanks;
    } else if (printable(character) !== character) {
      text += '\ufffd';
      column += 1;
    } else {
      text += character;
      column += widthOf(character);
    }
  }
  columns.push(column);
  return { text, columns };
}

interface Mark {
  readonly span: Span;
  readonly text: string;
  readonly primary: boolean;
}

/** A text that code frames quote: PTX, or the CUDA source of the PTX. */
type Text = Pick<Source, 'file' | 'text'>;

function frameLine(source: Text, mark: Mark, gutter: string, paint: Paint, palette: Palette): string[] {
  const { line, column } = positionOf(source, mark.span.start);
  const whole = lineText(source, line);
  const from = Math.min(column - 1, whole.length);
  const cut = from > maxLineWidth / 2 ? from - maxLineWidth / 2 : 0;
  const shown = whole.slice(cut, cut + maxLineWidth);
  const { text, columns } = layOut(shown);
  const start = columns[from - cut] ?? 0;
  const last = Math.min(from - cut + Math.max(1, mark.span.end - mark.span.start), shown.length);
  const length = Math.max(1, (columns[last] ?? 0) - start);
  const number = String(line).padStart(gutter.length);
  const underline = (mark.primary ? '^' : '-').repeat(length);
  const note = mark.text === '' ? '' : ` ${oneLine(mark.text, maxMessageLength)}`;
  const lead = cut > 0 ? '…' : ' ';
  return [
    `${palette.dim(`${number} |`)}${lead}${text}${cut + maxLineWidth < whole.length ? '…' : ''}`,
    `${palette.dim(`${gutter} |`)} ${' '.repeat(start)}${paint(`${underline}${note}`)}`,
  ];
}

/**
 * Renders a diagnostic as `file:line:col: error[CODE]: message`, followed by a code frame, other
 * positions and a hint, without a newline at the end. If the PTX contains the position in the CUDA
 * source, the text starts with that position and a frame of the CUDA source, followed by the
 * position in the PTX. For an error in the PTX text itself, only the position in the PTX is
 * rendered.
 */
export function renderDiagnostic(source: Source, diagnostic: Diagnostic, options: RenderOptions = {}): string {
  const palette = options.color ? colored : plain;
  const paint = palette[diagnostic.severity];
  const { line, column } = positionOf(source, diagnostic.span.start);
  const here = `${oneLine(source.file)}:${line}:${column}`;
  const origin = originOf(source, diagnostic.span.start);
  const isOfText = origin === undefined || diagnostic.code.startsWith('PTX');
  const words = (text: string): string => oneLine(isOfText ? text : demangledIfLoaded(text), maxMessageLength);
  const marks: Mark[] = [
    { span: diagnostic.span, text: '', primary: true },
    ...diagnostic.labels.map(({ span, text }): Mark => ({ span, text: words(text), primary: false })),
  ];
  const frame = frameLines(source, marks, paint, palette);
  const note = (text: string, gutter = frame.gutter): string => `${palette.dim(`${gutter} =`)} ${text}`;
  const hint = diagnostic.hint === undefined ? [] : [note(`hint: ${words(diagnostic.hint)}`)];
  const head = `${palette.bold(`${isOfText ? here : placeText(origin)}:`)} ${paint(`${diagnostic.severity}[${diagnostic.code}]`)}: ${palette.bold(words(diagnostic.message))}`;
  if (origin === undefined) return [head, ...frame.lines, ...hint].join('\n');
  if (isOfText) return [head, ...frame.lines, note(`compiled from ${placeText(origin)}`), ...hint].join('\n');
  const cuda = originFrame(source, origin, marks, paint, palette);
  const calls = callLines(origin).map((text) => note(text, cuda.gutter));
  return [head, ...cuda.lines, ...calls, note(`PTX: ${here}`), ...frame.lines, ...hint].join('\n');
}

const placeText = ({ file, line, column }: SourcePlace): string =>
  `${oneLine(file)}:${line}${column === 0 ? '' : `:${column}`}`;

/** Returns lines that name the inlined functions around a line and those that the line calls. */
function callLines({ within, inlined }: Origin): string[] {
  const named = (callee: string | undefined): string =>
    callee === undefined ? 'a function' : `\`${oneLine(demangledIfLoaded(callee), maxMessageLength)}\``;
  return [
    ...within.map(({ callee, at }) => `in ${named(callee)} at ${placeText(at)}`),
    ...inlined.map(({ callee, at }) => `${named(callee)} inlined at ${placeText(at)}`),
  ];
}

interface Frame {
  /** As many blanks as the line numbers are wide. */
  readonly gutter: string;
  readonly lines: readonly string[];
}

/** Returns the lines of the code frame of one position, without colors. */
export const codeFrame = (source: Text, span: Span): readonly string[] =>
  frameLines(source, [{ span, text: '', primary: true }], plain.error, plain).lines;

/** Returns the code frame of the marked positions in a text. */
function frameLines(source: Text, all: readonly Mark[], paint: Paint, palette: Palette): Frame {
  const marks = [...all].sort((a, b) => a.span.start - b.span.start || Number(b.primary) - Number(a.primary));
  const numbers = marks.map((mark) => positionOf(source, mark.span.start).line);
  const gutter = ' '.repeat(String(numbers.reduce((most, line) => Math.max(most, line), 0)).length);
  const lines: string[] = [];
  for (const [index, mark] of marks.entries()) {
    const [code, carets] = frameLine(source, mark, gutter, mark.primary ? paint : palette.label, palette);
    const before = numbers[index - 1];
    const here = numbers[index];
    if (before !== undefined && here !== undefined && here > before + 1) lines.push(palette.dim(`${gutter} ⋮`));
    if (before !== here && code !== undefined) lines.push(code);
    if (carets !== undefined) lines.push(carets);
  }
  return { gutter, lines };
}

/**
 * Returns the frame of the CUDA lines of a diagnostic's positions, for positions in the same file
 * as the first. The frame is empty if the text of that file is not available.
 */
function originFrame(source: Source, first: Origin, marks: readonly Mark[], paint: Paint, palette: Palette): Frame {
  const { file, text } = first;
  if (text === undefined) return { gutter: ' ', lines: [] };
  const quoted: Text = { file, text };
  const seen = new Set<string>();
  const own = marks.flatMap((mark): Mark[] => {
    const place = originOf(source, mark.span.start);
    if (place === undefined || place.file !== file) return [];
    const start = offsetOf(quoted, place.line, Math.max(1, place.column));
    const key = `${start} ${mark.text}`;
    // Both accesses of a race may be on the same line. Quote such a line only once.
    if (start === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ ...mark, span: { start, end: start + wordLength(text, start) } }];
  });
  return frameLines(quoted, own, paint, palette);
}

const wordLength = (text: string, start: number): number => /^\w*/.exec(text.slice(start, start + 80))?.[0].length || 1;

/** Renders several diagnostics, separated by empty lines. */
export function renderDiagnostics(
  source: Source,
  diagnostics: readonly Diagnostic[],
  options: RenderOptions = {},
): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(source, diagnostic, options)).join('\n\n');
}
