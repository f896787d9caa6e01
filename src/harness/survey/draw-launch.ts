// Draws launches for a kernel that has no test data: a buffer for every pointer, and sizes that
// match the number of threads.
import { oneBlock } from '../../base/cluster.ts';
import { countOf } from '../../base/dim3.ts';
import { at } from '../../base/invariants.ts';
import type { Dim3, Launch, LaunchParam, ScalarKind } from '../../base/launch.ts';
import { encodeScalar, isScalarKind, scalarFormats } from '../../base/scalars.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { type FieldUse, type KernelUse, type NumberUse, type ParamUse, suggestBlocks } from '../infer/index.ts';
import { type Random, random } from '../suites/random.ts';
import { type BufferPlan, drawBuffer, type IndexContents } from './draw-buffer.ts';
import { drawImage } from './draw-image.ts';

const dynamicSharedBytes = 16 * 1024;

export interface DrawOptions {
  readonly id: string;
  readonly seed: number;
  /** The number of the attempt, from 0. Each attempt draws a different launch. */
  readonly attempt: number;
  readonly bufferBytes: number;
}

/** The number of threads, and the values of numeric parameters. */
interface Plan {
  readonly block: Dim3;
  readonly grid: Dim3;
  readonly attempt: number;
  readonly bufferBytes: number;
  /** The value of parameters that are counts or pitches. */
  readonly size: number;
  readonly indexes: IndexContents;
}

/**
 * The variations, in the order of the attempts: the kind of block, the number of blocks per axis,
 * the size (a constant, or the number of threads on an axis), and the contents of indexes.
 */
const variations: readonly {
  readonly block: number | 'warp' | 'thread';
  readonly blocks: number;
  readonly size: number | ((threads: number) => number);
  readonly indexes: IndexContents;
}[] = [
  { block: 0, blocks: 2, size: (threads) => threads, indexes: 'permutation' },
  { block: 0, blocks: 3, size: (threads) => Math.max(1, threads - 3), indexes: 'sorted' },
  { block: 1, blocks: 2, size: (threads) => threads, indexes: 'random' },
  { block: 0, blocks: 1, size: 16, indexes: 'permutation' },
  { block: 2, blocks: 1, size: (threads) => threads, indexes: 'zeros' },
  { block: 3, blocks: 1, size: 8, indexes: 'sorted' },
  { block: 1, blocks: 1, size: 64, indexes: 'zeros' },
  { block: 'warp', blocks: 1, size: 4, indexes: 'zeros' },
  { block: 'thread', blocks: 1, size: 4, indexes: 'random' },
];

/**
 * Whether an attempt draws a launch with a small fixed size, independent of its number of threads,
 * so that the loops of its kernel are short.
 */
export function isSmallLaunch(attempt: number): boolean {
  return typeof at(variations, attempt % variations.length, 'a variation').size === 'number';
}

/** Draws a launch. Returns undefined if a launch cannot provide the kernel's parameters. */
export function drawLaunch(
  module: Module,
  entry: PtxFunction,
  use: KernelUse,
  { id, seed, attempt, bufferBytes }: DrawOptions,
): Launch | undefined {
  const numbers = random(seed, module.source.file, entry.name, attempt);
  const plan: Plan = { ...planOf(use, attempt, entry.cluster), bufferBytes };
  const params: LaunchParam[] = [];
  for (const [index, param] of use.params.entries()) {
    const drawn = drawParam(param, `p${index}`, module.addressSize, plan, numbers);
    if (drawn === undefined) return undefined;
    params.push(drawn);
  }
  return {
    id,
    group: '',
    ptx: module.source.text,
    ptxFile: module.source.file,
    entry: entry.name,
    block: plan.block,
    grid: plan.grid,
    sharedBytes: use.threads.usesDynamicShared ? dynamicSharedBytes : 0,
    params,
  };
}

