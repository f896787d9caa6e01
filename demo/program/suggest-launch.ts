// Suggests a launch for a kernel without test data: threads, and the contents of each parameter.
// The reference runs candidates, which shows the sizes of the buffers and whether a candidate is
// free of undefined behavior.
import type { Dim3, Launch } from '../../src/base/launch.ts';
import { isScalarKind, scalarFormats } from '../../src/base/scalars.ts';
import { LaunchError } from '../../src/cpu-ref/executor.ts';
import type { InterpretResult } from '../../src/cpu-ref/interpreter/interpret.ts';
import {
  inferKernel,
  type KernelUse,
  type NumberRole,
  type NumberUse,
  type ParamUse,
  type PointerUse,
  suggestBlocks,
} from '../../src/harness/infer/index.ts';
import type { Module, PtxFunction, Variable } from '../../src/ptx/index.ts';
import { type InputSpec, maxCount } from '../state.ts';
import { launchParam, paramBytes } from './inputs.ts';
import { interpretWithin } from './interpret-within.ts';
import { maxLaunchBytes } from './limits.ts';

/** The parts of a launch that the user has chosen. */
export interface LaunchChoices {
  readonly block: Dim3 | undefined;
  readonly grid: Dim3 | undefined;
  readonly sharedBytes: number | undefined;
  /** The chosen inputs, by the name of the parameter. */
  readonly inputs: ReadonlyMap<string, InputSpec>;
}

export interface SuggestedLaunch {
  readonly block: Dim3;
  readonly grid: Dim3;
  readonly sharedBytes: number;
  readonly specs: ReadonlyMap<string, InputSpec>;
}

/**
 * The limit of instructions that the reference executes for one candidate and for all of them, and
 * the time limit in milliseconds, which only a slow machine reaches.
 */
const maxSteps = 30_000;
const maxTotalSteps = 150_000;
const maxMs = 6000;

/** Dynamic shared memory for a kernel that uses some. */
const dynamicSharedBytes = 16 * 1024;

interface Variation {
  readonly block: number | 'warp' | 'thread';
  /** The number of blocks on each axis whose block index the kernel reads. */
  readonly blocks: number;
  /** The value of parameters that are counts. Undefined: the number of threads on an axis. */
  readonly size?: number;
  /** The contents of elements that the kernel uses as indexes. */
  readonly indexes: 'lane' | 'zero';
  /** The only parameter that has the size; the other counts are 1. Undefined: all counts have it. */
  readonly only?: ParamUse;
}

/** The variations in order of preference. */
const variations = [
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

/**
 * For kernels with more instructions, the search starts with small launches, which the reference
 * can run within the time limit.
 */
const longBody = 1500;

/**
 * Returns the first candidate that writes, and ends without findings. If there is none, returns the
 * first without findings, or else the first that ends, or else the first. Choices of the user stay as
 * they are.
 */
export function suggestLaunch(module: Module, entry: PtxFunction, choices: LaunchChoices): SuggestedLaunch {
  const use = inferKernel(module, entry);
  const budget: Budget = { steps: maxTotalSteps, end: performance.now() + maxMs };
  const isLong = entry.body.length > longBody;
  const isSmall = ({ block }: Variation): boolean => block === 'warp';
  const queue: Variation[] = [...variations];
  if (isLong) queue.sort((a, b) => Number(isSmall(b)) - Number(isSmall(a)));
  const [first = variations[0]] = queue;
  const mayWrite = use.params.some(({ fields }) => fields.some(({ use }) => use.kind === 'pointer' && use.writes));
  let best: { readonly launch: SuggestedLaunch; readonly rank: number } | undefined;
  const tried = new Set<string>();
  let isSlow = false;
  let isSilent = false;
  for (let variation = queue.shift(); variation !== undefined && !isSpent(budget); variation = queue.shift()) {
    if (isSlow && !('size' in variation)) continue;
    const candidate = draft(use, choices, variation);
    // Variations differ only if the kernel has indexes in memory, several blocks and so on.
    const key = JSON.stringify({ ...candidate, specs: [...candidate.specs] });
    if (tried.has(key)) continue;
    tried.add(key);
    const { launch, result } = sized(module, entry, use, choices, candidate, budget);
    const isClean = result?.status === 'done' && result.findings.length === 0;
    const hasWritten = [...(result?.extents.values() ?? [])].some(({ writtenTo }) => writtenTo > 0);
    if (isClean && (hasWritten || !mayWrite)) return launch;
    // The loops run too long, so the search continues only with variations that have a `size`.
    if (result?.failure?.code === 'RUN014') isSlow = true;
    const rank = isClean ? 2 : Number(result?.status === 'done');
    if (best === undefined || rank > best.rank) best = { launch, rank };
    // All threads fail a test, such as `i < size - first`, for which equal counts are unsuitable.
    if (isClean && !isSilent) {
      isSilent = true;
      queue.unshift(
        ...use.params
          .filter(isCount)
          .slice(0, maxCounts)
          .map((only) => ({ ...variations[0], only })),
      );
    }
  }
  return best?.launch ?? draft(use, choices, first);
}

/** The maximum number of counts that have the size alone. */
const maxCounts = 6;

const sizedRoles: ReadonlySet<NumberRole> = new Set(['count', 'pitch', 'divisor']);

const isCount = ({ variable, fields: [field] }: ParamUse): boolean =>
  !variable.array && field?.use.kind === 'number' && sizedRoles.has(field.use.role);

/** The remaining instructions, and the time at which the search ends. */
interface Budget {
  steps: number;
  readonly end: number;
}

const isSpent = ({ steps, end }: Budget): boolean => steps <= 0 || performance.now() >= end;

function draft({ params, threads }: KernelUse, choices: LaunchChoices, variation: Variation): SuggestedLaunch {
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

/** Returns a block of at most a warp, or one thread. */
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

/** Returns the words of a struct, with its numbers. Its pointers stay null. */
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
      return Math.max(0, (constants[0] ?? 0) + 1); // Absent: a number that the kernel only passes on.
    case 'offset':
      return 0;
    case 'number':
      return 4;
  }
}

