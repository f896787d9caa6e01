// Textures and surfaces on WebGPU: buffers in which a header precedes the texels.

import type { BufferParam, Launch, LaunchParam } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import { headerBytes, imageHeader } from '../../translate/image/header.ts';

/** Returns the names of the module's variables that the launch binds to textures or surfaces. */
export const referencesOf = ({ params }: Launch): readonly string[] =>
  params.flatMap((param) => (param.kind === 'buffer' && param.image?.reference ? [param.name] : []));

function asBuffer(param: LaunchParam): LaunchParam {
  if (param.kind !== 'buffer' || param.image === undefined) return param;
  const { name, type, bytes, image } = param;
  const data = new Uint8Array(headerBytes + bytes);
  data.set(imageHeader(image));
  if (param.data) data.set(param.data.subarray(0, bytes), headerBytes);
  return { name, kind: 'buffer', type, bytes: data.length, data } satisfies BufferParam;
}

const converted = new WeakMap<Launch, Launch>();

/** Returns the launch with each texture and surface as a plain buffer. */
export function imagesAsBuffers(launch: Launch): Launch {
  if (!launch.params.some((param) => param.kind === 'buffer' && param.image !== undefined)) return launch;
  return getOrInsert(converted, launch, () => ({ ...launch, params: launch.params.map(asBuffer) }));
}

/** Returns the number of bytes before a parameter's contents. */
export const contentsOffset = (param: LaunchParam | undefined): number =>
  param?.kind === 'buffer' && param.image !== undefined ? headerBytes : 0;
