// Textures and surfaces of a launch: the format of their texels, and how a texture is sampled.

/** The types of a texel's component: integers, halves and floats. */
export const texelTypes = ['u8', 's8', 'u16', 's16', 'u32', 's32', 'f16', 'f32'] as const;
export type TexelType = (typeof texelTypes)[number];

export const addressModes = ['wrap', 'clamp', 'mirror', 'border'] as const;
export type AddressMode = (typeof addressModes)[number];

export const imageFilters = ['point', 'linear'] as const;
export type ImageFilter = (typeof imageFilters)[number];

/** The sampling state of a texture, as `cuTexObjectCreate` accepts it. */
export interface Sampling {
  readonly filter: ImageFilter;
  /** The address modes of x, y and z. */
  readonly address: readonly [AddressMode, AddressMode, AddressMode];
  /** Whether coordinates range from 0 to 1. */
  readonly normalizedCoordinates: boolean;
  /** Whether 8-bit and 16-bit integers are read as fractions. */
  readonly normalizedReads: boolean;
  /** The texel outside of the texture in the mode `border`, by component. */
  readonly border: readonly [number, number, number, number];
}

/**
 * Describes a buffer parameter that is a texture (with `sampling`) or a surface, so that the kernel
 * receives a handle instead of an address. Rows have `size[0]` texels and slices have `size[1]`
 * rows, without gaps. Layers are stored one after another.
 */
export interface Image {
  readonly texel: TexelType;
  readonly channels: 1 | 2 | 4;
  /** The size in texels: the width, the width and height, or the width, height and depth. */
  readonly size: readonly [number] | readonly [number, number] | readonly [number, number, number];
  /** The distance between rows in bytes; undefined if rows have no gaps. Only textures have gaps. */
  readonly pitch?: number;
  /** The number of layers of a layered texture or surface. */
  readonly layers?: number;
  /** The sampling state; undefined for surfaces. */
  readonly sampling?: Sampling;
  /**
   * Whether this is the module's `.texref` or `.surfref` variable with the parameter's name,
   * instead of a kernel parameter. Such images follow the parameters of the kernel.
   */
  readonly reference?: boolean;
  /**
   * Whether a texture is in linear memory. Such textures do not have a filter and an address mode.
   */
  readonly linear?: boolean;
}

const componentBytes: Readonly<Record<TexelType, 1 | 2 | 4>> = {
  u8: 1, s8: 1, u16: 2, s16: 2, u32: 4, s32: 4, f16: 2, f32: 4,
}; // biome-ignore format: one line

/** Returns the number of bytes of one component. */
export const bytesOfTexelType = (type: TexelType): 1 | 2 | 4 => componentBytes[type];

/** Returns the number of bytes of one texel. */
export const texelBytes = ({ texel, channels }: Image): number => componentBytes[texel] * channels;

/** Returns the number of bytes of all texels. */
export const imageBytes = (image: Image): number =>
  image.size.reduce((product, extent) => product * extent, texelBytes(image)) * (image.layers ?? 1);
