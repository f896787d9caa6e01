// The memory layout of a texture or surface: a handle is the address of a 16-word header, followed
// by the texels.
import {
  type AddressMode,
  bytesOfTexelType,
  type Image,
  type Sampling,
  type TexelType,
  texelBytes,
} from '../../base/image.ts';

export const headerBytes = 64;

/** Byte offsets of the header's words. Words that are read together are adjacent. */
export const headerOffsets = {
  /** The extents that queries return: 0 if the image lacks the dimension. */
  width: 0,
  height: 4,
  depth: 8,
  layers: 12,
  /**
   * The sizes in bytes of a row, of a slice or layer, and of a texel; then the number of
   * components.
   */
  row: 16,
  slice: 20,
  texel: 24,
  channels: 28,
  /**
   * The reader of components (`readers`); whether to filter; the address modes of the axes (one
   * byte each, then `bareFlag`); whether coordinates are normalized.
   */
  reader: 32,
  linear: 36,
  modes: 40,
  normalized: 44,
  /** The border color in four words, one per component. */
  border: 48,
} as const;

/**
 * The conversions from a component's bytes to a word, as values of the header's `reader`. Words are
 * not converted, but reductions distinguish signed words, and the filter distinguishes floats.
 */
export const readers = { u8: 0, s8: 1, u16: 2, s16: 3, u32: 4, f16: 5, s32: 6, f32: 7 } as const satisfies Record<
  TexelType,
  number
>;
/**
 * The difference that is added to the reader if integers are read as fractions: `u8` becomes 8, and
 * so on.
 */
export const normalizedReader = 8;

/** A flag in `modes`. If it is set, lookups by integer coordinates return zeros. */
export const bareFlag = 1 << 24;

/** The numbers of the address modes. */
export const modeNumbers: Readonly<Record<AddressMode, number>> = { wrap: 0, clamp: 1, mirror: 2, border: 3 };

const plain: Sampling = {
  filter: 'point',
  address: ['clamp', 'clamp', 'clamp'],
  normalizedCoordinates: false,
  normalizedReads: false,
  border: [0, 0, 0, 0],
};

const scratch = new DataView(new ArrayBuffer(4));

/**
 * Returns a component of the border color in the form of a texel, before integers become fractions.
 */
function borderWord({ texel, sampling }: Image, value: number): number {
  if (texel === 'f32' || texel === 'f16') {
    scratch.setFloat32(0, value);
    // A half has 13 fraction bits fewer than an f32, and even fewer below 2^-14.
    const exponent = (scratch.getUint32(0) >>> 23) & 255;
    const lost = texel === 'f32' ? 0 : Math.min(32, 13 + Math.max(0, 113 - exponent));
    return lost > 23 ? scratch.getUint32(0) & 0x8000_0000 : scratch.getUint32(0) & (-1 << lost);
  }
  if (sampling?.normalizedReads !== true) return value;
  const isSigned = texel.startsWith('s');
  const most = 2 ** (8 * bytesOfTexelType(texel) - (isSigned ? 1 : 0)) - 1;
  const within = Math.max(isSigned ? -1 : 0, Math.min(value, 1));
  return Math.sign(within) * Math.ceil(Math.fround(Math.abs(within) * most) - 0.5);
}

/** Returns the header, whose words precede the texels. */
export function imageHeader(image: Image): Uint8Array {
  const { size, layers, channels, texel, sampling = plain } = image;
  // Absent: the image has fewer dimensions.
  const [width, height = 0, depth = 0] = size;
  const bytes = texelBytes(image);
  // Lookups outside of an image in linear memory return zeros.
  const isLinear = image.linear === true;
  // Only normalized coordinates wrap.
  const periodic = sampling.normalizedCoordinates;
  const [x, y, z] = sampling.address.map(
    (mode) => modeNumbers[isLinear ? 'border' : periodic || mode === 'border' ? mode : 'clamp'],
  );
  const header = new Uint8Array(headerBytes);
  const view = new DataView(header.buffer);
  const put = (offset: number, value: number) => view.setUint32(offset, value, true);
  put(headerOffsets.width, width);
  // This matches an H200's answers to queries: a texture has a height of at least 1, and the number
  // of layers is in the first unused extent.
  const isRows = size.length === 1 && layers !== undefined;
  put(headerOffsets.height, isRows ? layers : image.sampling === undefined ? height : Math.max(height, 1));
  put(headerOffsets.depth, isRows ? 0 : (layers ?? depth));
  put(headerOffsets.layers, layers ?? 0); // Absent: an image without layers has 0 layers.
  // Absent: rows have no gaps.
  const { pitch = width * bytes } = image;
  put(headerOffsets.row, pitch);
  put(headerOffsets.slice, pitch * Math.max(height, 1));
  put(headerOffsets.texel, bytes);
  put(headerOffsets.channels, channels);
  put(
    headerOffsets.reader,
    readers[texel] + (sampling.normalizedReads && readers[texel] <= readers.s16 ? normalizedReader : 0),
  );
  put(headerOffsets.linear, sampling.filter === 'linear' && !isLinear ? 1 : 0);
  // Of the one-dimensional images without layers, only those in linear memory have texels at
  // integer coordinates.
  const isBare = size.length === 1 && layers === undefined && !isLinear;
  // Absent: the sampler has no mode for this axis.
  put(headerOffsets.modes, (x ?? 1) | ((y ?? 1) << 8) | ((z ?? 1) << 16) | (isBare ? bareFlag : 0));
  put(headerOffsets.normalized, sampling.normalizedCoordinates && !isLinear ? 1 : 0);
  for (const [index, value] of (isLinear ? [] : sampling.border).slice(0, channels).entries()) {
    put(headerOffsets.border + 4 * index, borderWord(image, value));
  }
  return header;
}
