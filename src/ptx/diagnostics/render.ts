// Diagnostics as text: place, code frame, hint.
import { oneLine, printable } from '../../base/printable.ts';
import type { Diagnostic, Source, Span } from '../ast.ts';
import { lineText, positionOf } from './source.ts';

export interface RenderOptions {
  /** ANSI colours; default none. */
  readonly color?: boolean;
}

const tabWidth = 4;
/** Longer lines are cut around the place that matters. */
const maxLineWidth = 160;
/** Names in PTX may be of any length. */
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

/** Columns a character takes in a terminal: 2 for East Asian wide ones and emoji, 0 for combining marks. */
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

/** A line with its tabs expanded and its controls shown, and where each UTF-16 offset lands. */
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

function frameLine(source: Source, mark: Mark, gutter: string, paint: Paint, palette: Palette): string[] {
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
 * Renders a diagnostic as `file:line:col: error[CODE]: message`, followed by a code frame,
 * secondary places and a hint, without a newline at the end.
 */
export function renderDiagnostic(source: Source, diagnostic: Diagnostic, options: RenderOptions = {}): string {
  const palette = options.color ? colored : plain;
  const paint = palette[diagnostic.severity];
  const { line, column } = positionOf(source, diagnostic.span.start);
  const marks: Mark[] = [
    { span: diagnostic.span, text: '', primary: true },
    ...diagnostic.labels.map((label): Mark => ({ ...label, primary: false })),
  ].sort((a, b) => a.span.start - b.span.start || Number(b.primary) - Number(a.primary));
  const lines = marks.map((mark) => positionOf(source, mark.span.start).line);
  const gutter = ' '.repeat(String(lines.reduce((most, line) => Math.max(most, line), 0)).length);
  const out = [
    `${palette.bold(`${oneLine(source.file)}:${line}:${column}:`)} ${paint(`${diagnostic.severity}[${diagnostic.code}]`)}: ${palette.bold(oneLine(diagnostic.message, maxMessageLength))}`,
  ];
  for (const [index, mark] of marks.entries()) {
    const [code, carets] = frameLine(source, mark, gutter, mark.primary ? paint : palette.label, palette);
    const before = lines[index - 1];
    const here = lines[index];
    if (before !== undefined && here !== undefined && here > before + 1) out.push(palette.dim(`${gutter} ⋮`));
    if (before !== here && code !== undefined) out.push(code);
    if (carets !== undefined) out.push(carets);
  }
  if (diagnostic.hint !== undefined)
    out.push(`${palette.dim(`${gutter} =`)} hint: ${oneLine(diagnostic.hint, maxMessageLength)}`);
  return out.join('\n');
}

/** Several, with an empty line between. */
export function renderDiagnostics(
  source: Source,
  diagnostics: readonly Diagnostic[],
  options: RenderOptions = {},
): string {
  return diagnostics.map((diagnostic) => renderDiagnostic(source, diagnostic, options)).join('\n\n');
}
