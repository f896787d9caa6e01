// The texture lookups under test: each geometry with each kind of texel, filter, address mode and
// kind of coordinates.
import type { AddressMode, Image, ImageFilter, TexelType } from '../../../base/image.ts';

export const textureShapes = {
  '1d': { size: [23] },
  '2d': { size: [13, 9] },
  '3d': { size: [7, 6, 5] },
  a1d: { size: [19], layers: 4 },
  a2d: { size: [9, 7], layers: 3 },
} as const satisfies Readonly<Record<string, Pick<Image, 'size' | 'layers'>>>;
export type TextureGeometry = keyof typeof textureShapes;

interface Kind {
  readonly texel: TexelType;
  readonly channels: Image['channels'];
  /** Whether integers are read as fractions. */
  readonly fractions: boolean;
}

const kind = (texel: TexelType, channels: Image['channels'], fractions = false): Kind => ({
  texel,
  channels,
  fractions,
});
/** The kinds of texels that support filtering. */
const smooth = [kind('f32', 1), kind('f16', 4), kind('u8', 4, true), kind('s8', 2, true), kind('u16', 2, true), kind('s16', 1, true)]; // biome-ignore format: one line
const plain = [kind('f32', 4), kind('u8', 4), kind('s16', 2), kind('u32', 1), kind('f16', 1), kind('s8', 4, true), kind('u16', 1), kind('s8', 1), kind('s32', 2), kind('u8', 1, true), kind('s16', 4, true), kind('f32', 2)]; // biome-ignore format: one line

/**
 * The combinations of address mode and coordinates. Only normalized coordinates support repeating
 * modes.
 */
const places: readonly { readonly mode: AddressMode; readonly normalized: boolean }[] = [
  { mode: 'clamp', normalized: false },
  { mode: 'border', normalized: false },
  { mode: 'wrap', normalized: true },
  { mode: 'mirror', normalized: true },
  { mode: 'clamp', normalized: true },
  { mode: 'border', normalized: true },
];

export interface TextureForm {
  /** The name of a texture, for example `linear.mirror.unit.u8x4`. */
  readonly name: string;
  readonly image: Image & { readonly sampling: NonNullable<Image['sampling']> };
  /**
   * Whether a default run includes the texture. A default run covers every kind of texel and every
   * address mode of each geometry.
   */
  readonly isUsual: boolean;
}

export function textureForms(geom: TextureGeometry, filter: ImageFilter): readonly TextureForm[] {
  const turn = Object.keys(textureShapes).indexOf(geom);
  return (filter === 'linear' ? smooth : plain).flatMap(({ texel, channels, fractions }, number) =>
    places.map(({ mode, normalized }, place): TextureForm => {
      const isFloat = texel.startsWith('f');
      return {
        name: `${filter}.${mode}.${normalized ? 'unit' : 'texels'}.${fractions ? 'fractions.' : ''}${texel}x${channels}`,
        image: {
          texel,
          channels,
          ...textureShapes[geom],
          sampling: {
            filter,
            address: [mode, mode, mode],
            normalizedCoordinates: normalized,
            normalizedReads: fractions,
            border: isFloat ? [0.5, -1.25, 3, 0.125] : fractions ? [1, 0, 1, 0] : [7, 1, 0, 100],
          },
        },
        isUsual: number < places.length && (number + place) % places.length === turn,
      };
    }),
  );
}
