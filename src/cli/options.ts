// Parsers of option values. Each throws what Commander prints as a usage error.

import { InvalidArgumentError } from 'commander';
import type { PlanKind } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import { type ExecutorName, executorNames } from '../harness/executors/executor.ts';

/// Of the commands that run kernels.
export interface ExecutorOptions {
  readonly on: readonly ExecutorName[];
  readonly adapter?: string;
  readonly plan?: PlanKind;
  readonly requireHardware?: boolean;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly float: 'exact' | 'fast';
}

/// `cpu,chrome`: names without repetition.
export function parseExecutors(list: string): ExecutorName[] {
  const names = list.split(',').map((text) => {
    const name = executorNames.find((candidate) => candidate === text.trim());
    if (!name) throw new InvalidArgumentError(`'${text}' is no executor: use ${executorNames.join(', ')}.`);
    return name;
  });
  return [...new Set(names)];
}

export function parseSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff || text.trim() === '') {
    throw new InvalidArgumentError('A seed is an integer from 0 to 4294967295.');
  }
  return seed;
}

/// An integer from 0.
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0 || text.trim() === '') {
    throw new InvalidArgumentError('It must be an integer that is not negative.');
  }
  return count;
}

/// Seconds to milliseconds.
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0) || !Number.isFinite(seconds)) throw new InvalidArgumentError('It must be a number above 0.');
  return Math.ceil(seconds * 1000);
}

/// `256`, `16,16` or `8,8,4`.
export function parseBlock(text: string): Dim3 {
  const sizes = text.split(',').map(Number);
  const [x = 1, y = 1, z = 1] = sizes;
  if (sizes.length > 3 || sizes.some((size) => !Number.isInteger(size) || size < 1)) {
    throw new InvalidArgumentError('A block is up to three positive integers, such as 16,16,1.');
  }
  if (x * y * z > 1024) throw new InvalidArgumentError(`A block has at most 1024 threads, not ${x * y * z}.`);
  return [x, y, z];
}

export function parseSubgroupSize(text: string): number {
  const size = Number(text);
  if (text.trim() === '' || ![0, 4, 8, 16, 32, 64, 128].includes(size)) {
    throw new InvalidArgumentError('It must be 4, 8, 16, 32, 64, 128, or 0 for no subgroups.');
  }
  return size;
}

/// A level of the CUDA driver's optimizer.
export function parseOptimize(text: string): number {
  if (!/^[0-4]$/.test(text)) throw new InvalidArgumentError('A level is 0, 1, 2, 3 or 4.');
  return Number(text);
}

/// The options that a command must repeat to meet the same adapter and arithmetic; '' for none.
export function reproducingOptions({ adapter, plan, float }: ExecutorOptions): string {
  return [
    ...(adapter ? [`--adapter ${adapter}`] : []),
    ...(plan ? [`--plan ${plan}`] : []),
    ...(float === 'fast' ? ['--float fast'] : []),
  ].join(' ');
}
