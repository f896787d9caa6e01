// Tensor maps, encoded by the driver.
import {
  type TensorMap,
  tensorFills,
  tensorInterleaves,
  tensorPromotions,
  tensorSwizzles,
  tensorTypes,
  withDefaults,
} from '../../base/tensor-map.ts';
import { tensorMapAlign, tensorMapBytes } from '../../base/tensor-map-fields.ts';
import type { CudaDriver } from './driver.ts';

/** Returns the driver's encoding of a map of the tensor at `address`. Throws `CudaError`. */
export function encodeTensorMapNatively(driver: CudaDriver, tensorMap: TensorMap, address: bigint): Uint8Array {
  const given = withDefaults(tensorMap);
  const { type, sizes, strides, elementStrides, interleave, swizzle, l2Promotion, fill } = given;
  const memory = new Uint8Array(tensorMapBytes + tensorMapAlign);
  const start = Number(-driver.addressOf(memory) & BigInt(tensorMapAlign - 1));
  const map = memory.subarray(start, start + tensorMapBytes);
  const tensor = [
    tensorTypes.indexOf(type),
    sizes.length,
    address,
    BigUint64Array.from(sizes, BigInt),
    // The driver requires an address even if there is no stride.
    BigUint64Array.from([...strides, 0], BigInt),
  ] as const;
  const layout = [
    Uint32Array.from(elementStrides),
    tensorInterleaves.indexOf(interleave),
    tensorSwizzles.indexOf(swizzle),
    tensorPromotions.indexOf(l2Promotion),
    tensorFills.indexOf(fill),
  ] as const;
  if ('box' in given) driver.call('cuTensorMapEncodeTiled', map, ...tensor, Uint32Array.from(given.box), ...layout);
  else {
    const { lower, upper, channels, pixels } = given.im2col;
    const corners = [Int32Array.from(lower), Int32Array.from(upper)] as const;
    driver.call('cuTensorMapEncodeIm2col', map, ...tensor, ...corners, channels, pixels, ...layout);
  }
  return map;
}
