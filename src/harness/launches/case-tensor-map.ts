// Reads and writes the tensor map parameters of a case.

import { encodeTensorMap } from '../../base/encode-tensor-map.ts';
import { isObject, type JsonObject } from '../../base/json-value.ts';
import type { BytesParam } from '../../base/launch.ts';
import {
  type PixelBox,
  type TensorLayout,
  type TensorMap,
  tensorFills,
  tensorInterleaves,
  tensorPromotions,
  tensorSwizzles,
  tensorTypes,
} from '../../base/tensor-map.ts';
import { TensorMapError } from '../../base/tensor-map-rules.ts';
import { CaseError, count, oneOf, text } from './case-values.ts';

const maxOffset = 256 * 2 ** 20;

function elements<T>(value: unknown, path: string, read: (element: unknown, path: string) => T): readonly T[] {
  if (!Array.isArray(value)) throw new CaseError(path, 'must be an array');
  return value.map((element, index) => read(element, `${path}[${index}]`));
}

const numbers = (value: unknown, path: string): readonly number[] =>
  elements(value, path, (element, own) => count(element, own, Number.MAX_SAFE_INTEGER));

function corner(value: unknown, path: string): number {
  if (typeof value !== 'number') throw new CaseError(path, 'must be a number');
  return value;
}

/** Reads the pixels of a map in im2col mode. The map's check finds numbers out of range. */
function pixelBox(value: unknown, path: string): PixelBox {
  if (!isObject(value)) throw new CaseError(path, 'must be an object');
  const { lower, upper, channels, pixels } = value;
  return {
    lower: elements(lower, `${path}.lower`, corner),
    upper: elements(upper, `${path}.upper`, corner),
    channels: count(channels, `${path}.channels`, Number.MAX_SAFE_INTEGER),
    pixels: count(pixels, `${path}.pixels`, Number.MAX_SAFE_INTEGER),
  };
}

/** Reads a tensor map parameter. Throws `CaseError` if the driver would reject it. */
export function tensorMapParam(object: JsonObject, name: string, path: string): BytesParam {
  const own = (key: string): string => `${path}.${key}`;
  const choice = <const Word extends string>(key: string, words: readonly Word[]) =>
    object[key] === undefined ? {} : { [key]: oneOf(object[key], words, own(key)) };
  const list = (key: string) => (object[key] === undefined ? {} : { [key]: numbers(object[key], own(key)) });
  const layout: TensorLayout = {
    type: oneOf(text(object, 'type', path), tensorTypes, own('type')),
    sizes: numbers(object.sizes, own('sizes')),
    ...list('strides'),
    ...list('elementStrides'),
    ...choice('interleave', tensorInterleaves),
    ...choice('swizzle', tensorSwizzles),
    ...choice('l2Promotion', tensorPromotions),
    ...choice('fill', tensorFills),
  };
  if (object.box !== undefined && object.im2col !== undefined)
    throw new CaseError(own('im2col'), 'excludes `box`: a map has one of them');
  const tensorMap: TensorMap =
    object.im2col === undefined
      ? { ...layout, box: numbers(object.box, own('box')) }
      : { ...layout, im2col: pixelBox(object.im2col, own('im2col')) };
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
