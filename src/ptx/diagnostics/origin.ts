// Maps a position in PTX to the CUDA line from which it was compiled, by the `.file` and `.loc`
// directives.

import { getOrInsert } from '../../base/maps.ts';
import type { Source } from '../ast.ts';

export interface SourcePlace {
  /** The file's name, for display. */
  readonly file: string;
  /** The line and column, counted from 1. The column is 0 if the compiler omitted it. */
  readonly line: number;
  readonly column: number;
  /** The file's text, if `Source.origins` contains it. */
  readonly text: string | undefined;
}

/**
 * A position in the programmer's CUDA source. For an instruction in inlined functions, it is the
 * innermost line whose text is available.
 */
export interface Origin extends SourcePlace {
  /**
   * The chain of inlined calls from this line to the instruction, ordered from the outermost. These
   * are for example calls of functions of the CUDA toolkit, whose files are not available. `at` is
   * a position in the called function.
   */
  readonly within: readonly InlinedCall[];
  /**
   * The calls through which the line itself was inlined, ordered from the innermost. `at` is the
   * position of the call.
   */
  readonly inlined: readonly InlinedCall[];
}

export interface InlinedCall {
  /** The linkage name of the called function; undefined if the compiler omitted it. */
  readonly callee: string | undefined;
  readonly at: SourcePlace;
}

interface LineTable {
  /** The offsets of `.loc` directives and of function starts, in ascending order. */
  readonly starts: readonly number[];
  readonly files: ReadonlyMap<number, string>;
  /**
   * The locations read so far, by index in `starts`. The location of a function's start is
   * undefined.
   */
  readonly locations: Map<number, Location | undefined>;
  /**
   * The linkage names read so far, by label and addend; '' if the PTX does not contain the name.
   */
  readonly callees: Map<string, string>;
}

interface Location {
  readonly key: string;
  readonly file: number;
  readonly line: number;
  readonly column: number;
  readonly callee: string | undefined;
  readonly inlinedAt: string | undefined;
}

const tables = new WeakMap<Source, LineTable>();

// Matches a directive. Compilers write each directive on a separate line.
const directive =
  /^[ \t]*(?:\.loc[ \t]|\.file[ \t]+(\d+)[ \t]+"([^"\n]*)"(?:[ \t]+"([^"\n]*)")?|(?:\.(?:visible|weak|extern)[ \t]+)*\.(?:entry|func)\b)/gm;
const location =
  /^[ \t]*\.loc[ \t]+(\d+)[ \t]+(\d+)[ \t]+(\d+)(?:[ \t]*,[ \t]*function_name[ \t]+([\w$]+)(?:\+(\d+))?[ \t]*,[ \t]*inlined_at[ \t]+(\d+)[ \t]+(\d+)[ \t]+(\d+))?/;

/**
 * The maximum number of inlined calls to list. Generated PTX may contain any number of inlined
 * calls.
 */
const maxDepth = 32;

/**
 * Returns the position in the CUDA source of the instruction at an offset. Returns undefined if the
 * PTX does not contain line information.
 */
export function originOf(source: Source, offset: number): Origin | undefined {
  const table = getOrInsert(tables, source, () => lineTable(source.text));
  const index = lastBefore(table.starts, offset);
  const found = locationAt(source, table, index);
  if (found === undefined) return undefined;
  const places: SourcePlace[] = [named(source, table, found)];
  const callees: (string | undefined)[] = [];
  for (let at = index, inner = found; inner.inlinedAt !== undefined && callees.length < maxDepth; ) {
    const outer = placeOf(inner.inlinedAt);
    callees.push(inner.callee);
    places.push(named(source, table, outer));
    // The `.loc` directive of the call shows whether the calling function is itself inlined.
    const caller = callerBefore(source, table, at, outer.key);
    if (caller === undefined) break;
    [at, inner] = [caller.index, caller.location];
  }
  const own = Math.max(
    0,
    places.findIndex(({ text }) => text !== undefined),
  );
  const place = places[own];
  if (place === undefined) return undefined;
  const within = places.slice(0, own).map((inside, depth) => ({ callee: callees[depth], at: inside }));
  const inlined = places.slice(own + 1).map((call, depth) => ({ callee: callees[own + depth], at: call }));
  return { ...place, within: within.reverse(), inlined };
}

