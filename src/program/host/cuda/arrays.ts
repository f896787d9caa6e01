// CUDA arrays, textures and surfaces. The handle of a surface is that of its array, and so is the handle
// of the first texture. Further textures of an array, and those of linear memory, are copies.
import {
  type AddressMode,
  type Image,
  imageBytes,
  type Sampling,
  type TexelType,
  texelBytes,
} from '../../../base/image.ts';
import { at } from '../../../base/invariants.ts';
import { headerBytes } from '../../../translate/image/header.ts';
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostWork } from '../host-work.ts';
import { arrayAt, arrayRows, type CudaArray } from './cuda-array.ts';
import type { HostContext } from './host-context.ts';
import { type Rows, transfersOf } from './transfers.ts';

/** Flags of `cudaMalloc3DArray`. */
const layered = 1;
const cubemap = 4;

/** Values of `cudaResourceType`. */
const resources = { array: 0, linear: 2, pitch2D: 3 } as const;

const texels: ReadonlyMap<string, TexelType> = new Map([
  ['0,8', 's8'], ['0,16', 's16'], ['0,32', 's32'],
  ['1,8', 'u8'], ['1,16', 'u16'], ['1,32', 'u32'],
  ['2,16', 'f16'], ['2,32', 'f32'],
]); // biome-ignore format: a table

const modes: readonly AddressMode[] = ['wrap', 'clamp', 'mirror', 'border'];

const unsupported = (what: string): never => {
  throw new CudaFailure(cudaErrors.notSupported, what);
};

