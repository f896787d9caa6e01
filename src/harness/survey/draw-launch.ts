// Launches for a kernel of which nothing is known but its PTX: every pointer a small buffer of small numbers, every number small.
import type { BufferParam, Dim3, Launch, LaunchParam, ScalarKind } from '../../base/launch.ts';
import { encodeScalar, isScalarKind, scalarFormats } from '../../base/scalars.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { type Random, random } from '../suites/random.ts';
import { drawImage } from './draw-image.ts';
import type { ParamUse } from './param-uses.ts';

/// Room for some thousand elements, so that products of small numbers are still indexes.
const bufferBytes = 32 * 1024;
const dynamicSharedBytes = 8 * 1024;

/// Tried one after the other. Odd ones are for kernels with a plane or a space of threads.
const shapes: readonly { readonly block: Dim3; readonly grid: Dim3 }[] = [
  { block: [64, 1, 1], grid: [2, 1, 1] },
  { block: [16, 8, 1], grid: [2, 2, 1] },
  { block: [32, 1, 1], grid: [1, 1, 1] },
  { block: [8, 8, 1], grid: [2, 1, 1] },
  { block: [256, 1, 1], grid: [3, 1, 1] },
  { block: [4, 4, 4], grid: [1, 2, 2] },
  { block: [128, 1, 1], grid: [1, 2, 1] },
  { block: [16, 16, 1], grid: [1, 1, 1] },
];

export interface DrawOptions {
  readonly id: string;
  readonly seed: number;
  /// From 0: which shape, and what comes of it by chance.
  readonly attempt: number;
}

/// Undefined for parameters that no launch can give.
export function drawLaunch(
  module: Module,
  entry: PtxFunction,
  uses: readonly ParamUse[],
  { id, seed, attempt }: DrawOptions,
): Launch | undefined {
  const numbers = random(seed, module.source.file, entry.name, attempt);
  const params: LaunchParam[] = [];
  for (const [index, use] of uses.entries()) {
    const param = drawParam(use, `p${index}`, module.addressSize, attempt, numbers);
    if (param === undefined) return undefined;
    params.push(param);
  }
  const usesDynamic = [...module.variables, ...module.functions.flatMap(({ variables }) => variables)].some(
    ({ space, bytes }) => space === 'shared' && bytes === 0,
  );
  return {
    id,
    group: '',
    ptx: module.source.text,
    ptxFile: module.source.file,
    entry: entry.name,
    ...shapeOf(entry, attempt),
    sharedBytes: usesDynamic ? dynamicSharedBytes : 0,
    params,
  };
}

function shapeOf({ requiredThreads, maxThreads }: PtxFunction, attempt: number): { block: Dim3; grid: Dim3 } {
  const most = maxThreads === undefined ? 1024 : maxThreads[0] * maxThreads[1] * maxThreads[2];
  const fitting = shapes.filter(({ block: [x, y, z] }) => x * y * z <= most);
  const shape = fitting[attempt % Math.max(1, fitting.length)] ?? { block: [most, 1, 1], grid: [1, 1, 1] };
  return requiredThreads === undefined ? shape : { block: requiredThreads, grid: shape.grid };
}

const sizes = [1, 2, 3, 4, 5, 8, 16, 32, 64, 100] as const;
const floats = [1, 0.5, 2, 0.25, 1.5, 3, -1, 0] as const;

function drawParam(
  { variable, pointer, accessType, image }: ParamUse,
  name: string,
  addressSize: 32 | 64,
  attempt: number,
  numbers: Random,
): LaunchParam | undefined {
  const { type, bytes, array } = variable;
  if (image !== undefined && bytes === 8) return drawImage(image, name, attempt, numbers);
  if (pointer && bytes * 8 === addressSize) return drawBuffer(name, accessType ?? 'u32', attempt, numbers);
  if (array) {
    const data = new Uint8Array(bytes);
    for (let at = 0; at + 4 <= bytes; at += 4) data.set(encodeScalar('u32', numbers.pick(sizes)), at);
    return { name, kind: 'bytes', data };
  }
  if (type === 'pred' || bytes > 8) return undefined;
  const kind = scalarKind(type, bytes);
  if (scalarFormats[kind].float) return { name, kind: 'scalar', type: kind, value: numbers.pick(floats) };
  // Most kernels ask for sizes; a few for flags and indexes.
  const value = numbers.chance(0.7) ? numbers.pick(sizes) : numbers.below(4);
  return { name, kind: 'scalar', type: kind, value: bytes === 8 ? BigInt(value) : value };
}

function scalarKind(type: string, bytes: number): ScalarKind {
  if (isScalarKind(type)) return type;
  return bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : bytes === 4 ? 'u32' : 'u64';
}

/// Elements of one kind. Quarters and small integers, whose sums and products are exact, so that no order of adding shows.
function drawBuffer(name: string, accessType: string, attempt: number, numbers: Random): BufferParam {
  const half = accessType.includes('f16') || (accessType === 'b16' && attempt % 2 === 1);
  const float = accessType === 'b32' && attempt % 2 === 1;
  const kind = half ? 'u16' : float ? 'f32' : elementKind(accessType);
  const data = new Uint8Array(bufferBytes);
  const size = scalarFormats[kind].bytes;
  for (let at = 0; at < bufferBytes; at += size) {
    const value = half
      ? halfOf(numbers)
      : scalarFormats[kind].float
        ? (numbers.below(33) - 16) / 4
        : numbers.below(size === 1 ? 8 : 16);
    data.set(encodeScalar(kind, size === 8 && !scalarFormats[kind].float ? BigInt(value) : value), at);
  }
  return { name, kind: 'buffer', type: kind, bytes: bufferBytes, data };
}

function elementKind(accessType: string): ScalarKind {
  if (isScalarKind(accessType)) return accessType;
  const width = Number(/\d+/.exec(accessType)?.[0] ?? 32);
  return width === 8 ? 'u8' : width === 16 ? 'u16' : width === 64 ? 'u64' : 'u32';
}

/// A half-precision number of moderate size.
function halfOf(numbers: Random): number {
  return (numbers.below(2) << 15) | ((13 + numbers.below(4)) << 10) | (numbers.below(4) << 8);
}
