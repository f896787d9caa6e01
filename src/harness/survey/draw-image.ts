// Draws textures and surfaces for a kernel from its PTX alone.
import { type AddressMode, type Image, imageBytes, type TexelType } from '../../base/image.ts';
import type { BufferParam } from '../../base/launch.ts';
import { encodeScalar } from '../../base/scalars.ts';
import type { ImageUse } from '../infer/index.ts';
import type { Random } from '../suites/random.ts';

type Shape = Pick<Image, 'size' | 'layers'>;
const textures: Readonly<Record<string, Shape>> = {
  '1d': { size: [100] },
  '2d': { size: [16, 12] },
  '3d': { size: [8, 6, 5] },
  a1d: { size: [32], layers: 4 },
  a2d: { size: [8, 8], layers: 3 },
};
/**
 * The shapes of surfaces. Surfaces are larger than textures, because accesses outside of a surface
 * often trap.
 */
const surfaces: Readonly<Record<string, Shape>> = {
  '1d': { size: [2048] },
  '2d': { size: [256, 64] },
  '3d': { size: [64, 16, 8] },
  a1d: { size: [256], layers: 16 },
  a2d: { size: [64, 16], layers: 8 },
};

const isFloat = (texel: TexelType): boolean => texel === 'f32' || texel === 'f16';

function textureOf({ geom = '2d', isInteger, type }: ImageUse, attempt: number, numbers: Random): Image {
  const wantsFloats = type.startsWith('f');
  const texel = wantsFloats
    ? numbers.pick<TexelType>(['f32', 'f32', 'f16', 'u8'])
    : numbers.pick<TexelType>(['u8', 's32', 'u32', 's16']);
  const normalizedReads = wantsFloats && !isFloat(texel);
  const mode = numbers.pick<AddressMode>(['clamp', 'wrap', 'mirror', 'border']);
  return {
    texel,
    channels: numbers.pick<Image['channels']>([1, 2, 4]),
    ...(textures[geom] ?? { size: [16, 12] }),
    // One-dimensional textures must be in linear memory for lookups with integer coordinates. Such
    // lookups in other textures find no texels.
    ...(isInteger && geom === '1d' ? { linear: true } : {}),
    sampling: {
      filter: wantsFloats && !isInteger && attempt % 2 === 1 ? 'linear' : 'point',
      address: [mode, mode, mode],
      normalizedCoordinates: !isInteger && numbers.chance(0.5),
      normalizedReads,
      border: [0, 0, 0, 0],
    },
  };
}

/** Draws an image. Its texels are small numbers, as in other buffers. */
export function drawImage(use: ImageUse, name: string, attempt: number, numbers: Random): BufferParam {
  const image: Image = use.isSurface
    ? { texel: 'u32', channels: 1, ...(surfaces[use.geom ?? '2d'] ?? { size: [256, 64] }) }
    : textureOf(use, attempt, numbers);
  const data = new Uint8Array(imageBytes(image));
  const size = encodeScalar(image.texel, 0).length;
  for (let at = 0; at < data.length; at += size) {
    const value = isFloat(image.texel) ? (numbers.below(33) - 16) / 4 : numbers.below(128);
    data.set(encodeScalar(image.texel, value), at);
  }
  return { name, kind: 'buffer', type: 'u8', bytes: data.length, data, image };
}
