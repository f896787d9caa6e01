// Memory from a function's stack, in the reference and on the lane plans in lockstep.
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { runOnCpu } from '../../../src/cpu-ref/executor.ts';
import { runCase } from '../../../src/harness/runs/run-case.ts';
import { parsePtx } from '../../../src/ptx/index.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

const threads = 40;
const sizes = [1, 32, 64];

const launchOf = (body: string, functions = '', version = '8.0'): Launch => ({
  id: 'stack',
  group: '',
  ptx: `.version ${version}\n.target sm_80\n.address_size 64\n${functions}
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, -1;
  ${body}
  ld.param.u64 %rd10, [out];
  mad.wide.u32 %rd11, %r1, 4, %rd10;
  st.global.u32 [%rd11], %r2;
  ret;
}`,
  ptxFile: 'stack.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [threads, 1, 1],
  sharedBytes: 0,
  params: [{ name: 'out', kind: 'buffer', type: 's32', bytes: 4 * threads }],
});

/** An array of `count` elements, filled and summed. */
const list = (count: string) => `
  shl.b32 %r3, ${count}, 2;
  cvt.u64.u32 %rd1, %r3;
  alloca.u64 %rd2, %rd1, 4;
  mov.u32 %r4, 0;
fill:
  mad.wide.u32 %rd3, %r4, 4, %rd2;
  st.local.u32 [%rd3], %r4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, ${count};
  @%p1 bra fill;
  mov.u32 %r2, 0;
  mov.u32 %r4, 0;
sum:
  mad.wide.u32 %rd3, %r4, 4, %rd2;
  cvta.local.u64 %rd3, %rd3;
  ld.u32 %r5, [%rd3];
  add.u32 %r2, %r2, %r5;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, ${count};
  @%p1 bra sum;`;

const sumTo = (n: number) => (n * (n + 1)) / 2;

describe('alloca', () => {
  const cases: readonly (readonly [name: string, launch: Launch, expected: (thread: number) => number])[] = [
    ['with a size that differs by lane', launchOf(`add.u32 %r6, %r1, 1; ${list('%r6')}`), sumTo],
    [
      'two allocations, each aligned',
      launchOf(`
  alloca.u64 %rd1, 3;
  alloca.u64 %rd2, 40, 32;
  st.local.u8 [%rd1+2], %r1;
  st.local.u32 [%rd2+36], 7;
  and.b64 %rd3, %rd2, 31;
  cvt.u32.u64 %r3, %rd3;
  ld.local.u8 %r4, [%rd1+2];
  ld.local.u32 %r5, [%rd2+36];
  mad.lo.u32 %r2, %r4, 100, %r5;
  mad.lo.u32 %r2, %r3, 100000, %r2;`),
      (thread) => 100 * thread + 7,
    ],
    [
      'released and allocated again',
      launchOf(`
  mov.u32 %r3, 0;
again:
  stacksave.u64 %rd1;
  alloca.u64 %rd2, 3000;
  st.local.u32 [%rd2+2996], %r3;
  ld.local.u32 %r2, [%rd2+2996];
  stackrestore.u64 %rd1;
  add.u32 %r3, %r3, 1;
  setp.le.u32 %p1, %r3, %r1;
  @%p1 bra again;`),
      (thread) => thread,
    ],
    [
      'under a guard, with the address in the register of the size',
      launchOf(`
  setp.gt.u32 %p1, %r1, 9;
  mov.u64 %rd1, 64;
  @!%p1 alloca.u64 %rd1, %rd1;
  @!%p1 st.local.u32 [%rd1+60], %r1;
  @!%p1 ld.local.u32 %r2, [%rd1+60];`),
      (thread) => (thread > 9 ? -1 : thread),
    ],
    [
      'in a function, released when it returns',
      launchOf(
        `
  mov.u32 %r3, 0;
  mov.u32 %r2, 0;
more:
  { .param .b32 a; .param .b32 b;
    st.param.b32 [a], %r1;
    call (b), f, (a);
    ld.param.b32 %r4, [b]; }
  add.u32 %r2, %r2, %r4;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 5;
  @%p1 bra more;`,
        `.func (.param .b32 r) f(.param .b32 x) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.b32 %r1, [x];
  alloca.u64 %rd1, 900;
  st.local.u32 [%rd1+800], %r1;
  ld.local.u32 %r2, [%rd1+800];
  st.param.b32 [r], %r2;
  ret;
}`,
      ),
      (thread) => 5 * thread,
    ],
  ];

  test.each(cases)('%s', async (_, launch, expected) => {
    const { outputs, failure } = runOnCpu(launch);
    expect(failure).toBeUndefined();
    const out = [...new Int32Array(outputs.get(0)?.slice().buffer ?? new ArrayBuffer(0))];
    expect(out).toEqual(Array.from({ length: threads }, (_each, thread) => expected(thread)));
    for (const size of sizes) expect((await lockstepExecutor(size).run(launch)).outputs).toEqual(outputs);
  });

  test('without enough memory ends the launch with a message', async () => {
    const launch = launchOf('mul.lo.u32 %r3, %r1, 256; cvt.u64.u32 %rd1, %r3; alloca.u64 %rd2, %rd1;');
    const message = 'thread: [17,0,0] Assertion `alloca fits into 4096 bytes of stack` failed.';
    expect(runOnCpu(launch).failure?.message).toContain(message);
    for (const size of sizes) {
      const [result] = await runCase({ ...launch, fails: message }, [lockstepExecutor(size)]);
      expect(result).toMatchObject({ status: 'pass' });
    }
    // A size that needs more than 32 bits.
    const large = launchOf('mov.u64 %rd1, 0x100000000; alloca.u64 %rd2, %rd1;');
    expect(runOnCpu(large).failure?.message).toContain('alloca fits');
  });

  test.each([
    ['alloca.u64 %rd1, 8;', '7.2', /alloca\.u64.*7\.3/],
    ['alloca.u64 %rd1, 8, 24;', '8.0', /power of two/],
    ['alloca.u64 %r1, 8;', '8.0', /%r1/],
    ['stacksave.u32 %rd1;', '8.0', /%rd1/],
  ])('the diagnostic of %s in PTX %s names its line', (line, version, message) => {
    const { diagnostics } = parsePtx(launchOf(`\n${line}`, '', version).ptx);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(`${diagnostics[0]?.message}`).toMatch(message);
    const text = launchOf(`\n${line}`, '', version).ptx;
    expect(text.slice(0, diagnostics[0]?.span.start).split('\n').length).toBe(
      text.slice(0, text.indexOf(line)).split('\n').length,
    );
  });
});
