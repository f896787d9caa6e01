// The answers for one element of a buffer in which executors differ.

import type { BufferParam, Launch, LaunchOutputs } from '../../base/launch.ts';
import { hexAt, readScalar, scalarFormats } from '../../base/scalars.ts';
import { type Answer, agreementOf } from './answers.ts';
import { type Mismatch, withinTolerance } from './compare.ts';

/**
 * The value of each there, `expect` included, and which agree; nothing where there are only two. `wanted` is what `first` was
 * compared with: what is as close to it as the buffer asks counts as equal.
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

/** Bits of an element, or the wanted ones if it is close enough to them. */
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
