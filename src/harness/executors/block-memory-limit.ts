// The limit of the buffer for shared and local memory that is not in variables.

import { countOf } from '../../base/dim3.ts';
import { missing } from '../../base/invariants.ts';
import type { Launch } from '../../base/launch.ts';
import type { Diagnostic } from '../../ptx/ast.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import { workgroupGrid } from '../../runtime/launch/dispatch.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { loadKernel } from './load-kernel.ts';

/**
 * Throws `KernelError` if the memory of all blocks exceeds the largest buffer. Limits that the
 * adapter does not report are WebGPU's defaults.
 */
export function checkBlockMemory(
  { blockMemory, cluster, kernel }: WgslProgram,
  launch: Launch,
  { maxBufferSize = 2 ** 28, maxStorageBufferBindingSize = 2 ** 27 }: AdapterReport['limits'] = {},
): void {
  if (blockMemory === undefined) return;
  const { blockBytes } = blockMemory;
  const workgroups = countOf(workgroupGrid({ cluster }, launch.grid));
  const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  if (blockBytes * workgroups <= most) return;
  const { source, functions } = loadKernel(launch);
  const { span } = functions.find(({ name }) => name === kernel) ?? missing('the function of', kernel);
  const diagnostic: Diagnostic = {
    code: 'LW2020',
    severity: 'error',
    message: `\`${kernel}\` needs ${blockBytes} bytes in a buffer for each of ${workgroups} workgroups: a buffer of the adapter has at most ${most} bytes`,
    span,
    labels: [],
    hint: 'launch fewer blocks, choose smaller tiles, or use a device with more workgroup memory',
  };
  throw new KernelError('unsupported', source, [diagnostic]);
}
