// The answers of all executors for one buffer element on which they differ.

import type { BufferParam, Launch, LaunchOutputs } from '../../base/launch.ts';
import { hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';
import { type Answer, agreementOf } from './answers.ts';
import { type Mismatch, withinTolerance } from './compare.ts';

/**
 * Returns the values of all executors for the element, including `expect`, and a sentence that
 * names the executors that agree. Returns nothing if there are only two answers. `wanted` is the
 * value with which `first` was compared. Values within the buffer's tolerance of `wanted` count as
 * equal to it.
 */
export function elementAnswers(
  { params }: Launch,
  { param: name, index }: Mismatch,
  wanted: LaunchOutputs,
  all: readonly Answer[],
): Readonly<Record<string, string | Readonly<Record<string, string>>>> {
  const place = params.findIndex((param) => param.name === name);
  const param = params[place];
  if (param?.kind !== 'buffer') return {};
  const expected = param.expect instanceof Uint8Array ? param.expect : undefined;
  const answers = [...all, { name: '`expect`', outputs: new Map([[place, expected]]) }].flatMap(({ name, outputs }) => {
    const bytes = outputs.get(place);
    return bytes ? [{ name, value: valueAt(param, index, bytes, wanted.get(place)) }] : [];
  });
  if (answers.length < 3) return {};
  const agreement = agreementOf(answers);
  return {
    others: Object.fromEntries(answers.map(({ name, value }) => [name, value])),
    ...(agreement ? { agreement } : {}),
  };
}

/** Returns the bits of an element, or the wanted bits if the element is within the tolerance. */
function valueAt(
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
