// Where things lie: kernel parameters in the uniform block, variables in the heap, in shared and in local memory.
import type { Variable } from '../ptx/ast.ts';
import { refuse, translateDiagnostics } from './diagnostics.ts';

/// Generic addresses of shared and local memory start here; global ones are heap offsets below.
export const sharedWindow = 0xf000_0000;
export const localWindow = 0xf800_0000;
/// Of the variables of a space: as much as a generic window holds, and half of what WebGPU allows a buffer by default.
const mostBytes = 2 ** 27;
/// Address 0 is never valid; the heap's first bytes stay unused.
export const heapStart = 256;

const alignUp = (value: number, align: number) => Math.ceil(value / align) * align;

export interface Layout {
  /// Byte offset of a variable in its space.
  readonly offsetOf: (variable: Variable) => number;
  /// Bytes of each space, rounded up to words.
  readonly sharedBytes: number;
  readonly localBytes: number;
  /// Initial contents of the heap up to the first launch buffer.
  readonly heapImage: Uint8Array;
}

/// Lays out `variables`; `dynamicShared` bytes follow the static shared ones, where `extern .shared x[]` begins.
export function layOut(variables: readonly Variable[], dynamicShared: number): Layout {
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
  const inSpace = (...spaces: Variable['space'][]) => variables.filter((variable) => spaces.includes(variable.space));
  const isDynamic = (variable: Variable) => variable.external && variable.bytes === 0;

  const staticEnd = place(
    inSpace('shared').filter((variable) => !isDynamic(variable)),
    0,
  );
  const dynamic = inSpace('shared').filter(isDynamic);
  const dynamicStart = dynamic.reduce((start, variable) => alignUp(start, Math.max(variable.align, 16)), staticEnd);
  for (const variable of dynamic) offsets.set(variable.name, dynamicStart);
  const sharedEnd = (dynamic.length > 0 ? dynamicStart : staticEnd) + dynamicShared;
  const localEnd = place(inSpace('local'), 0);
  const heapEnd = place(inSpace('global', 'const'), heapStart);

  const offsetOf = (variable: Variable) => offsets.get(variable.name) ?? 0;
  return {
    offsetOf,
    sharedBytes: alignUp(sharedEnd, 4),
    localBytes: alignUp(localEnd, 4),
    heapImage: heapImage(inSpace('global', 'const'), offsetOf, alignUp(heapEnd, 256)),
  };
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