/**
 * Returns the paths of the files that PTX with line information was compiled from, according to its
 * `.file` directives.
 */
export const originPaths = (text: string): string[] => [...readDirectives(text).files.values()];

const lineTable = (text: string): LineTable => ({
  ...readDirectives(text),
  locations: new Map(),
  callees: new Map(),
});

function readDirectives(text: string): Pick<LineTable, 'starts' | 'files'> {
  const starts: number[] = [];
  const files = new Map<number, string>();
  // Most PTX does not contain line information.
  if (!text.includes('.loc')) return { starts, files };
  for (const match of text.matchAll(directive)) {
    const [, number, name, inFolder] = match;
    if (number === undefined || name === undefined) starts.push(match.index);
    else files.set(Number(number), inFolder === undefined ? name : `${name}/${inFolder}`);
  }
  return { starts, files };
}

/** Returns the index of the last element that is at most `offset`, or -1. */
function lastBefore(starts: readonly number[], offset: number): number {
  let low = -1;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset)
      low = middle; // The entry exists, because 0 <= middle < length.
    else high = middle;
  }
  return low;
}

/**
 * Returns the `.loc` directive at an index of `starts`, or undefined if a function starts there.
 */
function locationAt({ text }: Source, { starts, locations, callees }: LineTable, index: number): Location | undefined {
  const start = starts[index];
  if (start === undefined) return undefined;
  return getOrInsert(locations, index, () => {
    const end = text.indexOf('\n', start);
    const match = location.exec(text.slice(start, end < 0 ? undefined : end));
    if (match === null) return undefined;
    const [, file = '', line = '', column = '', label, addend = '0', ...call] = match;
    const place = placeOf(`${file} ${line} ${column}`);
    if (label === undefined) return { ...place, callee: undefined, inlinedAt: undefined };
    const callee = getOrInsert(callees, `${label}+${addend}`, () => stringAt(text, label, Number(addend)));
    return { ...place, callee: callee === '' ? undefined : callee, inlinedAt: call.join(' ') };
  });
}

function placeOf(key: string): Pick<Location, 'key' | 'file' | 'line' | 'column'> {
  const [file = 0, line = 0, column = 0] = key.split(' ').map(Number);
  return { key, file, line, column };
}

function named({ origins }: Source, { files }: LineTable, place: Pick<Location, 'file' | 'line' | 'column'>) {
  const { line, column } = place;
  const path = files.get(place.file) ?? `file ${place.file}`; // A `.loc` may refer to an unnamed file.
  const origin = origins?.find((candidate) => candidate.path === path);
  return { file: origin?.name ?? path, line, column, text: origin?.text };
}

/** Returns the last directive of the same function whose position, without inlining, is `key`. */
function callerBefore(source: Source, table: LineTable, index: number, key: string) {
  for (let at = index - 1; at >= 0; at--) {
    const found = locationAt(source, table, at);
    if (found === undefined) return undefined;
    if (found.key === key) return { index: at, location: found };
  }
  return undefined;
}

/**
 * Returns the string that the `.b8` numbers at a label of `.debug_str` encode, or '' if the label
 * does not exist.
 */
function stringAt(text: string, label: string, addend: number): string {
  const start = text.lastIndexOf(`\n${label}:`);
  if (start < 0) return '';
  let name = '';
  let skipped = 0;
  const numbers = /\.b8|\b(\d+)\b/g;
  numbers.lastIndex = start + label.length + 2;
  for (let match = numbers.exec(text); match !== null && name.length < maxNameLength; match = numbers.exec(text)) {
    if (match[1] === undefined) continue;
    if (Number(match[1]) === 0 && skipped >= addend) return name;
    if (skipped++ >= addend) name += String.fromCharCode(Number(match[1]));
  }
  return name;
}

const maxNameLength = 4096;
