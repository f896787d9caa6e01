// Textures and surfaces as a launch gives them: what the texels of a buffer mean, and how a texture is sampled.

/** Texels' components: integers, halves and floats. */
export const texelTypes = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'f16', 'f32'] as const;
export type TexelType = (typeof texelTypes)[number];

export const addressModes = ['wrap', 'clamp', 'mirror', 'border'] as const;
export type AddressMode = (typeof addressModes)[number];

export const imageFilters = ['point', 'linear'] as const;
export type ImageFilter = (typeof imageFilters)[number];

/** How a texture is sampled: what `cuTexObjectCreate` takes. */
export interface Sampling {
  readonly filter: ImageFilter;
  /** Of x, y and z. */
  readonly address: readonly [AddressMode, AddressMode, AddressMode];
  /** Whether coordinates run from 0 to 1. */
  readonly normalizedCoordinates: boolean;
  /** Whether integers of 8 and 16 bits are read as fractions. */
  readonly normalizedReads: boolean;
  /** What lies beside the texture in the mode `border`, by component. */
  readonly border: readonly [number, number, number, number];
}

/**
 * What makes a buffer parameter a texture (with `sampling`) or a surface: the kernel gets a handle in place of its address. Texels lie in rows
 * of `size[0]`, rows in slices of `size[1]`, without gaps; layers one after the other.
 */
export interface Image {
  readonly texel: TexelType;
  readonly channels: 1 | 2 | 4;
  /** Width; width and height; or width, height and depth. */
  readonly size: readonly [number] | readonly [number, number] | readonly [number, number, number];
  /** Of a layered texture or surface. */
  readonly layers?: number;
  /** Only textures have it. */
  readonly sampling?: Sampling;
  /** Whether it is the module's `.texref` or `.surfref` variable of the parameter's name, and no parameter of the kernel. Such stand last. */
  readonly reference?: boolean;
  /** Whether a texture lies in linear memory, where there is no filter and no address mode. */
  readonly linear?: boolean;
}

const componentBytes: Readonly<Record<TexelType, 1 | 2 | 4>> = {
  u8: 1, s8: 1, u16: 2, s16: 2, u32: 4, s32: 4, f16: 2, f32: 4,
}; // biome-ignore format: one line

/** Of one component. */
export const bytesOfTexelType = (type: TexelType): 1 | 2 | 4 => componentBytes[type];

/** Of one texel. */
export const texelBytes = ({ texel, channels }: Image): number => componentBytes[texel] * channels;

/** Of all texels. */
export const imageBytes = (image: Image): number =>
  image.size.reduce((product, extent) => product * extent, texelBytes(image)) * (image.layers ?? 1);
