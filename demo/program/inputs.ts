// Inputs of the lanes: converts patterns to values, and values to the buffers of a launch.
import type { LaunchParam, ScalarKind } from '../../src/base/launch.ts';
import { scalarFormats } from '../../src/base/scalars.ts';
import { random } from '../../src/harness/suites/random.ts';
import type { PtxType } from '../../src/isa/index.ts';
import type { Variable } from '../../src/ptx/index.ts';
import { isFloat, widthOf } from '../../src/ptx/types.ts';
import { numberBits, parseBits } from '../format.ts';
import { type InputSpec, maxCount, type Pattern } from '../state.ts';

export const patternNames: readonly (readonly [Pattern, string])[] = [
  ['lane', 'lane number'],
  ['one-based', 'lane number + 1'],
  ['constant', 'one constant'],
  ['alternate', '0, 1, 0, 1, …'],
  ['random', 'random'],
  ['values', 'typed values'],
];

export const defaultInput = (type: PtxType): InputSpec => ({
  pattern: type === 'pred' ? 'alternate' : type === 'f32' ? 'one-based' : 'lane',
  value: '',
});

/** Returns the bits of `count` elements. */
export function inputBits(spec: InputSpec, type: PtxType, count: number): bigint[] {
  const rng = random(Number.parseInt(spec.value, 10) || 1, type);
  const typed = spec.pattern === 'values' ? spec.value.split(',').map((text) => parseBits(text, type) ?? 0n) : [];
  const constant = parseBits(spec.value || '1', type) ?? 0n;
  const element: Readonly<Record<Pattern, (index: number) => bigint>> = {
    lane: (index) => (type === 'pred' ? BigInt(index & 1) : numberBits(index, type)),
    'one-based': (index) => (type === 'pred' ? BigInt((index + 1) & 1) : numberBits(index + 1, type)),
    constant: () => constant,
    alternate: (index) => numberBits(index & 1, type),
    // Floats are multiples of 1/4, whose sums and products are exact, so that the order of
    // additions does not matter.
    random: () =>
      numberBits(type === 'pred' ? rng.below(2) : isFloat(type) ? (rng.below(33) - 16) / 4 : rng.below(100), type),
    values: (index) => typed[index % typed.length] ?? 0n,
  };
  return Array.from({ length: count }, (_, index) => element[spec.pattern](index));
}

/** Returns the typed words that are not values of the type. */
export function badValues(spec: InputSpec, type: PtxType): readonly string[] {
  if (spec.pattern !== 'values' && spec.pattern !== 'constant') return [];
  return spec.value.split(',').filter((text) => text.trim() !== '' && parseBits(text, type) === undefined);
}

/** Returns elements as little-endian bytes, with `bytes` bytes for each element. */
export function packBits(bits: readonly bigint[], bytes: number): Uint8Array {
  const data = new Uint8Array(bits.length * bytes);
  bits.forEach((value, index) => {
    for (let i = 0; i < bytes; i++) data[index * bytes + i] = Number((value >> BigInt(8 * i)) & 0xffn);
  });
  return data;
}

export function unpackBits(data: Uint8Array, index: number, bytes: number): bigint {
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(data[index * bytes + i] ?? 0);
  return value;
}

const scalarTypes: Readonly<Record<string, ScalarKind>> = {
  b8: 'u8', b16: 'u16', b32: 'u32', b64: 'u64', u8: 'u8', u16: 'u16', u32: 'u32', u64: 'u64', s8: 's8', s16: 's16',
  s32: 's32', s64: 's64', f16: 'f16', bf16: 'bf16', f32: 'f32', f64: 'f64',
}; // biome-ignore format: a table

export const bufferTypes: readonly ScalarKind[] = [
  'u32', 's32', 'f32', 'u64', 's64', 'f64', 'u16', 's16', 'f16', 'bf16', 'u8', 's8',
]; // biome-ignore format: a list

const countOf = ({ count = 32 }: InputSpec): number => Math.min(Math.max(count, 1), maxCount);

/** Returns the number of bytes of a kernel parameter in the launch. */
export function paramBytes(param: Variable, spec: InputSpec): number {
  if (param.array || spec.as !== 'buffer') return param.bytes;
  return (countOf(spec) * widthOf(spec.type ?? 'u32')) / 8;
}

/** Returns the bytes of a struct, which consists of words. The last word may be incomplete. */
function structBytes({ bytes }: Variable, spec: InputSpec): Uint8Array {
  return packBits(inputBits(spec, 'u32', Math.ceil(bytes / 4)), 4).slice(0, bytes);
}

/** Returns a kernel parameter for the launch. */
export function launchParam(param: Variable, spec: InputSpec): LaunchParam {
  if (param.array) return { name: param.name, kind: 'bytes', data: structBytes(param, spec) };
  if (spec.as === 'buffer') {
    const type = spec.type ?? 'u32';
    const data = packBits(inputBits(spec, type, countOf(spec)), widthOf(type) / 8);
    return { name: param.name, kind: 'buffer', type, bytes: data.length, data };
  }
  const type = scalarTypes[param.type] ?? 'u32';
  const bits = parseBits(spec.value || '0', type) ?? 0n;
  const value = scalarFormats[type].float ? Number(spec.value || '0') : bits;
  return { name: param.name, kind: 'scalar', type, value };
}