function planOf({ threads }: KernelUse, attempt: number, cluster: Dim3 = oneBlock): Omit<Plan, 'bufferBytes'> {
  const variation = at(variations, attempt % variations.length, 'a variation');
  const blocks = suggestBlocks(threads);
  const { block: choice } = variation;
  const chosen =
    typeof choice === 'number'
      ? at(blocks, choice % blocks.length, 'a block')
      : small(choice, at(blocks, 0, 'a block'), threads.required);
  const many = (axis: 'x' | 'y' | 'z'): number => (threads.blockAxes.includes(axis) ? variation.blocks : 1);
  // One workgroup runs all blocks of a cluster.
  const isTooLarge = countOf(cluster) > 1 && countOf(cluster) * countOf(chosen) > 1024;
  const block = isTooLarge ? small('warp', chosen, threads.required) : chosen;
  const grid: Dim3 = [many('x') * cluster[0], many('y') * cluster[1], many('z') * cluster[2]];
  const threadsOnAxis = Math.max(block[0] * grid[0], block[1] * grid[1]);
  const size = typeof variation.size === 'number' ? variation.size : variation.size(threadsOnAxis);
  return { block, grid, attempt, size, indexes: variation.indexes };
}

/** Returns a block with at most the threads of a warp, or with one thread. */
function small(limit: 'warp' | 'thread', [x, y, z]: Dim3, required: Dim3 | undefined): Dim3 {
  if (required !== undefined) return required;
  if (limit === 'thread') return [1, 1, 1];
  return [Math.min(x, y > 1 ? 8 : 32), Math.min(y, z > 1 ? 2 : 4), Math.min(z, 2)];
}

const floats = [1, 0.5, 2, 0.25, 1.5, 3, -1, 0] as const;

function drawParam(
  { variable, fields, image }: ParamUse,
  name: string,
  addressSize: 32 | 64,
  plan: Plan,
  numbers: Random,
): LaunchParam | undefined {
  const { type, bytes, array } = variable;
  if (image !== undefined && bytes === 8) return drawImage(image, name, plan.attempt, numbers);
  const [field] = fields;
  if (!array && field?.use.kind === 'pointer' && bytes * 8 === addressSize) {
    const { size, indexes, bufferBytes } = plan;
    const buffer: BufferPlan = { bytes: bufferBytes, size, indexes };
    return drawBuffer(field.use, name, buffer, numbers);
  }
  if (array) return { name, kind: 'bytes', data: drawStruct(bytes, fields, plan, numbers) };
  if (type === 'pred' || bytes > 8) return undefined;
  const kind = scalarKind(type, bytes);
  if (scalarFormats[kind].float) return { name, kind: 'scalar', type: kind, value: numbers.pick(floats) };
  const value = field?.use.kind === 'number' ? drawNumber(field.use, plan, numbers) : 0;
  return { name, kind: 'scalar', type: kind, value: bytes === 8 ? BigInt(value) : value };
}

/** Draws a struct. Its pointers are null, because a launch cannot set their addresses. */
function drawStruct(bytes: number, fields: readonly FieldUse[], plan: Plan, numbers: Random): Uint8Array {
  const data = new Uint8Array(bytes);
  for (const { offset, bytes: width, use } of fields) {
    if (use.kind !== 'number' || offset + width > bytes) continue;
    const value = drawNumber(use, plan, numbers);
    data.set(encodeScalar(scalarKind('', width), width === 8 ? BigInt(value) : value), offset);
  }
  return data;
}

function drawNumber({ role, constants }: NumberUse, { size, attempt }: Plan, numbers: Random): number {
  switch (role) {
    case 'count':
    case 'pitch':
      return size;
    case 'divisor':
      return attempt % 2 === 0 ? size : 1 + numbers.below(4);
    case 'shift':
      return numbers.below(5);
    case 'flag':
      return Math.max(0, (constants[numbers.below(constants.length)] ?? 0) + numbers.below(2));
    case 'offset':
      return attempt % 2 === 0 ? 0 : numbers.below(4);
    case 'number':
      return numbers.chance(0.5) ? Math.min(size, 64) : 1 + numbers.below(4);
  }
}

function scalarKind(type: string, bytes: number): ScalarKind {
  if (isScalarKind(type)) return type;
  return bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : bytes === 4 ? 'u32' : 'u64';
}
