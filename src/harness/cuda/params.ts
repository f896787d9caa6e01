// Packs kernel arguments in the layout that `cuLaunchKernel` copies.
import type { LaunchParam } from '../../base/launch.ts';
import { bytesWithAddresses } from '../../base/launch-pointers.ts';
import { encodeScalar } from '../../base/scalars.ts';

/** The largest natural alignment of a PTX parameter, in bytes. */
const ALIGN = 16;

export interface PackedParams {
  readonly bytes: Uint8Array;
  /** For each parameter, the offset of its value in `bytes` and its size. */
  readonly places: readonly { readonly offset: number; readonly size: number }[];
}

/**
 * Packs the arguments. A buffer becomes the 64-bit address that `addressOf` returns for its
 * parameter index. Scalars and by-value bytes are copied, with buffer addresses inserted into them.
 */
export function packParams(params: readonly LaunchParam[], addressOf: (index: number) => bigint): PackedParams {
  const values = params.map((param, index) => valueBytes(param, index, addressOf));
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

function valueBytes(param: LaunchParam, index: number, addressOf: (index: number) => bigint): Uint8Array {
  switch (param.kind) {
    case 'buffer':
      return encodeScalar('u64', addressOf(index));
    case 'scalar':
      return encodeScalar(param.type, param.value);
    case 'bytes':
      return bytesWithAddresses(param, addressOf);
  }
}
