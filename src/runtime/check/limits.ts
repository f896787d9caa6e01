// The limits of a kernel and of the device: the number of threads in a block, and of buffers.

import type { Dim3 } from '../../base/launch.ts';
import type { Diagnostic, PtxFunction } from '../../ptx/ast.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { bindingsOf } from '../launch/bindings.ts';

export type DeviceLimits = Pick<
  GPUSupportedLimits,
  'maxComputeInvocationsPerWorkgroup' | 'maxStorageBuffersPerShaderStage'
>;

/**
 * Returns a diagnostic for each limit that a program exceeds. The translator checks the size of
 * shared memory.
 */
export function exceededLimits(program: WgslProgram, entry: PtxFunction, limits: DeviceLimits): readonly Diagnostic[] {
  const { kernel, block, workgroupSize } = program;
  const found: Diagnostic[] = [];
  const report = (code: string, message: string, hint: string) =>
    found.push({ code, severity: 'error', message: `\`${kernel}\` ${message}`, span: entry.span, labels: [], hint });
  const wrong = wrongBlock(entry, block);
  if (wrong !== undefined) report('LW2013', wrong, 'launch blocks of the size that the kernel declares');
  const threads = limits.maxComputeInvocationsPerWorkgroup;
  if (workgroupSize > threads)
    report(
      'LW2014',
      `has blocks of ${size(block)} threads, but the device runs at most ${threads} in a workgroup`,
      'launch smaller blocks, or request a device with a larger `maxComputeInvocationsPerWorkgroup`',
    );
  const buffers = bindingsOf(program).filter(({ kind }) => kind !== 'uniform').length;
  const most = limits.maxStorageBuffersPerShaderStage;
  if (buffers > most)
    report(
      'LW2015',
      `needs ${buffers} storage buffers, but the device has at most ${most} in a shader`,
      'request a device with a larger `maxStorageBuffersPerShaderStage`',
    );
  return found;
}

/**
 * Returns a description of the difference between a block and the size that the kernel declares;
 * undefined if there is none.
 */
function wrongBlock({ requiredThreads, maxThreads }: PtxFunction, block: Dim3): string | undefined {
  if (requiredThreads?.some((count, axis) => count !== block[axis]))
    return `requires blocks of ${size(requiredThreads)} threads (.reqntid), but the launch has ${size(block)}`;
  const most = maxThreads?.reduce((product, count) => product * count) ?? Number.POSITIVE_INFINITY;
  if (block[0] * block[1] * block[2] > most)
    return `allows at most ${most} threads in a block (.maxntid), but the launch has ${size(block)}`;
  return undefined;
}

const size = (block: readonly number[]): string => block.join(' x ').replace(/( x 1)+$/, '');
