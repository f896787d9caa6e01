// CUDA arrays: allocations with a header and the texels after it. The handle of an array is its address.
import { type Image, texelBytes } from '../../../base/image.ts';
import { headerBytes } from '../../../translate/image/header.ts';
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';

export interface CudaArray {
  readonly image: Image;
  /** The extent and the flags that the program has passed. */
  readonly extent: readonly [number, number, number];
  readonly flags: number;
  /** The texture with the handle of the array, if there is one. */
  texture: Image | undefined;
}

export type CudaArrays = ReadonlyMap<number, CudaArray>;

/** Returns an array. Throws `CudaFailure` for another handle. */
export function arrayAt(arrays: CudaArrays, handle: number): CudaArray {
  const found = arrays.get(handle >>> 0);
  if (found === undefined) throw new CudaFailure(cudaErrors.invalidValue, 'not an array');
  return found;
}

/** Returns the rows of an array from a position in bytes, rows and slices. Distances are in bytes. */
export function arrayRows(arrays: CudaArrays, handle: number, [x, y, z]: readonly [number, number, number]) {
  const { image } = arrayAt(arrays, handle);
  const [width, height = 1] = image.size;
  const pitch = width * texelBytes(image);
  const slice = pitch * height;
  return { address: (handle >>> 0) + headerBytes + x + y * pitch + z * slice, pitch, slice };
}
