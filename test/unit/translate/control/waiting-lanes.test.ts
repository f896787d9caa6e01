// Waits through memory that the kernels of the corpus lack: waits that never end, lanes that no
// other lane waits for, and other forms of flags. They run on lane plans that no software adapter
// has.
import { describe, expect, it, test } from 'vitest';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { planFor } from '../../../../src/translate/index.ts';
import { inTurn } from '../../../effort.ts';
import { lockstepExecutor, translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { type KernelOptions, kernelLaunch, runKernel } from '../../cpu-ref/interpreter/interpreter-support.ts';

interface Kernel {
  readonly name: string;
  /**
   * `%r1` is the thread's number in its block, `%r2` its lane, `%r20` its result. Shared memory `s`
   * holds eight zero words.
   */
  readonly body: string;
  readonly threads?: number;
  readonly module?: string;
}

const options = ({ threads = 64, module = '' }: Pick<Kernel, 'threads' | 'module'>): KernelOptions => ({
  threads,
  maxSteps: 200_000,
  module: `.shared .align 16 .b8 s[256];\n${module}`,
});

const whole = (body: string): string => `
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r20, 0; setp.ge.u32 %p1, %r1, 8; @%p1 bra I;
shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], 0;
I: bar.sync 0;
${body}
st.global.u32 [%rd1], %r20;`;

const sizes = [32, 1, 64, 16];
const executors = sizes.map((size) => lockstepExecutor(size, { maxSteps: 2_000_000 }));

const kernels: readonly Kernel[] = [
  {
    name: 'a flag polled by a vote of the warp, in shared memory',
    body: `setp.ge.u32 %p1, %r1, 32; @%p1 bra W; setp.eq.u32 %p4, %r1, 5; @%p4 st.shared.u32 [s+8], 77; bar.warp.sync 0xffffffff; setp.ne.u32 %p2, %r1, 3; @%p2 bra E; membar.cta; st.volatile.shared.u32 [s+4], 1; bra E;
W: ld.volatile.shared.u32 %r3, [s+4]; setp.eq.u32 %p2, %r3, 0; vote.sync.any.pred %p3, %p2, 0xffffffff; @%p3 bra W; membar.cta; ld.shared.u32 %r20, [s+8]; E:`,
  },
  {
    name: 'a weak load that a fence in the loop repeats',
    body: `setp.ne.u32 %p1, %r1, 40; @%p1 bra W; st.volatile.shared.u32 [s+4], 9; bra E;
W: ld.shared.u32 %r20, [s+4]; membar.cta; setp.eq.u32 %p2, %r20, 0; @%p2 bra W; E:`,
  },
  {
    name: 'a lock that lanes try to acquire more often than they need',
    body: `mov.u32 %r5, 0;
W: atom.shared.cas.b32 %r3, [s], 0, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra G; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 5000; @%p2 bra W; bra E;
G: membar.cta; ld.shared.u32 %r6, [s+4]; add.u32 %r6, %r6, 1; st.shared.u32 [s+4], %r6; membar.cta; atom.shared.exch.b32 %r7, [s], 0; mov.u32 %r20, 1; E:`,
  },
  {
    name: 'a wait in a function with many calls',
    module: `.func await(.param .b64 at, .param .b32 what) { .reg .b32 %a, %b; .reg .b64 %p; .reg .pred %q; ld.param.u64 %p, [at]; ld.param.u32 %b, [what];
L: ld.volatile.shared.u32 %a, [%p]; setp.ne.u32 %q, %a, %b; @%q bra L; membar.cta; ${'add.u32 %b, %b, 1; '.repeat(50)} ret; }`,
    body: `mov.u64 %rd6, s; setp.ge.u32 %p1, %r1, 2; @%p1 bra E; setp.eq.u32 %p2, %r1, 1; @%p2 bra O;
call await, (%rd6, 1); membar.cta; st.volatile.shared.u32 [s], 2; call await, (%rd6, 3); mov.u32 %r20, 5; bra E;
O: membar.cta; st.volatile.shared.u32 [s], 1; call await, (%rd6, 2); membar.cta; st.volatile.shared.u32 [s], 3; mov.u32 %r20, 6; E:`,
  },
];

describe('lanes and warps that wait through memory', () => {
  const reference = cpuExecutor();
  it.each(kernels)('$name', async (kernel) => {
    const body = whole(kernel.body);
    const { findings } = runKernel(body, { ...options(kernel), sanitize: true });
    expect(findings.filter((finding) => !finding.startsWith('RUN010'))).toEqual([]);
    const launch = kernelLaunch(body, options(kernel));
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
    for (const executor of executors) {
      const { mismatches, first } = compareOutputs(launch, expected, (await executor.run(launch)).outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});

const never: readonly Kernel[] = [
  {
    name: 'a flag that no lane sets',
    body: 'W: ld.volatile.shared.u32 %r20, [s]; setp.eq.u32 %p1, %r20, 0; @%p1 bra W;',
  },
  {
    name: 'a lock that is never released',
    body: 'W: atom.shared.cas.b32 %r3, [s], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra W; mov.u32 %r20, 1;',
  },
  {
    name: 'an mbarrier with too few arrivals, which the block tests together',
    body: `setp.ne.u32 %p1, %r1, 0; @%p1 bra J; mbarrier.init.shared.b64 [s+64], 65; J: bar.sync 0; mbarrier.arrive.shared.b64 _, [s+64];
W: mbarrier.try_wait.parity.shared.b64 %p2, [s+64], 0; @!%p2 bra W; mov.u32 %r20, 1;`,
  },
  {
    name: 'an mbarrier with too few arrivals, which one warp tests',
    body: `setp.ne.u32 %p1, %r1, 0; @%p1 bra J; mbarrier.init.shared.b64 [s+64], 33; J: bar.sync 0; setp.lt.u32 %p3, %r1, 32; @%p3 bra W; mbarrier.arrive.shared.b64 _, [s+64]; bra E;
W: mbarrier.test_wait.parity.shared.b64 %p2, [s+64], 0; @!%p2 bra W; mov.u32 %r20, 1; E:`,
  },
  {
    name: "two warps that each wait for the other's store",
    body: `shr.u32 %r3, %r1, 5; shl.b32 %r4, %r3, 2; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; xor.b32 %r6, %r4, 4;
W: ld.acquire.cta.shared.u32 %r20, [%r4]; setp.eq.u32 %p1, %r20, 0; @%p1 bra W; st.release.cta.shared.u32 [%r6], 1;`,
  },
];

describe('waits that never end', () => {
  const executor = inTurn(
    sizes.map((size) => lockstepExecutor(size, { maxSteps: 20_000_000, maxPolls: 2 ** 15 })),
    1,
  );
  it.each(never)('$name', async ({ body }) => {
    for (const each of executor())
      await expect(each.run(kernelLaunch(whole(body), options({})))).rejects.toThrow('wait for each other');
  });
});

test('loops that do not wait for other lanes do not change', () => {
  const launch = kernelLaunch(
    whole(`ld.global.u32 %r3, [%rd0];
W: mad.lo.u32 %r4, %r3, 3, %r1; atom.global.cas.b32 %r5, [%rd0], %r3, %r4; setp.ne.u32 %p1, %r5, %r3; mov.u32 %r3, %r5; @%p1 bra W;`),
    options({}),
  );
  expect(translateLaunch(launch, planFor(32)).mode).not.toBe('dispatch');
});