export function arrayFunctions(context: HostContext) {
  const { checked, arrays, linearTextures } = context;
  const { copy, copyRows } = transfersOf(context);
  /** The copies of arrays with a second sampling. */
  const copies = new Set<number>();

  /** Reads a `cudaChannelFormatDesc`. */
  const formatAt = (place: number): Pick<Image, 'texel' | 'channels'> => {
    const { memory } = context;
    const bits = [0, 4, 8, 12].map((offset) => memory.u32(place + offset));
    const count = bits.filter((size) => size > 0).length;
    const texel = texels.get(`${memory.u32(place + 16)},${bits[0]}`);
    if (texel === undefined || (count !== 1 && count !== 2 && count !== 4))
      throw new CudaFailure(cudaErrors.invalidValue, 'not a format of a texel');
    return { texel, channels: count };
  };
  function* allocateImage(image: Image, bytes = imageBytes(image)): HostWork<number> {
    const handle = yield* context.allocate(headerBytes + bytes);
    context.send({ op: 'image', handle, image });
    return handle;
  }
  function* allocateArray(to: number, format: number, extent: CudaArray['extent'], flags: number): HostWork {
    const [width, height, depth] = extent;
    const isLayered = (flags & (layered | cubemap)) !== 0;
    const size: Image['size'] =
      height === 0 ? [width] : depth === 0 || isLayered ? [width, height] : [width, height, depth];
    const image = { ...formatAt(format), size, ...(isLayered && { layers: depth }) };
    const handle = yield* allocateImage(image);
    arrays.set(handle, { image, extent, flags, texture: undefined });
    context.memory.setU32(to, handle);
  }
  /** Reads a `cudaTextureDesc`. */
  const samplingAt = (place: number): Sampling => {
    const { memory } = context;
    const float = (offset: number): number => memory.view.getFloat32(place + offset, true);
    const mode = (offset: number): AddressMode => at(modes, memory.u32(place + offset), 'the address mode');
    return {
      filter: memory.u32(place + 12) === 1 ? 'linear' : 'point',
      address: [mode(0), mode(4), mode(8)],
      normalizedCoordinates: memory.u32(place + 40) !== 0,
      normalizedReads: memory.u32(place + 16) === 1,
      border: [float(24), float(28), float(32), float(36)],
    };
  };
  function* textureOfArray(handle: number, sampling: Sampling): HostWork<number> {
    const array = arrayAt(arrays, handle);
    const image = { ...array.image, sampling };
    if (array.texture === undefined || JSON.stringify(array.texture) === JSON.stringify(image)) {
      context.send({ op: 'image', handle, image });
      array.texture = image;
      return handle;
    }
    const copied = yield* allocateImage(image);
    copies.add(copied);
    yield* copy(copied + headerBytes, handle + headerBytes, imageBytes(image));
    return copied;
  }
  function* textureOfMemory(from: number, image: Image, bytes: number): HostWork<number> {
    const handle = yield* allocateImage(image, bytes);
    linearTextures.set(handle, { from, bytes });
    return handle;
  }
  function* createTexture(to: number, resource: number, description: number): HostWork {
    const { memory } = context;
    const sampling = samplingAt(description);
    const kind = memory.u32(resource);
    const from = memory.u32(resource + 4);
    const [width, height, pitch] = memory.triple(resource + 28);
    let handle = 0;
    if (kind === resources.array) handle = yield* textureOfArray(from, sampling);
    else if (kind === resources.linear || kind === resources.pitch2D) {
      const format = formatAt(resource + 8);
      if (kind === resources.pitch2D)
        handle = yield* textureOfMemory(from, { ...format, size: [width, height], pitch, sampling }, pitch * height);
      else {
        const plain = { ...format, size: [1] } as const;
        const size = [Math.floor(width / texelBytes(plain))] as const;
        handle = yield* textureOfMemory(from, { ...format, size, linear: true, sampling }, width);
      }
    } else unsupported('mipmaps are not supported');
    memory.setU64(to, BigInt(handle));
  }
  function* free(handle: number): HostWork {
    yield* context.synchronize();
    yield* context.release(handle);
  }
  function* destroyTexture(handle: number): HostWork {
    const address = handle >>> 0;
    const isCopy = copies.delete(address);
    if (linearTextures.delete(address) || isCopy) return yield* free(address);
    const array = arrays.get(address);
    if (array !== undefined) array.texture = undefined;
  }
  const rows = (handle: number, x: number, y: number): Rows => arrayRows(arrays, handle, [x, y, 0]);
  const linearRows = (address: number, pitch: number): Rows => ({ address, pitch, slice: 0 });
  const info = (format: number, { image }: CudaArray): void => {
    const bits = 8 * (texelBytes(image) / image.channels);
    for (const index of [0, 1, 2, 3]) context.memory.setU32(format + 4 * index, index < image.channels ? bits : 0);
    context.memory.setU32(format + 16, 'suf'.indexOf(image.texel.charAt(0)));
  };

  return {
    cudaMallocArray: checked((to: number, format: number, width: number, height: number, flags: number) =>
      allocateArray(to, format, [width, height, 0], flags),
    ),
    cudaMalloc3DArray: checked((to: number, format: number, extent: number, flags: number) =>
      allocateArray(to, format, context.memory.triple(extent), flags),
    ),
    cudaGetChannelDesc: checked((format: number, handle: number) => info(format, arrayAt(arrays, handle))),
    cudaArrayGetInfo: checked((format: number, extent: number, flags: number, handle: number) => {
      const array = arrayAt(arrays, handle);
      if (format !== 0) info(format, array);
      if (extent !== 0)
        for (const [index, size] of array.extent.entries()) context.memory.setU32(extent + 4 * index, size);
      if (flags !== 0) context.memory.setU32(flags, array.flags);
    }),
    cudaFreeArray: checked(function* (handle: number) {
      if (handle === 0) return;
      arrayAt(arrays, handle);
      arrays.delete(handle >>> 0);
      yield* free(handle >>> 0);
    }),
    cudaMemcpyToArray: checked((to: number, x: number, y: number, from: number, bytes: number) =>
      copy(rows(to, x, y).address, from, bytes),
    ),
    cudaMemcpyFromArray: checked((to: number, from: number, x: number, y: number, bytes: number) =>
      copy(to, rows(from, x, y).address, bytes),
    ),
    cudaMemcpy2DToArray: checked(
      (to: number, x: number, y: number, from: number, pitch: number, width: number, height: number) =>
        copyRows(rows(to, x, y), linearRows(from, pitch), width, height),
    ),
    cudaMemcpy2DFromArray: checked(
      (to: number, pitch: number, from: number, x: number, y: number, width: number, height: number) =>
        copyRows(linearRows(to, pitch), rows(from, x, y), width, height),
    ),
    cudaCreateTextureObject: checked(createTexture),
    __lanewiseDestroyTexture: checked(destroyTexture),
    cudaCreateSurfaceObject: checked((to: number, resource: number) => {
      const handle = context.memory.u32(resource + 4);
      arrayAt(arrays, handle);
      context.memory.setU64(to, BigInt(handle));
    }),
  };
}
