// Kernels of one warp that read one buffer and write another.
import { expect } from 'vitest';
import type { Launch } from '../../src/base/launch.ts';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { lockstepExecutor } from './lockstep-executor.ts';

/**
 * Returns a kernel for 32 threads. `%rd1` and `%rd2` are the pointers, `%r0` is the thread's
 * number, and `%r2` is this number minus 16. The body leaves its result in `%r1`.
 */
export const bufferKernel = (body: string): string => `.version 8.0
.target sm_80
.address_size 64
.visible .entry buffers(.param .u64 input, .param .u64 result)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<16>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<16>;
  .shared .align 4 .b8 cells[128];
  ld.param.u64 %rd1, [input];
  ld.param.u64 %rd2, [result];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd3, %rd2;
  mov.u32 %r0, %tid.x;
  sub.s32 %r2, %r0, 16;
${body}
  mul.wide.u32 %rd4, %r0, 4;
  add.s64 %rd5, %rd3, %rd4;
  st.global.u32 [%rd5], %r1;
  ret;
}
`;

const words = 512;

export function bufferLaunch(ptx: string): Launch {
  const data = Uint32Array.from({ length: words }, (_, index) => Math.imul(index + 1, 0x9e37_79b9) >>> 0);
  return {
    id: 'buffers',
    group: 'test',
    ptx,
    ptxFile: 'buffers.ptx',
    entry: 'buffers',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'input', kind: 'buffer', type: 'u32', bytes: words * 4, data: new Uint8Array(data.buffer) },
      { name: 'result', kind: 'buffer', type: 'u32', bytes: 32 * 4 },
    ],
  };
}

/** Runs the kernel in lockstep and expects the reference's results. */
export async function expectReference(ptx: string): Promise<void> {
  const launch = bufferLaunch(ptx);
  const expected = (await cpuExecutor().run(launch)).outputs.get(1);
  const { outputs } = await lockstepExecutor(32).run(launch);
  expect([...new Uint32Array((outputs.get(1) ?? new Uint8Array()).slice().buffer)]).toEqual([
    ...new Uint32Array((expected ?? new Uint8Array()).slice().buffer),
  ]);
}
