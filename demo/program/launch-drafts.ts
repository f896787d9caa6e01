// The launches that the page tries for a kernel without test data. A launch has threads, and
// contents for each parameter.

import { at } from '../../src/base/invariants.ts';
import type { Dim3 } from '../../src/base/launch.ts';
import { isScalarKind, scalarFormats } from '../../src/base/scalars.ts';
import {
  type KernelUse,
  type NumberRole,
  type NumberUse,
  type ParamUse,
  type PointerUse,
  suggestBlocks,
} from '../../src/harness/infer/index.ts';
import type { Variable } from '../../src/ptx/index.ts';
import { type InputSpec, maxCount } from '../state.ts';

/** The parts of a launch that the user has chosen. */
export interface LaunchChoices {
  readonly block: Dim3 | undefined;
  readonly grid: Dim3 | undefined;
  readonly sharedBytes: number | undefined;
  /** The chosen inputs, by the name of the parameter. */
  readonly inputs: ReadonlyMap<string, InputSpec>;
}

/** A launch, with the contents of each parameter. */
export interface SuggestedLaunch {
  readonly block: Dim3;
  readonly grid: Dim3;
  readonly sharedBytes: number;
  readonly specs: ReadonlyMap<string, InputSpec>;
}

/** The number of bytes of dynamic shared memory for a kernel that uses dynamic shared memory. */
const dynamicSharedBytes = 16 * 1024;

/** A variation of a kernel's launch. */
export interface Variation {
  readonly block: number | 'warp' | 'thread';
  /** The number of blocks on each axis whose block index the kernel reads. */
  readonly blocks: number;
  /**
   * The value of parameters that are counts. If it is undefined, the value is the number of threads
   * on an axis.
   */
  readonly size?: number;
  /** The contents of elements that the kernel uses as indexes. */
  readonly indexes: 'lane' | 'zero';
  /**
   * The only count with the value `size`; the other counts are 1. If it is undefined, all counts
   * have the value `size`.
   */
  readonly only?: ParamUse;
}

/** The variations in order of preference. */
export const variations = [
  { block: 0, blocks: 2, indexes: 'lane' },
  { block: 0, blocks: 2, indexes: 'zero' },
  { block: 1, blocks: 2, indexes: 'lane' },
  { block: 0, blocks: 1, indexes: 'lane' },
  { block: 0, blocks: 1, size: 256, indexes: 'lane' },
  { block: 0, blocks: 1, size: 16, indexes: 'lane' },
  { block: 'warp', blocks: 1, size: 32, indexes: 'lane' },
  { block: 2, blocks: 1, indexes: 'zero' },
  { block: 'warp', blocks: 1, size: 4, indexes: 'zero' },
  { block: 'thread', blocks: 1, size: 4, indexes: 'zero' },
] as const satisfies readonly Variation[];

const sizedRoles: ReadonlySet<NumberRole> = new Set(['count', 'pitch', 'divisor']);

/** Whether a parameter is a count of elements. */
export const isCount = ({ variable, fields: [field] }: ParamUse): boolean =>
  !variable.array && field?.use.kind === 'number' && sizedRoles.has(field.use.role);

/** Returns the launch of a variation. The choices of the user take precedence. */
export function draft({ params, threads }: KernelUse, choices: LaunchChoices, variation: Variation): SuggestedLaunch {
  const blocks = suggestBlocks(threads);
  const [first = [32, 1, 1]] = blocks;
  const suggested: Dim3 =
    typeof variation.block === 'number'
      ? (blocks[variation.block % blocks.length] ?? first)
      : smallBlock(variation.block, first, threads.required);
  const block = choices.block ?? suggested;
  const many = (axis: 'x' | 'y' | 'z'): number => (threads.blockAxes.includes(axis) ? variation.blocks : 1);
  const grid = choices.grid ?? [many('x'), many('y'), many('z')];
  const size = variation.size ?? Math.max(block[0] * grid[0], block[1] * grid[1]);
  const count = Math.min(product(block) * product(grid), maxCount);
  const specs = params.map((param): [string, InputSpec] => {
    const given = choices.inputs.get(param.variable.name);
    const own = variation.only === undefined || variation.only === param ? size : 1;
    return [param.variable.name, { ...specOf(param, variation, own, count), ...given }];
  });
  const sharedBytes = choices.sharedBytes ?? (threads.usesDynamicShared ? dynamicSharedBytes : 0);
  return { block, grid, sharedBytes, specs: new Map(specs) };
}

const product = ([x, y, z]: Dim3): number => x * y * z;

/** Returns a block with at most the threads of a warp, or with one thread. */
function smallBlock(limit: 'warp' | 'thread', [x, y, z]: Dim3, required: Dim3 | undefined): Dim3 {
  if (required !== undefined) return required;
  if (limit === 'thread') return [1, 1, 1];
  return [Math.min(x, y > 1 ? 8 : 32), Math.min(y, z > 1 ? 2 : 4), Math.min(z, 2)];
}

function specOf({ variable, fields }: ParamUse, variation: Variation, size: number, count: number): InputSpec {
  const [field] = fields;
  if (variable.array) return structSpec(variable, fields, size);
  if (field?.use.kind === 'pointer') return pointerSpec(field.use, variation, count);
  // An unused parameter of 8 bytes may be a pointer.
  if (field === undefined && variable.bytes === 8 && !variable.type.startsWith('f')) {
    return { pattern: 'constant', value: '0', as: 'buffer', type: 'u32', count };
  }
  const value = field?.use.kind === 'number' ? numberOf(field.use, variable, size) : 0;
  return { pattern: 'constant', value: String(value), as: 'scalar' };
}

function pointerSpec(use: PointerUse, { indexes }: Variation, count: number): InputSpec {
  const type = use.element;
  const buffer = { as: 'buffer', type, count } as const;
  if (!use.reads) return { pattern: 'constant', value: '0', ...buffer };
  if (!use.holdsIndexes || scalarFormats[type].float) return { pattern: 'random', value: '', ...buffer };
  return indexes === 'lane'
    ? { pattern: 'lane', value: '', ...buffer }
    : { pattern: 'constant', value: '0', ...buffer };
}

/** Returns the words of a struct. Its numbers have values, and its pointers are null. */
function structSpec({ bytes }: Variable, fields: ParamUse['fields'], size: number): InputSpec {
  const words = Array.from({ length: Math.ceil(bytes / 4) }, () => 0);
  for (const { offset, use } of fields) {
    if (use.kind === 'number' && offset % 4 === 0) words[offset / 4] = roleValue(use, size);
  }
  return { pattern: 'values', value: words.join(', '), as: 'scalar' };
}

function numberOf(use: NumberUse, { type }: Variable, size: number): number {
  return isScalarKind(type) && scalarFormats[type].float ? 2 : roleValue(use, size);
}

function roleValue({ role, constants }: NumberUse, size: number): number {
  switch (role) {
    case 'count':
    case 'pitch':
    case 'divisor':
      return size;
    case 'shift':
      return 1;
    case 'flag':
      return Math.max(0, at(constants, 0, 'a constant of a flag') + 1);
    case 'offset':
      return 0;
    case 'number':
      return 4;
  }
}
