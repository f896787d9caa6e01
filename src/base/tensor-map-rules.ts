// The rules of the CUDA driver for tensor maps, as recorded on an H200.
import { at } from './invariants.ts';
import type { CompleteTensorMap, PixelBox } from './tensor-map.ts';
import { cornerBits, dimensions, elementBytes, otherDimensions, sliceBytes, strideUnit } from './tensor-map-fields.ts';

/** The error for a tensor map that the driver rejects. */
export class TensorMapError extends RangeError {
  /** The invalid member, such as `box[0]`; empty for the whole map. */
  readonly path: string;
  /** The problem of the member. */
  readonly problem: string;

  /** Creates an error for a member of a tensor map. */
  constructor(path: string, problem: string) {
    super(`invalid tensor map: ${path === '' ? '' : `${path} `}${problem}`);
    this.name = 'TensorMapError';
    this.path = path;
    this.problem = problem;
  }
}

const maxBoxBytes = 232_448;
/** The span of swizzling in bytes, which is the maximum size of a row of a box. */
const spans = { none: Number.POSITIVE_INFINITY, '32B': 32, '64B': 64, '128B': 128 } as const;

/** Throws for a number that is not an integer within the limits. */
function checkNumber(path: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new TensorMapError(path, `is ${value}: expected an integer from ${least} to ${most}`);
}

/** Throws for a list without exactly `count` elements, or for an element that is not within the limits. */
function checkList(name: string, values: readonly number[], count: number, least: number, most: number): void {
  if (values.length !== count) throw new TensorMapError(name, `has ${values.length} elements: expected ${count}`);
  for (const [index, value] of values.entries()) checkNumber(`${name}[${index}]`, value, least, most);
}

/**
 * Throws TensorMapError for a map that the driver rejects. Returns the bytes of a box as the driver
 * counts them: it rounds numbers of elements down.
 */
export function checkTensorMap(map: CompleteTensorMap, address: bigint): number {
  const { type, sizes, strides, elementStrides, interleave, swizzle, fill } = map;
  const rank = sizes.length;
  const least = 'im2col' in map || interleave !== 'none' ? otherDimensions + 1 : 1;
  if (rank < least || rank > dimensions.length)
    throw new TensorMapError('sizes', `has ${rank} elements: expected ${least} to ${dimensions.length}`);
  const unit = interleave === 'none' ? strideUnit : sliceBytes[interleave];
  checkList('sizes', sizes, rank, 1, 2 ** 32);
  checkList('strides', strides, rank - 1, 0, 2 ** 40 - 1);
  checkList('elementStrides', elementStrides, rank, 1, 8);
  const odd = strides.findIndex((stride) => stride % unit !== 0);
  if (odd >= 0) throw new TensorMapError(`strides[${odd}]`, `is ${strides[odd]}: expected a multiple of ${unit}`);
  if (address % BigInt(unit) !== 0n || address >= 2n ** 57n)
    throw new TensorMapError('', `is of a tensor at address ${address}: expected a multiple of ${unit}`);
  if ('box' in map) checkList('box', map.box, rank, 1, 256);
  else checkPixels(map.im2col, sizes, interleave === 'none');
  const [rowName, row] =
    'box' in map ? ['box[0]', at(map.box, 0, 'the first size of a box')] : ['im2col.channels', map.im2col.channels];
  const rowBytes = row * elementBytes[type];
  const isLong = interleave === 'none' && rowBytes > spans[swizzle];
  if (rowBytes % strideUnit !== 0 || isLong) {
    const limit = swizzle === 'none' || interleave !== 'none' ? '' : `, at most ${spans[swizzle]}`;
    throw new TensorMapError(rowName, `makes rows of ${rowBytes} bytes: expected a multiple of ${strideUnit}${limit}`);
  }
  const bytes = boxBytes(map);
  if (bytes > maxBoxBytes)
    throw new TensorMapError('box' in map ? 'box' : 'im2col', `has ${bytes} bytes: expected at most ${maxBoxBytes}`);
  if (fill === 'nan' && /^[us]/.test(type)) throw new TensorMapError('fill', `is nan: expected zeros for ${type}`);
  return bytes;
}

/** Throws for pixels that the driver rejects. */
function checkPixels(box: PixelBox, sizes: readonly number[], hasChannelsFirst: boolean): void {
  const count = sizes.length - otherDimensions;
  const limit = 2 ** (at(cornerBits, count - 1, 'the bits of a corner') - 1);
  checkList('im2col.lower', box.lower, count, -limit, limit - 1);
  checkList('im2col.upper', box.upper, count, -limit, limit - 1);
  checkNumber('im2col.channels', box.channels, 1, 256);
  checkNumber('im2col.pixels', box.pixels, 1, 1024);
  for (const [index, lower] of box.lower.entries()) {
    // With interleaved channels, the driver adds the corners to the same sizes, which are those of
    // the spatial dimensions.
    const size = at(sizes, hasChannelsFirst ? index + 1 : index, 'a size of a tensor');
    // The driver has 32-bit numbers.
    const extent = (size % 2 ** 32) + at(box.upper, index, 'a corner') - lower;
    if (extent <= 0)
      throw new TensorMapError(`im2col.upper[${index}]`, `leaves ${extent} pixels in a dimension: expected at least 1`);
  }
}

/** Returns the bytes of a box as the driver counts them. */
function boxBytes(map: CompleteTensorMap): number {
  const size = elementBytes[map.type];
  if ('im2col' in map) return map.im2col.pixels * map.im2col.channels * size;
  return map.box.reduce(
    (bytes, count, d) => bytes * Math.floor(count / at(map.elementStrides, d, 'an element stride')),
    size,
  );
}
