// Short kernels for tests: one workgroup, and one output word for each invocation.

import type { GpuBuffer } from '../../src/runtime/device/job.ts';
import type { InterpreterOptions } from './index.ts';
import { runWgsl } from './index.ts';

export interface Kernel {
  /** Module-scope declarations. */
  readonly module?: string;
  /**
   * Statements of the entry point. They may use `out`, `index`, `lane`, `subgroup` and `subgroups`.
   */
  readonly body: string;
  /** The number of invocations. Default: the subgroup size. */
  readonly count?: number;
  /** The number of words of `out`. Default: `count`. */
  readonly words?: number;
  readonly buffers?: readonly GpuBuffer[];
}

/** The initial value of the output words, which makes an unwritten word visible. */
export const untouched = 0xcdcdcdcd;

function kernelCode(kernel: Kernel, count: number): string {
  return `enable subgroups;
requires subgroup_id;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
${kernel.module ?? ''}
@compute @workgroup_size(${count})
fn main(@builtin(local_invocation_index) index: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {
${kernel.body}
}`;
}

/** Runs the kernel and returns the words of `out`. */
export function runKernel(kernel: Kernel, options: InterpreterOptions): number[] {
  const count = kernel.count ?? options.subgroupSize;
  const words = kernel.words ?? count;
  const data = new Uint8Array(new Uint32Array(words).fill(untouched).buffer);
  const result = runWgsl(
    {
      label: 'kernel',
      code: kernelCode(kernel, count),
      entryPoint: 'main',
      workgroups: [1, 1, 1],
      buffers: [{ binding: 0, kind: 'storage', bytes: words * 4, data, read: true }, ...(kernel.buffers ?? [])],
    },
    options,
  );
  const out = result.buffers.get(0);
  if (out === undefined) throw new Error('the output was not read back');
  return [...new Uint32Array(out.buffer, out.byteOffset, words)];
}

/** Evaluates expressions of type u32 in one invocation. Each becomes a word of the output. */
export function evaluate(expressions: readonly string[], module = '', before = ''): number[] {
  const stores = expressions.map((expression, i) => `out[${i}] = ${expression};`);
  const kernel: Kernel = { module, body: [before, ...stores].join('\n'), count: 1, words: expressions.length };
  return runKernel(kernel, { subgroupSize: 1 });
}
