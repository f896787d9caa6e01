// The values that a copy stores in shared memory: the fill, and converted elements. The manual does
// not specify them: an H200 stores these values.
import type { TensorMapFields } from './tensor-map.ts';

/** Each half of the fill with NaNs, for every type. */
const nanHalf = 0x7ff7;
const tf32Nan = 0x7fff_e000;

/** Returns the fill of `count` bytes, which begin at an even byte of a row. */
export function filled({ fill }: TensorMapFields, count: number): Uint8Array {
  const half = fill === 'nan' ? nanHalf : 0;
  return Uint8Array.from({ length: count }, (_, index) => (half >> (8 * (index % 2))) & 0xff);
}

/** Rounds an f32 to TF32: to nearest, ties to even. Any NaN becomes one NaN. */
function tf32(bits: number): number {
  if ((bits & 0x7fff_ffff) > 0x7f80_0000) return tf32Nan;
  return (bits + 0xfff + ((bits >>> 13) & 1)) & 0xffff_e000;
}

/** Returns loaded elements as the copy stores them: those of TF32 types are rounded. */
export function loadedBytes({ type }: TensorMapFields, bytes: Uint8Array): Uint8Array {
  if (type !== 'tf32' && type !== 'tf32.ftz') return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += 4) view.setUint32(at, tf32(view.getUint32(at, true)), true);
  return bytes;
}
