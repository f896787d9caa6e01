// Packs kernel arguments in the layout that `cuLaunchKernel` copies.

import { missing } from '../../base/invariants.ts';
import type { BytesParam, LaunchParam } from '../../base/launch.ts';
import { bytesWithAddresses } from '../../base/launch-pointers.ts';
import { encodeScalar } from '../../base/scalars.ts';
import type { TensorMap } from '../../base/tensor-map.ts';

/** The largest natural alignment of a PTX parameter, in bytes. */
const ALIGN = 16;

export interface PackedParams {
  readonly bytes: Uint8Array;
  /** For each parameter, the offset of its value in `bytes` and its size. */
  readonly places: readonly { readonly offset: number; readonly size: number }[];
}

/** The addresses of buffers by parameter index, and the driver's encoding of tensor maps. */
export interface NativeValues {
  readonly addressOf: (index: number) => bigint;
  readonly encode: (map: TensorMap, address: bigint) => Uint8Array;
}

/**
 * Packs the arguments. A buffer becomes its 64-bit address. Scalars and by-value bytes are copied,
 * with buffer addresses inserted into them.
 */
export function packParams(params: readonly LaunchParam[], native: NativeValues): PackedParams {
  const values = params.map((param, index) => valueBytes(param, index, native));
  let end = 0;
  const places = values.map(({ length: size }) => {
    const offset = end;
    end += Math.ceil(size / ALIGN) * ALIGN;
    return { offset, size };
  });
  const bytes = new Uint8Array(end);
  for (const [index, { offset }] of places.entries()) bytes.set(values[index] ?? [], offset);
  return { bytes, places };
}

function valueBytes(param: LaunchParam, index: number, { addressOf, encode }: NativeValues): Uint8Array {
  switch (param.kind) {
    case 'buffer':
      return encodeScalar('u64', addressOf(index));
    case 'scalar':
      return encodeScalar(param.type, param.value);
    case 'bytes':
      if (param.tensorMap !== undefined) return encode(param.tensorMap, tensorAddress(param, addressOf));
      return bytesWithAddresses(param, addressOf);
  }
}

function tensorAddress({ pointers: [pointer] = [] }: BytesParam, addressOf: (index: number) => bigint): bigint {
  const { to, offset } = pointer ?? missing('the address in a tensor map');
  return addressOf(to) + BigInt(offset);
}
