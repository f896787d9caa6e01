// Builds and runs small kernels for the interpreter's tests. A test supplies a kernel's body; the
// text before it computes addresses.

import type { Dim3, Launch, LaunchParam } from '../../../../src/base/launch.ts';
import { type InterpretOptions, type InterpretResult, runOnCpu } from '../../../../src/cpu-ref/executor.ts';

export interface KernelOptions extends InterpretOptions {
  readonly threads?: number;
  readonly blocks?: number;
  /** The size of a cluster in blocks. */
  readonly cluster?: Dim3;
  readonly sharedBytes?: number;
  /** Module-scope declarations and functions. */
  readonly module?: string;
  /** The number of words in the output buffer. The default is one per thread. */
  readonly words?: number;
  readonly params?: readonly LaunchParam[];
  readonly paramText?: string;
}

export interface KernelRun {
  readonly result: InterpretResult;
  /** The output buffer, as words. */
  readonly out: number[];
  /** Findings as `CODE message`. */
  readonly findings: string[];
}

/**
 * Returns the text of a kernel `k`. `%r0` is the thread's number in the grid, `%lane` its lane,
 * `%rd0` the buffer, and `%rd1` the address of the thread's word.
 */
export function kernelText(body: string, { module = '', paramText = '' }: KernelOptions = {}): string {
  return `.version 8.6
.target sm_90
.address_size 64
${module}
.visible .entry k(.param .u64 out${paramText})
{
  .reg .b32 %r<32>, %lane, %t; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .f32 %f<8>; .reg .b16 %h<8>;
  mov.u32 %r0, %ctaid.x; mov.u32 %t, %ntid.x; mul.lo.u32 %r0, %r0, %t; mov.u32 %t, %tid.x; add.u32 %r0, %r0, %t;
  mov.u32 %lane, %laneid; ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd0, %rd0; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd0, %rd1;
${body}
  ret;
}
`;
}

export function kernelLaunch(body: string, options: KernelOptions = {}): Launch {
  const { threads = 32, blocks = 1, sharedBytes = 0, params = [] } = options;
  const words = options.words ?? threads * blocks;
  return {
    id: 'test',
    group: '',
    ptx: kernelText(body, options),
    ptxFile: 'test.ptx',
    entry: 'k',
    grid: [blocks, 1, 1],
    block: [threads, 1, 1],
    ...(options.cluster && { cluster: options.cluster }),
    sharedBytes,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: 4 * words }, ...params],
  };
}

export function runKernel(body: string, options: KernelOptions = {}): KernelRun {
  const { seed, maxSteps, stepsPerYield, observe, sanitize, trackWriters } = options;
  const result = runOnCpu(kernelLaunch(body, options), {
    ...(seed === undefined ? {} : { seed }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(stepsPerYield === undefined ? {} : { stepsPerYield }),
    ...(observe === undefined ? {} : { observe }),
    ...(sanitize === undefined ? {} : { sanitize }),
    ...(trackWriters === undefined ? {} : { trackWriters }),
  });
  const bytes = result.outputs.get(0) ?? new Uint8Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = Array.from({ length: bytes.length >>> 2 }, (_, i) => view.getUint32(4 * i, true));
  return { result, out, findings: result.findings.map(({ code, message }) => `${code} ${message}`) };
}

/** Returns the list of `value(0)` to `value(n - 1)`. */
export function each(n: number, value: (i: number) => number): number[] {
  return Array.from({ length: n }, (_, i) => value(i) >>> 0);
}
