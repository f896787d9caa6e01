// What everybody says of one element of a buffer on which they differ.

import type { BufferParam, Launch, LaunchOutputs } from '../../base/launch.ts';
import { hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';
import { type Mismatch, withinTolerance } from './compare.ts';
import { standing } from './standing.ts';

/// An executor, or the reference, with what it left in the buffers.
export interface Witness {
  readonly name: string;
  readonly outputs: LaunchOutputs;
}

/// What each has there, `expect` included, and who stands alone; nothing where there are only two. `wanted` is what `first` was
/// compared with: what is as close to it as the buffer asks counts as equal.
export function witnesses(
  { params }: Launch,
  { param: name, index }: Mismatch,
  wanted: LaunchOutputs,
  all: readonly Witness[],
): Readonly<Record<string, string | Readonly<Record<string, string>>>> {
  const place = params.findIndex((param) => param.name === name);
  const param = params[place];
  if (param?.kind !== 'buffer') return {};
  const voices = [...all, { name: '`expect`', outputs: new Map([[place, param.expect]]) }].flatMap((witness) => {
    const bytes = witness.outputs.get(place);
    return bytes ? [{ name: witness.name, answer: answerAt(param, index, bytes, wanted.get(place)) }] : [];
  });
  if (voices.length < 3) return {};
  const verdict = standing(voices);
  return {
    others: Object.fromEntries(voices.map(({ name: who, answer }) => [who, answer])),
    ...(verdict ? { standing: verdict } : {}),
  };
}

/// Bits of an element, or the wanted ones if it is close enough to them.
function answerAt(
  { type, tolerance }: BufferParam,
  index: number,
  bytes: Uint8Array,
  wanted: Uint8Array | undefined,
): string {
  const size = scalarFormats[type].bytes;
  const at = index * size;
  const isWhole = wanted !== undefined && at + size <= Math.min(bytes.length, wanted.length);
  if (tolerance && isWhole) {
    const [number, other] = [wanted, bytes].map((array) => Number(readScalar(type, array, index)));
    if (number !== undefined && other !== undefined && withinTolerance(number, other, tolerance)) {
      return hexAt(wanted, at, size);
    }
  }
  return hexAt(bytes, at, size);
}
