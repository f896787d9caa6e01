// The number of workgroups that run a grid.

import { clusterGrid } from '../../base/cluster.ts';
import { countOf } from '../../base/dim3.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { Diagnostic, Source } from '../../ptx/ast.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { GpuError } from '../device/gpu-error.ts';
import { KernelError } from './kernel-error.ts';
import { maxBlocks, rowsOf } from './rows.ts';

/**
 * Whether the adapter was observed to run a launch's workgroups at the same time. Blocks that wait
 * for each other require this.
 */
export type Resident = 'all' | 'not all' | 'unknown';

/** Whether the blocks of a launch wait for each other. */
export const needsResidency = ({ gridBarrier }: Pick<WgslProgram, 'gridBarrier'>, [x, y, z]: Dim3): boolean =>
  gridBarrier !== undefined && x * y * z > 1;

const refusals: Readonly<Record<Exclude<Resident, 'all'>, { readonly why: string; readonly hint: string }>> = {
  'not all': {
    why: 'this adapter cannot run so many workgroups at the same time',
    hint: 'launch fewer or smaller blocks, or several kernels',
  },
  unknown: {
    why: 'it was not measured whether the adapter can run so many workgroups at the same time',
    hint: 'WebGPU does not guarantee that workgroups run at the same time: launch one block, or several kernels',
  },
};

/** Checks the grid barrier. Throws `KernelError` if blocks could wait for each other forever. */
export function checkGridBarrier(program: WgslProgram, source: Source, grid: Dim3, resident: Resident): void {
  const { gridBarrier, kernel } = program;
  if (gridBarrier === undefined || resident === 'all' || !needsResidency(program, grid)) return;
  const [x, y, z] = grid;
  const { why, hint } = refusals[resident];
  const diagnostic: Diagnostic = {
    code: 'LW2010',
    severity: 'error',
    message: `the ${x * y * z} blocks of \`${kernel}\` wait for each other here, but ${why}`,
    span: gridBarrier,
    labels: [],
    hint,
  };
  throw new KernelError('unsupported', source, [diagnostic]);
}

/** Returns the size of a grid in workgroups: each runs a block, or a cluster of several. */
export const workgroupGrid = ({ cluster }: Pick<WgslProgram, 'cluster'>, grid: Dim3): Dim3 =>
  cluster ? clusterGrid(grid, cluster) : grid;

/** Returns the bytes of the buffer for shared and local memory that is not in variables. */
export const blockMemoryBytes = (program: Pick<WgslProgram, 'blockMemory' | 'cluster'>, grid: Dim3): number =>
  program.blockMemory === undefined ? 0 : program.blockMemory.blockBytes * countOf(workgroupGrid(program, grid));

/**
 * Returns the number of workgroups. Throws `GpuError` 'validation' for more blocks than can be
 * dispatched, and for a grid that is not a multiple of the clusters.
 */
export function workgroupsOf(program: Pick<WgslProgram, 'foldedGrid' | 'cluster'>, label: string, blocks: Dim3): Dim3 {
  const grid = workgroupGrid(program, blocks);
  if (!grid.every(Number.isInteger))
    throw new GpuError(
      'validation',
      `${label}: a grid of ${blocks.join(' x ')} blocks is not a multiple of its clusters`,
    );
  if (!program.foldedGrid) return grid;
  const total = grid[0] * grid[1] * grid[2];
  if (total <= maxBlocks) return rowsOf(grid);
  throw new GpuError(
    'validation',
    `${label}: the grid has ${total} blocks, but WebGPU supports at most ${maxBlocks} in a dimension`,
  );
}
