// Where things lie: kernel parameters in the uniform block, variables in the heap, in shared and in local memory.
import type { Variable } from '../ptx/ast.ts';
import { refuse, translateDiagnostics } from './diagnostics.ts';
import type { Granule } from './memory-access.ts';

/// Generic addresses of shared and local memory start here; global ones are heap offsets below.
export const sharedWindow = 0xf000_0000;
export const localWindow = 0xf800_0000;
/// What a conversion to a generic address adds.
export function windowOf(space: string | undefined): number {
  const [name] = (space ?? '').split('::');
  return name === 'shared' ? sharedWindow : name === 'local' ? localWindow : 0;
}

/// Of the variables of a space: as much as a generic window holds, and half of what WebGPU allows a buffer by default.
const mostBytes = 2 ** 27;
/// Address 0 is never valid; the heap's first bytes stay unused.
export const heapStart = 256;

/// The largest vector access.
const vectorBytes = 16;

export const alignUp = (value: number, align: number) => Math.ceil(value / align) * align;

/// Variables of shared or local memory that are one array in WGSL.
export interface MemoryArray {
  /// Tells it from all other memories of the kernel.
  readonly key: string;
  /// What to call it.
  readonly name: string;
  readonly space: 'shared' | 'local';
  readonly variables: readonly Variable[];
  /// Bytes: where it begins in its space, and its size in whole words.
  readonly start: number;
  readonly bytes: number;
  /// Words of an element: arrays that vector accesses reach have vectors, unless their words are atomic.
  readonly granule: Granule;
  readonly atomic: boolean;
}

export interface Layout {
  /// Byte offset of a variable in its space.
  readonly offsetOf: (variable: Variable) => number;
  readonly arrays: readonly MemoryArray[];
  /// Bytes of shared memory, rounded up to words.
  readonly sharedBytes: number;
  /// Initial contents of the heap up to the first launch buffer.
  readonly heapImage: Uint8Array;
}

/// Variables of a space in sets, each of which shall be one array.
export type Grouping = Readonly<Record<MemoryArray['space'], readonly (readonly Variable[])[]>>;

/// `extern .shared x[]`, whose size is the launch's.
export const isDynamic = (variable: Variable) => variable.external && variable.bytes === 0;

export const inSpace = (variables: readonly Variable[], ...spaces: Variable['space'][]) =>
  variables.filter((variable) => spaces.includes(variable.space));

/// Lays out `variables`, shared and local memory as one array each unless `grouping` says otherwise. `dynamicShared` bytes follow the
/// static ones of the array that has the dynamic variables, which all begin there.
export function layOut(variables: readonly Variable[], dynamicShared: number, grouping?: Grouping): Layout {
  const offsets = new Map<string, number>();
  const place = (list: readonly Variable[], from: number) =>
    list.reduce((end, variable) => {
      const start = alignUp(end, Math.max(variable.align, 1));
      offsets.set(variable.name, start);
      const after = start + variable.bytes;
      if (after > mostBytes) {
        const what = `more than ${mostBytes / 2 ** 20} MiB of .${variable.space} variables`;
        refuse(translateDiagnostics.notSupported(what), variable.span);
      }
      return after;
    }, from);

  const placeArray = (space: MemoryArray['space'], list: readonly Variable[], from: number, extra: number) => {
    const align = Math.max(vectorBytes, ...list.map((variable) => variable.align));
    const start = alignUp(from, align);
    const staticEnd = place(
      list.filter((variable) => !isDynamic(variable)),
      start,
    );
    const dynamic = list.filter(isDynamic);
    const dynamicStart = dynamic.length > 0 ? alignUp(staticEnd, align) : staticEnd;
    for (const variable of dynamic) offsets.set(variable.name, dynamicStart);
    return { space, variables: list, start, bytes: alignUp(dynamicStart + extra - start, 4) };
  };
  const arrays = (['shared', 'local'] as const).flatMap((space) => {
    const groups = grouping?.[space] ?? [inSpace(variables, space)];
    const whole = groups.length === 1;
    let end = 0;
    return groups.map((group): MemoryArray => {
      const extra = space === 'shared' && (whole || group.some(isDynamic)) ? dynamicShared : 0;
      const array = placeArray(space, group, end, extra);
      end = array.start + array.bytes;
      const [first] = group;
      const named = !whole && first !== undefined;
      return {
        ...array,
        key: named ? `${space} ${first.name}` : space,
        granule: 1,
        atomic: false,
        name: named && group.length === 1 ? sourceName(first.name) : `${space}_memory`,
      };
    });
  });
  const heapEnd = place(inSpace(variables, 'global', 'const'), heapStart);
  const offsetOf = (variable: Variable) => offsets.get(variable.name) ?? 0;
  return {
    offsetOf,
    arrays,
    sharedBytes: Math.max(
      0,
      ...arrays.filter(({ space }) => space === 'shared').map(({ start, bytes }) => start + bytes),
    ),
    heapImage: heapImage(inSpace(variables, 'global', 'const'), offsetOf, alignUp(heapEnd, 256)),
  };
}

/// The C++ name of a variable of a function: `_ZZ6matmulE4left` is `left`.
function sourceName(name: string): string {
  for (const { 1: length, index } of name.matchAll(/(?<=E)(\d+)/g)) {
    const start = index + (length?.length ?? 0);
    const plain = name.slice(start, start + Number(length));
    if (/^(_\d+)?$/.test(name.slice(start + plain.length)) && plain.length === Number(length)) return plain;
  }
  return name;
}

function heapImage(
  variables: readonly Variable[],
  offsetOf: (variable: Variable) => number,
  bytes: number,
): Uint8Array {
  const image = new Uint8Array(bytes);
  const view = new DataView(image.buffer);
  const named = new Map(variables.map((variable) => [variable.name, variable]));
  for (const variable of variables) {
    const start = offsetOf(variable);
    for (const part of variable.initializers) {
      if (part.kind === 'bytes') {
        image.set(part.bytes, start + part.offset);
        continue;
      }
      const target = named.get(part.symbol);
      if (target === undefined)
        refuse(translateDiagnostics.notSupported(`the address of \`${part.symbol}\` in an initializer`), variable.span);
      view.setUint32(start + part.offset, offsetOf(target) + part.addend, true);
    }
  }
  return image;
}
