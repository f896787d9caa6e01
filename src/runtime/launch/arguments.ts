// The arguments of a launch. They are checked against the kernel's parameters, and written in the
// shader's layout.

import { shortFloatBits } from '../../base/short-floats.ts';
import { DevicePointer, type PointerOwner } from '../memory/pointer.ts';
import type { ParameterShape } from './signature.ts';

/**
 * An argument of a kernel: a number, boolean or bigint for a scalar, a pointer or `null` for a
 * pointer, or the bytes of a struct, array or scalar.
 */
export type KernelArgument = number | bigint | boolean | DevicePointer | ArrayBufferView | ArrayBuffer | null;

/** Checks the number of arguments. Throws a TypeError that lists the kernel's parameters. */
export function checkCount(kernel: string, shapes: readonly ParameterShape[], args: readonly KernelArgument[]): void {
  if (args.length === shapes.length) return;
  const list = shapes.map(({ type, name }) => `${type} ${name}`).join(', ');
  const taken = shapes.length === 1 ? `1 argument (${list})` : `${shapes.length} arguments (${list})`;
  throw new TypeError(`${kernel}: expected ${shapes.length === 0 ? 'no arguments' : taken}, got ${args.length}`);
}

/** Writes a scalar or by-value argument. Throws TypeError if it does not fit the parameter. */
export function writeArgument(kernel: string, shape: ParameterShape, argument: KernelArgument, to: DataView): void {
  const { kind, bytes } = shape;
  if (typeof argument === 'object' && argument !== null && !(argument instanceof DevicePointer)) {
    const given = bytesOf(argument);
    if (given.byteLength !== bytes)
      mismatch(kernel, shape, argument, `expected ${bytes} bytes, got ${given.byteLength}`);
    for (let at = 0; at < bytes; at++) to.setUint8(at, given[at] ?? 0);
    return;
  }
  if (kind === 'float' && typeof argument === 'number') return writeFloat(shape, argument, to);
  if (kind === 'integer' || kind === 'pointer') return writeInteger(kernel, shape, argument, to);
  mismatch(kernel, shape, argument);
}

function writeFloat({ type, bytes }: ParameterShape, value: number, to: DataView): void {
  if (bytes === 4) to.setFloat32(0, value, true);
  else if (bytes === 8) to.setFloat64(0, value, true);
  else to.setUint16(0, shortFloatBits(type === '.bf16' ? 'bf16' : 'f16', value), true);
}

function writeInteger(kernel: string, shape: ParameterShape, argument: KernelArgument, to: DataView): void {
  const { bytes } = shape;
  if (argument === null && bytes === 8) {
    to.setBigUint64(0, 0n, true);
    return;
  }
  const value = typeof argument === 'boolean' ? Number(argument) : argument;
  if (typeof value === 'number' && bytes <= 4) {
    const limit = 2 ** (8 * bytes);
    if (!Number.isInteger(value)) mismatch(kernel, shape, value);
    if (value < -limit / 2 || value >= limit)
      mismatch(kernel, shape, value, `the value does not fit in ${8 * bytes} bits`);
    if (bytes === 4) to.setUint32(0, value >>> 0, true);
    else if (bytes === 2) to.setUint16(0, value & 0xffff, true);
    else to.setUint8(0, value & 0xff);
    return;
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) mismatch(kernel, shape, value);
  if (typeof value !== 'number' && typeof value !== 'bigint') mismatch(kernel, shape, argument);
  const [bits, wide] = [8 * bytes, BigInt(value)];
  if (wide !== BigInt.asIntN(bits, wide) && wide !== BigInt.asUintN(bits, wide))
    mismatch(kernel, shape, argument, `the value does not fit in ${bits} bits`);
  const low = BigInt.asUintN(bits, wide);
  if (bytes === 8) to.setBigUint64(0, low, true);
  else for (let at = 0; at < bytes; at++) to.setUint8(at, Number((low >> BigInt(8 * at)) & 0xffn));
}

/** Returns the bytes of a view or buffer. Throws TypeError for other values. */
export function bytesOf(data: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  // An ArrayBuffer of another window is not an instance of this window's class.
  if (Object.prototype.toString.call(data) === '[object ArrayBuffer]') return new Uint8Array(data);
  throw new TypeError(
    `invalid data ${shown(data)}: expected a typed array, such as Float32Array.of(1, 2), or an ArrayBuffer`,
  );
}

/** Throws a TypeError for an argument of the wrong kind. */
export function mismatch(kernel: string, shape: ParameterShape, argument: unknown, why = ''): never {
  const place = placeOf(kernel, shape);
  throw new TypeError(`${place}: expected ${takenBy(shape)}, got ${shown(argument)}${why === '' ? '' : `: ${why}`}`);
}

const placeOf = (kernel: string, { index, name, type }: ParameterShape): string =>
  `argument ${index} of ${kernel} (${type} ${name})`;

/** Returns the reason why a value is not a pointer, and a suggestion. */
export function whyNoPointer(argument: unknown): string {
  if (ArrayBuffer.isView(argument) || argument instanceof ArrayBuffer || Array.isArray(argument))
    return 'the data is in host memory; allocate device memory with `alloc` and copy it with `write`';
  if (typeof argument === 'object' && argument !== null && 'mapAsync' in argument)
    return '`adopt` returns a pointer to a buffer';
  return 'the value is not an address in device memory';
}

function takenBy({ kind, bytes }: ParameterShape): string {
  switch (kind) {
    case 'bytes':
      return `the ${bytes} bytes of a struct or array`;
    case 'float':
      return 'a number';
    case 'pointer':
      return 'a device pointer, an integer (a bigint, above 2^53), or null';
    case 'integer':
      return `an integer of ${8 * bytes} bits`;
    case 'open':
      return `an array of ${bytes} bytes, such as ${bytes === 4 ? 'Float32Array.of(x) or Int32Array.of(n)' : 'Uint16Array.of(n)'}, because the bits may be a float`;
  }
}

/** Formats a value for messages. */
export function shown(value: unknown): string {
  if (value instanceof DevicePointer) return 'a device pointer';
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'object') return value.constructor?.name ?? 'an object';
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Throws if a pointer belongs to another runtime, or if its memory is freed. */
export function checkPointer(kernel: string, shape: ParameterShape, pointer: DevicePointer, owner: PointerOwner): void {
  if (shape.kind !== 'pointer') mismatch(kernel, shape, pointer);
  const why = pointer.isOf(owner)
    ? pointer.allocation.isFreed && `${pointer.allocation} is freed`
    : 'the pointer belongs to another runtime';
  if (why) throw new TypeError(`${placeOf(kernel, shape)}: ${why}`);
  pointer.allocation.check();
}
