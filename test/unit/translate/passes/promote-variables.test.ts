// Unoptimized code, which keeps every value in local memory: a function with a frame, called in a
// loop whose counter, sum and pointers are in the kernel's frame.
import { expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

const ptx = `.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) mixed(.param .b32 a, .param .b32 b) {
  .local .align 4 .b8 __local_depot0[16];
  .reg .b64 %SP, %SPL;
  .reg .b32 %r<12>;
  mov.b64 %SPL, __local_depot0;
  cvta.local.u64 %SP, %SPL;
  ld.param.b32 %r2, [b];
  ld.param.b32 %r1, [a];
  st.b32 [%SP], %r1;
  st.b32 [%SP+4], %r2;
  ld.b32 %r3, [%SP];
  ld.b32 %r4, [%SP+4];
  add.s32 %r5, %r3, %r4;
  st.b32 [%SP+8], %r5;
  mul.lo.s32 %r8, %r3, %r4;
  st.b32 [%SP+12], %r8;
  ld.b32 %r9, [%SP+8];
  ld.b32 %r10, [%SP+12];
  sub.s32 %r11, %r9, %r10;
  st.param.b32 [result], %r11;
  ret;
}
.visible .entry k(.param .u64 data, .param .u64 out) {
  .local .align 8 .b8 __local_depot1[32];
  .reg .b64 %SP, %SPL;
  .reg .pred %p<3>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<11>;
  mov.b64 %SPL, __local_depot1;
  cvta.local.u64 %SP, %SPL;
  ld.param.b64 %rd2, [out];
  ld.param.b64 %rd1, [data];
  st.b64 [%SP], %rd1;
  st.b64 [%SP+8], %rd2;
  mov.u32 %r1, %tid.x;
  st.b32 [%SP+20], %r1;
  st.b32 [%SP+24], 0;
  st.b32 [%SP+28], 0;
LOOP:
  ld.b32 %r5, [%SP+28];
  and.b32 %r14, %r1, 7;
  setp.ge.u32 %p2, %r5, %r14;
  @%p2 bra DONE;
  ld.b64 %rd7, [%SP];
  ld.s32 %rd8, [%SP+20];
  shl.b64 %rd9, %rd8, 2;
  add.s64 %rd10, %rd7, %rd9;
  ld.b32 %r7, [%rd10];
  ld.b32 %r8, [%SP+28];
  { .param .b32 p0; .param .b32 p1; .param .b32 r;
    st.param.b32 [p1], %r8; st.param.b32 [p0], %r7;
    call.uni (r), mixed, (p0, p1); ld.param.b32 %r9, [r]; }
  ld.b32 %r10, [%SP+24];
  add.s32 %r11, %r10, %r9;
  st.b32 [%SP+24], %r11;
  ld.b32 %r12, [%SP+28];
  add.s32 %r13, %r12, 1;
  st.b32 [%SP+28], %r13;
  bra.uni LOOP;
DONE:
  ld.b32 %r6, [%SP+24];
  ld.b64 %rd3, [%SP+8];
  ld.s32 %rd4, [%SP+20];
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd6, %rd3, %rd5;
  st.b32 [%rd6], %r6;
  ret;
}
`;

const words = Uint32Array.from({ length: 32 }, (_word, index) => index * 0x9e3779b1);
const data = new Uint8Array(words.buffer);

/** The sum of a + b - a * b over the counts b below the number of the thread, modulo 8. */
const expected = Int32Array.from({ length: 32 }, (_word, thread) => {
  const a = words[thread] ?? 0;
  let sum = 0;
  for (let b = 0; b < thread % 8; b++) sum = (sum + a + b - Math.imul(a, b)) | 0;
  return sum;
});

const launch: Launch = {
  id: 'unoptimized',
  group: '',
  ptx,
  ptxFile: 'unoptimized.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [32, 1, 1],
  sharedBytes: 0,
  params: [
    { name: 'data', kind: 'buffer', type: 'u32', bytes: 128, data },
    { name: 'out', kind: 'buffer', type: 's32', bytes: 128 },
  ],
};

const outOf = (outputs: ReadonlyMap<number, Uint8Array>) =>
  new Int32Array(outputs.get(1)?.slice().buffer ?? new ArrayBuffer(0));

test('unoptimized code runs without local memory, and its pointers have bindings', async () => {
  const code = wgslOf(ptx);
  expect(code).not.toContain('private');
  expect(code).toContain('var<storage, read> data: array<u32>;');
  expect(outOf(runOnCpu(launch).outputs)).toEqual(expected);
  for (const size of [1, 32]) expect(outOf((await lockstepExecutor(size).run(launch)).outputs)).toEqual(expected);
});
