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
  const { type, sizes, strides, box, elementStrides, interleave, swizzle, l2Promotion, fill } = withDefaults(tensorMap);
  const memory = new Uint8Array(tensorMapBytes + tensorMapAlign);
  const start = Number(-driver.addressOf(memory) & BigInt(tensorMapAlign - 1));
  const map = memory.subarray(start, start + tensorMapBytes);
  driver.call(
    'cuTensorMapEncodeTiled',
    map,
    tensorTypes.indexOf(type),
    sizes.length,
    address,
    BigUint64Array.from(sizes, BigInt),
    // The driver requires an address even if there is no stride.
    BigUint64Array.from([...strides, 0], BigInt),
    Uint32Array.from(box),
    Uint32Array.from(elementStrides),
    tensorInterleaves.indexOf(interleave),
    tensorSwizzles.indexOf(swizzle),
    tensorPromotions.indexOf(l2Promotion),
    tensorFills.indexOf(fill),
  );
  return map;
}
