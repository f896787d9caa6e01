// The limit of the buffer for shared and local memory that is not in variables.

import { missing } from '../../base/invariants.ts';
import type { Launch } from '../../base/launch.ts';
import type { Diagnostic } from '../../ptx/ast.ts';
import type { AdapterReport } from '../../runtime/device/job.ts';
import { blockMemoryBytes } from '../../runtime/launch/dispatch.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { loadKernel } from './load-kernel.ts';

/**
 * Throws `KernelError` if the memory of all blocks exceeds the largest buffer. Limits that the
 * adapter does not report are WebGPU's defaults.
 */
export function checkBlockMemory(
  program: WgslProgram,
  launch: Launch,
  { maxBufferSize = 2 ** 28, maxStorageBufferBindingSize = 2 ** 27 }: AdapterReport['limits'] = {},
): void {
  const { blockMemory, kernel } = program;
  const bytes = blockMemoryBytes(program, launch.grid);
  const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  if (blockMemory === undefined || bytes <= most) return;
  const { blockBytes } = blockMemory;
  const { source, functions } = loadKernel(launch);
  const { span } = functions.find(({ name }) => name === kernel) ?? missing('the function of', kernel);
  const diagnostic: Diagnostic = {
    code: 'LW2020',
    severity: 'error',
    message: `\`${kernel}\` needs ${blockBytes} bytes in a buffer for each of ${bytes / blockBytes} workgroups: a buffer of the adapter has at most ${most} bytes`,
    span,
    labels: [],
    hint: 'launch fewer blocks, choose smaller tiles, or use a device with more workgroup memory',
  };
  throw new KernelError('unsupported', source, [diagnostic]);
}
