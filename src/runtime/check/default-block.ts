// Chooses a block for a kernel that is checked without a launch shape.

import type { Dim3 } from '../../base/launch.ts';
import { inferKernel, suggestBlocks } from '../../harness/infer/index.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';

/** Returns the likeliest block that fits the device. If no block fits, returns the likeliest. */
export function defaultBlock(module: Module, entry: PtxFunction, maxThreads: number): Dim3 {
  const blocks = suggestBlocks(inferKernel(module, entry).threads);
  return blocks.find(([x, y, z]) => x * y * z <= maxThreads) ?? blocks[0] ?? [1, 1, 1];
}
