// Lays out variables in the heap, in shared memory and in local memory, and groups them into
// arrays.

import { alignUp } from '../base/align.ts';
import { get } from '../base/invariants.ts';
import type { Variable } from '../ptx/ast.ts';
import { compileDiagnostics, refuse } from './diagnostics.ts';
import type { Space } from './ir/memory.ts';

/**
 * The first generic address of shared and of local memory. Lower generic addresses are offsets in
 * the heap.
 */
export const sharedWindow = 0xf000_0000;
export const localWindow = 0xf800_0000;

/**
 * The maximum total size of the variables of a space: the size of a generic window, and half of
 * WebGPU's default limit for a buffer.
 */
const maxSpaceBytes = 2 ** 27;
/**
 * The size of the unused start of the heap, because address 0 is never valid. It contains only the
 * words of the grid's barrier.
 */
export const reservedHeapBytes = 256;
export const gridBarrier = 128;
/** The number of bytes of the largest vector access. */
const vectorBytes = 16;

export type ArraySpace = 'shared' | 'local';

/** Returns the number that a conversion to a generic address adds. */
export const windowOf = (space: Space): number =>
  space === 'shared' ? sharedWindow : space === 'local' ? localWindow : 0;

/** Variables of shared or local memory that are one array in WGSL. */
export interface LaidArray {
  /** A hint for the array's name. */
  readonly hint: string;
  readonly space: ArraySpace;
  readonly variables: readonly Variable[];
  /** The offset of the array in its space, in bytes, and its size in whole words. */
  readonly start: number;
  readonly bytes: number;
}

export interface Layout {
  /** Returns the byte offset of a variable in its space. */
  readonly offsetOf: (variable: Variable) => number;
  readonly arrays: readonly LaidArray[];
  /** The size of shared memory in bytes, rounded up to words. */
  readonly sharedBytes: number;
  /**
   * The initial contents of the heap, from the start of the module's part to the first launch
   * buffer.
   */
  readonly heapImage: Uint8Array;
}

/** The module's variables in the heap. */
export interface ModuleMemory {
  readonly addressOf: ReadonlyMap<Variable, number>;
  /** The initial contents of the module's part of the heap. */
  readonly image: Uint8Array;
}

/** Sets of variables of each space. Each set becomes one array. */
export type Grouping = Readonly<Record<ArraySpace, readonly (readonly Variable[])[]>>;

/** Whether the launch chooses the size of a variable: `extern .shared x[]`. */
export const isDynamic = (variable: Variable): boolean => variable.external && variable.bytes === 0;

export const inSpace = (variables: readonly Variable[], ...spaces: readonly Variable['space'][]): readonly Variable[] =>
  variables.filter((variable) => spaces.includes(variable.space));

/**
 * Lays out `variables` with one array for each set of `grouping`. In the array that has the dynamic
 * variables, `dynamicShared` bytes follow the static variables, and all dynamic variables begin
 * there. `heapStart`: the first heap address of the module's part.
 */
