// Reads and writes the tensor map parameters of a case.
import type { JsonObject } from '../../base/json-value.ts';
import type { BytesParam } from '../../base/launch.ts';
import {
  encodeTensorMap,
  type TensorMap,
  TensorMapError,
  tensorFills,
  tensorInterleaves,
  tensorPromotions,
  tensorSwizzles,
  tensorTypes,
} from '../../base/tensor-map.ts';
import { CaseError, count, oneOf, text } from './case-values.ts';

const maxOffset = 256 * 2 ** 20;

function numbers(value: unknown, path: string): readonly number[] {
  if (!Array.isArray(value)) throw new CaseError(path, 'must be an array');
  return value.map((element, index) => count(element, `${path}[${index}]`, Number.MAX_SAFE_INTEGER));
}

/** Reads a tensor map parameter. Throws `CaseError` if the driver would reject it. */
export function tensorMapParam(object: JsonObject, name: string, path: string): BytesParam {
  const own = (key: string): string => `${path}.${key}`;
  const choice = <const Word extends string>(key: string, words: readonly Word[]) =>
    object[key] === undefined ? {} : { [key]: oneOf(object[key], words, own(key)) };
  const list = (key: string) => (object[key] === undefined ? {} : { [key]: numbers(object[key], own(key)) });
  const tensorMap: TensorMap = {
    type: oneOf(text(object, 'type', path), tensorTypes, own('type')),
    sizes: numbers(object.sizes, own('sizes')),
    ...list('strides'),
    box: numbers(object.box, own('box')),
    ...list('elementStrides'),
    ...choice('interleave', tensorInterleaves),
    ...choice('swizzle', tensorSwizzles),
    ...choice('l2Promotion', tensorPromotions),
    ...choice('fill', tensorFills),
  };
  const to = count(object.to, own('to'), maxOffset);
  const offset = object.offset === undefined ? 0 : count(object.offset, own('offset'), maxOffset);
  try {
    return {
      name,
      kind: 'bytes',
      data: encodeTensorMap(tensorMap, BigInt(offset)),
      pointers: [{ at: 0, to, offset }],
      tensorMap,
    };
  } catch (error) {
    if (error instanceof TensorMapError) throw new CaseError(error.path === '' ? path : own(error.path), error.problem);
    throw error;
  }
}

/** Writes the members that `tensorMapParam` reads. */
export function tensorMapJson({ name, pointers = [] }: BytesParam, tensorMap: TensorMap): JsonObject {
  const [pointer] = pointers;
  return {
    name,
    kind: 'tensormap',
    to: pointer?.to,
    ...(pointer?.offset ? { offset: pointer.offset } : {}),
    ...tensorMap,
  };
}
