// Products of warpgroups in the reference: they execute as late as PTX permits, and the sanitizer
// reports a missing wait or fence.
import { describe, expect, test } from 'vitest';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { kernelLaunch } from './interpreter-support.ts';

/** B is 16 columns of 16 halves, all 1. `%rd4` is its descriptor, and the registers of A are 2. */
const setUp = `
  .reg .f32 %d<8>; .reg .b32 %a<4>;
  mov.u32 %r1, s; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
  mov.u32 %r4, 0x3c003c00; setp.lt.u32 %p1, %r0, 128; @%p1 st.shared.u32 [%r3], %r4;
  fence.proxy.async; bar.sync 0;
  shr.u32 %r5, %r1, 4; cvt.u64.u32 %rd4, %r5; add.u64 %rd4, %rd4, 0x1000080000;
  mov.b32 %a0, 0x40004000; mov.b32 %a1, %a0; mov.b32 %a2, %a0; mov.b32 %a3, %a0;
  mov.f32 %d0, 0f3F800000; mov.f32 %d1, %d0; mov.f32 %d2, %d0; mov.f32 %d3, %d0;
  mov.f32 %d4, %d0; mov.f32 %d5, %d0; mov.f32 %d6, %d0; mov.f32 %d7, %d0; setp.eq.u32 %p0, %r0, %r0;`;
const fence = 'wgmma.fence.sync.aligned;';
const commit = 'wgmma.commit_group.sync.aligned;';
const wait = (kept: number) => `wgmma.wait_group.sync.aligned ${kept};`;
const multiply =
  'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, {%a0,%a1,%a2,%a3}, %rd4, %p0, 1, 1, 0;';
const wider =
  'wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%a0,%a1,%a2,%a3}, %rd4, %p0, 1, 1, 0;';
const store = 'st.global.f32 [%rd1], %d0;';

function run(body: string, threads = 128) {
  const launch = kernelLaunch(`${setUp}\n${body}`, { threads, module: '.shared .align 128 .b8 s[512];' });
  const result = runOnCpu({ ...launch, ptx: launch.ptx.replace('sm_90\n', 'sm_90a\n') }, { sanitize: true });
  const bytes = result.outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0);
  return { out: [...new Set(new Float32Array(bytes))], codes: result.findings.map(({ code }) => code) };
}

/** 1 + 16 * 2 * 1. */
const sum = 33;

describe('a product', () => {
  test.each<readonly [name: string, body: string, out: number]>([
    ['adds to D', `${fence} ${multiply} ${commit} ${wait(0)} ${store}`, sum],
    ['follows another one', `${fence} ${multiply} ${multiply} ${commit} ${wait(0)} ${store}`, 2 * sum - 1],
    ['ignores D', `setp.ne.u32 %p0, %r0, %r0; ${fence} ${multiply} ${commit} ${wait(0)} ${store}`, sum - 1],
    ['subtracts', `${fence} ${multiply.replace('1, 1, 0', '-1, 1, 0')} ${commit} ${wait(0)} ${store}`, 1 - (sum - 1)],
    [
      'of an older group is complete',
      `${fence} ${multiply} ${commit} ${multiply.replaceAll(/%d(\d)/g, (_, i) => `%d${Number(i) + 4}`)} ${commit} ${wait(1)} ${store} ${wait(0)}`,
      sum,
    ],
    [
      'allows stores to its matrices after the wait and a barrier',
      `${fence} ${multiply} ${commit} ${wait(0)} bar.sync 0; @%p1 st.shared.u32 [%r3], %r0; ${store}`,
      sum,
    ],
  ])('%s', (_, body, out) => expect(run(body)).toEqual({ out: [out], codes: [] }));

  test('executes at the wait', () => {
    const { out } = run(`${fence} ${multiply} ${commit} ${store} ${wait(0)}`);
    expect(out).toEqual([1]);
  });
});

describe('the sanitizer reports', () => {
  test.each<readonly [name: string, body: string, code: string]>([
    ['a read of D without a wait', `${fence} ${multiply} ${commit} ${store}`, 'RUN027'],
    ['a wait that keeps the group', `${fence} ${multiply} ${commit} ${wait(1)} ${store}`, 'RUN027'],
    ['a product in no group', `${fence} ${multiply} ${wait(0)} ${store}`, 'RUN027'],
    ['a write of A before the wait', `${fence} ${multiply} ${commit} mov.b32 %a1, 0; ${wait(0)}`, 'RUN027'],
    [
      'a store to the matrix before the wait',
      `${fence} ${multiply} ${commit} bar.sync 0; @%p1 st.shared.u32 [%r3], %r0; ${wait(0)}`,
      'RUN027',
    ],
    ['a product without a fence', `${multiply} ${commit} ${wait(0)}`, 'RUN028'],
    ['a write of A after the fence', `${fence} mov.b32 %a1, %a0; ${multiply} ${commit} ${wait(0)}`, 'RUN028'],
    ['a read of D after the fence', `${fence} mov.f32 %f0, %d3; ${multiply} ${commit} ${wait(0)}`, 'RUN028'],
    ['another shape without a fence', `${fence} ${multiply} ${wider} ${commit} ${wait(0)}`, 'RUN028'],
    [
      'lanes with different descriptors',
      `cvt.u64.u32 %rd5, %lane; and.b64 %rd5, %rd5, 1; add.u64 %rd4, %rd4, %rd5; ${fence} ${multiply} ${commit} ${wait(0)}`,
      'RUN029',
    ],
  ])('%s', (_, body, code) => expect(run(body).codes).toEqual([code]));

  test('a warpgroup without its last warp', () => {
    expect(run(`${fence} ${multiply} ${commit} ${wait(0)}`, 96).codes).toEqual(['RUN029']);
  });
});