export function layOut(
  variables: readonly Variable[],
  dynamicShared: number,
  grouping: Grouping,
  heapStart: number,
): Layout {
  const offsets = new Map<Variable, number>();
  const place = (list: readonly Variable[], from: number) => placeIn(offsets, list, from);
  const placeArray = (space: ArraySpace, list: readonly Variable[], from: number, extra: number) => {
    const align = list.reduce((most, variable) => Math.max(most, variable.align), vectorBytes);
    const start = alignUp(from, align);
    const staticEnd = place(
      list.filter((variable) => !isDynamic(variable)),
      start,
    );
    const dynamic = list.filter(isDynamic);
    const dynamicStart = dynamic.length > 0 ? alignUp(staticEnd, align) : staticEnd;
    for (const variable of dynamic) offsets.set(variable, dynamicStart);
    return { space, variables: list, start, bytes: alignUp(dynamicStart + extra - start, 4) };
  };
  const arrays = (['shared', 'local'] as const).flatMap((space) => {
    const groups = grouping[space];
    const whole = groups.length === 1;
    let end = 0;
    return groups.map((group): LaidArray => {
      const extra = space === 'shared' && (whole || group.some(isDynamic)) ? dynamicShared : 0;
      const array = placeArray(space, group, end, extra);
      end = array.start + array.bytes;
      const [first] = group;
      const isNamed = !whole && first !== undefined && group.length === 1;
      return { ...array, hint: isNamed ? sourceName(first.name) : `${space}_memory` };
    });
  });
  const heap = layOutHeap(variables, heapStart);
  const offsetOf = (variable: Variable) =>
    offsets.get(variable) ?? get(heap.addressOf, variable, 'the address of a variable');
  const sharedBytes = arrays.reduce(
    (most, { space, start, bytes }) => (space === 'shared' ? Math.max(most, start + bytes) : most),
    0,
  );
  return { offsetOf, arrays, sharedBytes, heapImage: heap.image };
}

/** Lays out the variables of global and constant memory from address `start`. */
export function layOutHeap(variables: readonly Variable[], start: number): ModuleMemory {
  const inHeap = inSpace(variables, 'global', 'const');
  const addressOf = new Map<Variable, number>();
  const end = placeIn(addressOf, inHeap, Math.max(start, reservedHeapBytes));
  return {
    addressOf,
    image: heapImage(
      inHeap,
      (variable) => get(addressOf, variable, 'the address of a variable'),
      start,
      alignUp(end, 256),
    ),
  };
}

/** Places variables one after another, and returns the end of the last one. */
function placeIn(offsets: Map<Variable, number>, list: readonly Variable[], from: number): number {
  let end = from;
  for (const variable of list) {
    const start = alignUp(end, Math.max(variable.align, 1));
    offsets.set(variable, start);
    end = start + variable.bytes;
    if (end - from > maxSpaceBytes) {
      const what = `more than ${maxSpaceBytes / 2 ** 20} MiB of .${variable.space} variables`;
      refuse(compileDiagnostics.notSupported(what), variable.span);
    }
  }
  return end;
}

/**
 * Returns the C++ name of a function's variable: `_ZZ6matmulE4left` becomes `left`. The name
 * follows an `E` and the length of the name, and is the rest of the text, except for an optional
 * numeric suffix.
 */
function sourceName(name: string): string {
  for (let at = name.indexOf('E'); at !== -1; at = name.indexOf('E', at + 1)) {
    let end = at + 1;
    while (isDigit(name, end)) end += 1;
    const length = Number(name.slice(at + 1, end));
    if (end === at + 1 || end + length > name.length) continue;
    if (isNumberSuffix(name.slice(end + length))) return name.slice(end, end + length);
  }
  return name;
}

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

/** Whether a text is empty, or `_` and digits. */
function isNumberSuffix(text: string): boolean {
  if (text === '') return true;
  if (text.length < 2 || !text.startsWith('_')) return false;
  for (let at = 1; at < text.length; at++) if (!isDigit(text, at)) return false;
  return true;
}

function heapImage(
  variables: readonly Variable[],
  offsetOf: (variable: Variable) => number,
  heapStart: number,
  end: number,
): Uint8Array {
  const image = new Uint8Array(end - heapStart);
  const view = new DataView(image.buffer);
  const named = new Map(variables.map((variable) => [variable.name, variable]));
  for (const variable of variables) {
    const start = offsetOf(variable) - heapStart;
    for (const part of variable.initializers) {
      if (part.kind === 'bytes') {
        image.set(part.bytes, start + part.offset);
        continue;
      }
      const target = named.get(part.symbol);
      if (target === undefined)
        refuse(compileDiagnostics.notSupported(`the address of \`${part.symbol}\` in an initializer`), variable.span);
      view.setUint32(start + part.offset, offsetOf(target) + part.addend, true);
    }
  }
  return image;
}
