// Writes the current contents of a module's variables into its PTX, as initializers.

import type { Module, Variable } from '../../ptx/ast.ts';
import { parseText } from '../../ptx/parse-text.ts';
import { provideDiagnostics } from '../../ptx/parts/diagnostics.ts';
import { layOutHeap } from '../../translate/layout.ts';

/**
 * Returns a module whose variables initially have `contents`, laid out from the address `start`.
 * Returns the module itself if the contents are the initial ones, and undefined if PTX cannot
 * express them.
 */
export function withVariables(module: Module, contents: Uint8Array, start: number): Module | undefined {
  const { addressOf, image } = layOutHeap(module.variables, start);
  const { source } = module;
  const edits: { readonly start: number; readonly end: number; readonly written: string }[] = [];
  for (const [variable, address] of addressOf) {
    const at = address - start;
    const bytes = contents.subarray(at, at + variable.bytes);
    if (sameBytes(bytes, image.subarray(at, at + variable.bytes))) continue;
    const { start: begin } = variable.span;
    const end = declaratorEnd(source.text, begin);
    const written = declarator(source.text.slice(begin, end), variable, bytes);
    if (written === undefined) return undefined;
    edits.push({ start: begin, end, written });
  }
  if (edits.length === 0) return module;
  let { text } = source;
  for (const edit of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, edit.start) + edit.written + text.slice(edit.end);
  const { origins } = source;
  // The edited text may be invalid.
  provideDiagnostics();
  const { module: edited } = parseText({ file: source.file, text, ...(origins ? { origins } : {}) });
  // Lay out the edited PTX to verify that it expresses the contents.
  const made = edited && layOutHeap(edited.variables, start).image;
  return made && sameBytes(made, contents.subarray(0, made.length)) ? edited : undefined;
}

/**
 * Returns the end of the declarator that begins at an offset: the next `,` or `;` outside braces.
 */
function declaratorEnd(text: string, start: number): number {
  const token = /"[^"\n]*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|[{}[\](),;]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [word] = found;
    if (depth === 0 && (word === ',' || word === ';')) return found.index;
    depth += '{[('.includes(word) ? 1 : '}])'.includes(word) ? -1 : 0;
  }
  return text.length;
}

/**
 * Returns a name and its extents with an initializer, without a change in the number of lines.
 * Returns undefined for elements without a number format.
 */
function declarator(text: string, { type }: Variable, bytes: Uint8Array): string | undefined {
  const [head = ''] = /^[^[=]*?(?:\s*\[[^\]]*\])*(?=\s*(?:=|$))/.exec(text) ?? [];
  const width = Number(/\d+/.exec(type)?.[0]) / 8;
  const elementText = texts[width];
  if (head === '' || elementText === undefined || bytes.length % width !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const prefix = type.startsWith('f') ? (width === 8 ? '0d' : '0f') : '0x';
  const elements = Array.from({ length: bytes.length / width }, (_, index) => prefix + elementText(view, index));
  const extents = [...head.matchAll(/\[\s*(\d*)\s*\]/g)].map(([, extent]) => Number(extent));
  const lines = '\n'.repeat(text.slice(head.length).split('\n').length - 1);
  return `${head} = ${extents.length === 0 ? elements.join() : nested(elements, extents.slice(1))}${lines}`;
}

const hex = (value: number | bigint, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/** Writes an element as digits, by its size in bytes. */
const texts: Readonly<Record<number, (view: DataView, index: number) => string>> = {
  1: (view, index) => hex(view.getUint8(index), 2),
  2: (view, index) => hex(view.getUint16(2 * index, true), 4),
  4: (view, index) => hex(view.getUint32(4 * index, true), 8),
  8: (view, index) => hex(view.getBigUint64(8 * index, true), 16),
};

/** Returns a list in braces, with inner lists of the sizes `extents`. */
function nested(elements: readonly string[], extents: readonly number[]): string {
  const [, ...inner] = extents;
  if (extents.length === 0) return `{${elements.join()}}`;
  const size = extents.reduce((product, extent) => product * extent, 1);
  const parts: string[] = [];
  for (let at = 0; at < elements.length; at += size) parts.push(nested(elements.slice(at, at + size), inner));
  return `{${parts.join()}}`;
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);