/** The number of times that buffers grow to the elements that the kernel accesses. */
const maxGrowths = 4;

/**
 * Gives each buffer without a chosen size as many elements as the kernel accesses, and then runs the
 * candidate with the sanitizer.
 */
function sized(
  module: Module,
  entry: PtxFunction,
  { params }: KernelUse,
  choices: LaunchChoices,
  candidate: SuggestedLaunch,
  budget: Budget,
): { readonly launch: SuggestedLaunch; readonly result: InterpretResult | undefined } {
  let launch = candidate;
  for (let growths = 0; growths < maxGrowths; growths++) {
    const result = run(module, entry, params, launch, budget, false);
    if (result === undefined) return { launch, result };
    const specs = new Map(launch.specs);
    let grown = false;
    for (const [index, { variable }] of params.entries()) {
      const spec = specs.get(variable.name);
      const extent = result.extents.get(index);
      const isChosen = choices.inputs.get(variable.name)?.count !== undefined;
      if (spec?.as !== 'buffer' || extent === undefined || isChosen) continue;
      const width = scalarFormats[spec.type ?? 'u32'].bytes; // Absent: a buffer of plain words.
      const needed = Math.max(1, Math.ceil(Math.max(extent.readTo, extent.writtenTo) / width));
      // A wild address is undefined behavior, not a size.
      if (needed > maxCount) return { launch, result: undefined };
      if (needed > (spec.count ?? 0)) grown = true; // Absent: no elements yet.
      specs.set(variable.name, { ...spec, count: needed });
    }
    launch = { ...launch, specs };
    if (result.failure?.code === 'RUN014') return { launch, result };
    if (!grown) break;
  }
  return { launch, result: run(module, entry, params, launch, budget, true) };
}

function run(
  module: Module,
  entry: PtxFunction,
  params: readonly ParamUse[],
  { block, grid, sharedBytes, specs }: SuggestedLaunch,
  budget: Budget,
  sanitize: boolean,
): InterpretResult | undefined {
  const described = params.flatMap(({ variable }) => {
    const spec = specs.get(variable.name);
    return spec ? [{ variable, spec }] : [];
  });
  const bytes = described.reduce((sum, { variable, spec }) => sum + paramBytes(variable, spec), 0);
  if (bytes > maxLaunchBytes) return undefined;
  const made = described.map(({ variable, spec }) => launchParam(variable, spec));
  const { file: ptxFile, text: ptx } = module.source;
  const launch: Launch = { id: '', group: '', ptx, ptxFile, entry: entry.name, grid, block, sharedBytes, params: made };
  try {
    const ms = budget.end - performance.now();
    const result = interpretWithin(ms, module, launch, { sanitize, maxSteps });
    budget.steps -= result?.steps ?? maxSteps; // Absent: the time is over.
    return result;
  } catch (error) {
    // A parameter such as a texture, which this page cannot provide.
    if (error instanceof LaunchError) return undefined;
    throw error;
  }
}
