// Reads and writes the texture and surface parameters of a case.

import {
  type AddressMode,
  addressModes,
  bytesOfTexelType,
  type Image,
  imageBytes,
  imageFilters,
  type Sampling,
  type TexelType,
  texelTypes,
} from '../../base/image.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { BufferParam } from '../../base/launch.ts';
import { CaseError, contents, count, expectation, flag, oneOf, type ReadCaseFile, shown, text } from './case-values.ts';

/** CUDA's limits for a width, a height and a depth. `maxLayers` is the limit for layers. */
const maxExtents = { array: [131_072, 65_536, 16_384], linear: [2 ** 27] } as const;
const maxLayers = 2048;
const maxImageBytes = 256 * 2 ** 20;

export const isImageKind = (kind: string): kind is 'texture' | 'surface' => kind === 'texture' || kind === 'surface';

const optionalFlag = (value: unknown, path: string): boolean => value !== undefined && flag(value, path);

function channelsOf(value: unknown, path: string): 1 | 2 | 4 {
  if (value === undefined || value === 1) return 1;
  if (value !== 2 && value !== 4) throw new CaseError(path, `must be 1, 2 or 4, not ${shown(value)}`);
  return value;
}

function sizeOf(value: unknown, most: readonly number[], path: string): Image['size'] {
  if (!Array.isArray(value) || value.length < 1 || value.length > most.length) {
    throw new CaseError(
      path,
      most.length === 1 ? 'must be [width]' : 'must be [width], [width, height] or [width, height, depth]',
    );
  }
  const [x = 1, y, z] = value.map((extent: unknown, axis) => {
    const n = count(extent, `${path}[${axis}]`, most[axis] ?? 1);
    if (n === 0) throw new CaseError(`${path}[${axis}]`, 'must be at least 1');
    return n;
  });
  return y === undefined ? [x] : z === undefined ? [x, y] : [x, y, z];
}

/**
 * Reads the address modes: one mode for all axes, or one mode for each axis, starting with the
 * first.
 */
function addressOf(value: unknown, path: string): Sampling['address'] {
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value ?? 'clamp'];
  if (listed.length < 1 || listed.length > 3)
    throw new CaseError(path, 'must be a mode, or a list of one to three modes');
  const modes = listed.map((mode, axis) => oneOf(mode, addressModes, Array.isArray(value) ? `${path}[${axis}]` : path));
  const mode = (axis: number): AddressMode => modes[axis] ?? modes[modes.length - 1] ?? 'clamp';
  return [mode(0), mode(1), mode(2)];
}

/**
 * Reads the border color. Rejects components that the texture cannot represent exactly, because
 * hardware would round them.
 */
function borderOf(value: unknown, path: string, texel: TexelType, fractions: boolean): Sampling['border'] {
  if (value === undefined) return [0, 0, 0, 0];
  const isColor = Array.isArray(value) && value.length === 4 && value.every((part) => typeof part === 'number');
  if (!isColor) throw new CaseError(path, 'must be [r, g, b, a]');
  const [r = 0, g = 0, b = 0, a = 0] = value.map(Number);
  const isFloat = texel === 'f16' || texel === 'f32';
  const most = fractions ? 1 : 2 ** (8 * bytesOfTexelType(texel)) - 1;
  const isHeld = [r, g, b, a].every((part) => Number.isInteger(part) && part >= 0 && part <= most);
  if (!isFloat && !isHeld) throw new CaseError(path, `must be integers from 0 to ${most} for ${texel}`);
  return [r, g, b, a];
}

function samplingOf(object: JsonObject, texel: TexelType, path: string): Sampling {
  const filter = object.filter === undefined ? 'point' : oneOf(object.filter, imageFilters, `${path}.filter`);
  const normalizedReads = optionalFlag(object.normalizedReads, `${path}.normalizedReads`);
  const isFloat = texel === 'f16' || texel === 'f32';
  if (normalizedReads && !/^[us](8|16)$/.test(texel)) {
    throw new CaseError(`${path}.normalizedReads`, `applies to integers of 8 and 16 bits, not to ${texel}`);
  }
  if (filter === 'linear' && !isFloat && !normalizedReads) {
    throw new CaseError(`${path}.filter`, `must be point for ${texel} without normalized reads`);
  }
  return {
    filter,
    address: addressOf(object.address, `${path}.address`),
    normalizedCoordinates: optionalFlag(object.normalizedCoordinates, `${path}.normalizedCoordinates`),
    normalizedReads,
    border: borderOf(object.border, `${path}.border`, texel, normalizedReads),
  };
}

/** Reads a texture or surface parameter. Throws `CaseError` if it is invalid. */
export function imageParam(
  object: JsonObject,
  name: string,
  kind: 'texture' | 'surface',
  path: string,
  read?: ReadCaseFile,
): BufferParam {
  const texel = oneOf(text(object, 'type', path), texelTypes, `${path}.type`);
  const linear = kind === 'texture' && optionalFlag(object.linear, `${path}.linear`);
  const size = sizeOf(object.size, linear ? maxExtents.linear : maxExtents.array, `${path}.size`);
  const layers = object.layers === undefined ? undefined : count(object.layers, `${path}.layers`, maxLayers);
  if (layers === 0) throw new CaseError(`${path}.layers`, 'must be at least 1');
  if (layers !== undefined && (linear || size.length === 3)) {
    throw new CaseError(
      `${path}.layers`,
      linear ? 'are allowed for arrays only' : 'are allowed for one or two dimensions only',
    );
  }
  const image: Image = {
    texel,
    channels: channelsOf(object.channels, `${path}.channels`),
    size,
    ...(layers === undefined ? {} : { layers }),
    ...(kind === 'texture' ? { sampling: samplingOf(object, texel, path) } : {}),
    ...(linear ? { linear } : {}),
    ...(optionalFlag(object.reference, `${path}.reference`) ? { reference: true } : {}),
  };
  const bytes = imageBytes(image);
  if (bytes > maxImageBytes)
    throw new CaseError(`${path}.size`, `requires ${bytes} bytes, but the limit is ${maxImageBytes}`);
  const place = { path, type: texel, bytes, read };
  const data = contents(object, 'data', place);
  const expect = kind === 'surface' ? expectation(object, place) : undefined;
  return {
    name,
    kind: 'buffer',
    type: texel,
    bytes,
    ...(data === undefined ? {} : { data }),
    ...(expect === undefined ? {} : { expect }),
    image,
  };
}

/** Writes the members that `imageParam` reads, except the contents. */
export function imageJson(name: string, { texel, sampling, ...image }: Image): JsonObject {
  const { layers, channels, size, ...flags } = image;
  return {
    name,
    kind: sampling === undefined ? 'surface' : 'texture',
    type: texel,
    channels,
    size,
    ...(layers === undefined ? {} : { layers }),
    ...flags,
    ...sampling,
  };
}
