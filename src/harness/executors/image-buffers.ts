// Textures and surfaces on WebGPU: buffers with a header in front of the texels.

import type { BufferParam, Launch, LaunchParam } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import { headerBytes, imageHeader } from '../../translate/image/header.ts';

/** Variables of the module that the launch gives textures or surfaces. */
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

/** The launch with each texture and surface as a plain buffer. */
export function imagesAsBuffers(launch: Launch): Launch {
  if (!launch.params.some((param) => param.kind === 'buffer' && param.image !== undefined)) return launch;
  return getOrInsert(converted, launch, () => ({ ...launch, params: launch.params.map(asBuffer) }));
}

/** Bytes in front of a parameter's contents. */
export const contentsOffset = (param: LaunchParam | undefined): number =>
  param?.kind === 'buffer' && param.image !== undefined ? headerBytes : 0;
