// Writes the arguments of a launch that are numbers or structs.

import { shortFloatBits } from '../../base/short-floats.ts';
import type { BuiltParam } from './data.ts';

/** Writes an argument. Throws a TypeError that names the kernel if the argument is invalid. */
export function writeValue(to: Uint8Array, [name, kind, bytes, type]: BuiltParam, value: unknown, kernel: string) {
  const view = new DataView(new ArrayBuffer(8));
  let from = new Uint8Array(view.buffer, 0, Math.min(bytes, 8));
  let isValid = true;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    from = ArrayBuffer.isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
      : new Uint8Array(value);
    isValid = from.length === bytes;
  } else if (kind === 'f') {
    isValid = typeof value === 'number';
    if (bytes === 2) view.setUint16(0, shortFloatBits(type === '.bf16' ? 'bf16' : 'f16', Number(value)), true);
    else if (bytes === 4) view.setFloat32(0, Number(value), true);
    else view.setFloat64(0, Number(value), true);
  } else if (kind === 'i' || kind === 'p') {
    const number = typeof value === 'object' ? Number.NaN : Number(value);
    const fits = bytes >= 8 || (number < 2 ** (8 * bytes) && number >= -(2 ** (8 * bytes - 1)));
    isValid = Number.isInteger(number) && fits;
    if (isValid) view.setBigUint64(0, BigInt.asUintN(64, BigInt(value as number)), true);
  } else isValid = false;
  if (!isValid) throw new TypeError(`${kernel}: invalid ${type} ${name}: ${String(value)}`);
  to.set(from);
}
