// Plans for the kernels of the benchmark: buffers, their contents, and launches. For Node only,
// because the PTX is read from bench/kernels.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dim3, ScalarKind, Tolerance } from '../../../base/launch.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Unit } from '../../../base/rate.ts';
import type { SequenceArgument, SequenceBuffer, SequenceLaunch } from '../../launches/launch-sequence.ts';
import { packageFolder } from '../../sessions/dist-folder.ts';
import type { BenchEntry, Size } from './entry.ts';

const folder = join(packageFolder(), 'bench/kernels');

/** Whether this installation includes the kernels. */
export function hasKernels(): boolean {
  return existsSync(join(folder, 'fill.ptx'));
}

export interface Plan {
  readonly buffers: readonly SequenceBuffer[];
  readonly fills: readonly SequenceLaunch[];
  readonly steps: readonly SequenceLaunch[];
  readonly work: number;
}

export interface Kernel {
  readonly name: string;
  readonly unit: Unit;
  readonly float?: boolean;
  readonly cub?: BenchEntry['cub'];
  readonly onlyAsked?: boolean;
  readonly plan: (size: Size) => Plan;
}

export const MI = 2 ** 20;
/**
 * The tolerance for approximate divisions and square roots, and for sums that fast arithmetic may
 * contract.
 */
export const loose: Tolerance = { rel: 1e-4, abs: 1e-5 };

export const u32 = (value: number): SequenceArgument => ({ type: 'u32', value });
export const choose = (size: Size, sizes: Readonly<Record<Size, number>>): number => sizes[size];

export function buffer(name: string, words: number, type: ScalarKind = 'u32'): SequenceBuffer {
  return { name, type, bytes: words * 4 };
}

export function result(name: string, words: number, type: ScalarKind = 'u32', tolerance?: Tolerance): SequenceBuffer {
  return { ...buffer(name, words, type), result: tolerance ? { tolerance } : {} };
}

const texts = new Map<string, string>();

export function launch(
  file: string,
  entry: string,
  grid: Dim3 | number,
  block: Dim3 | number,
  args: readonly SequenceArgument[],
  sharedBytes = 0,
): SequenceLaunch {
  const ptxFile = join(folder, `${file}.ptx`);
  const ptx = getOrInsert(texts, file, () => readFileSync(ptxFile, 'utf8'));
  const dim = (size: Dim3 | number): Dim3 => (typeof size === 'number' ? [size, 1, 1] : size);
  return { ptx, ptxFile, entry, grid: dim(grid), block: dim(block), args, ...(sharedBytes > 0 ? { sharedBytes } : {}) };
}

/**
 * Returns a launch that fills a buffer with random words. The words are below `limit` unless it is
 * 0; with `unit`, they are f32 from -1 to 1.
 */
export function fill(name: string, words: number, { limit = 0, unit = false } = {}): SequenceLaunch {
  const blocks = Math.min(4096, Math.ceil(words / 256));
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), words) % 2 ** 32;
  return launch('fill', 'fill', blocks, 256, [name, u32(words), u32(seed), u32(limit), u32(unit ? 1 : 0)]);
}

/**
 * Returns the number of blocks for kernels with grid-stride loops. At full size, it keeps every
 * multiprocessor busy.
 */
export const strideBlocks = (size: Size): number => choose(size, { check: 2, software: 16, full: 132 * 8 * 2 });
