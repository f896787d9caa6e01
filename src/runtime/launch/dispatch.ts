// How many workgroups run a grid.

import type { Dim3 } from '../../base/launch.ts';
import type { Diagnostic, Source } from '../../ptx/ast.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { GpuError } from '../device/gpu-error.ts';
import { KernelError } from './kernel-error.ts';

/// Workgroups of each dimension that every adapter takes.
export const maxWorkgroups = 65_535;

/// Throws `KernelError` for blocks that would wait for each other.
export function checkGridBarrier({ gridBarrier, kernel }: WgslProgram, source: Source, [x, y, z]: Dim3): void {
  const blocks = x * y * z;
  if (gridBarrier === undefined || blocks === 1) return;
  const diagnostic: Diagnostic = {
    code: 'LW2010',
    severity: 'error',
    message: `the ${blocks} blocks of \`${kernel}\` wait for each other here, which is not supported`,
    span: gridBarrier,
    labels: [],
    hint: 'WebGPU does not promise that workgroups run at the same time: launch one block, or several kernels',
  };
  throw new KernelError('unsupported', source, [diagnostic]);
}

/// Throws `GpuError` 'validation' for more blocks than can be dispatched.
export function workgroupsOf({ foldedGrid }: Pick<WgslProgram, 'foldedGrid'>, label: string, grid: Dim3): Dim3 {
  if (!foldedGrid) return grid;
  const total = grid[0] * grid[1] * grid[2];
  const rows = Math.ceil(total / maxWorkgroups);
  if (rows > maxWorkgroups) {
    const most = maxWorkgroups ** 2;
    throw new GpuError('validation', `${label}: the grid has ${total} blocks; WebGPU takes at most ${most} in a row`);
  }
  return [Math.ceil(total / rows), rows, 1];
}
