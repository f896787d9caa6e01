// Kernels whose warps and lanes wait for each other through memory, on lane plans that no software
// adapter has, against the reference.
import { describe, expect, it } from 'vitest';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { inTurn } from '../effort.ts';
import { lockstepExecutor } from '../lockstep/lockstep-executor.ts';
import { type KernelOptions, kernelLaunch, runKernel } from './interpreter-support.ts';

interface Kernel {
  readonly name: string;
  /// %r1 is the thread's number in its block, %r2 its lane, %r20 its result. Eight words of shared memory `s` are zeros.
  readonly body: string;
  readonly threads?: number;
}

const options = ({ threads = 64 }: Kernel): KernelOptions => ({
  threads,
  maxSteps: 200_000,
  module: '.shared .align 16 .b8 s[256];',
});

const whole = ({ body }: Kernel): string => `
mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r20, 0; setp.ge.u32 %p1, %r1, 8; @%p1 bra I;
shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], 0;
I: bar.sync 0;
${body}
st.global.u32 [%rd1], %r20;`;

const kernels: readonly Kernel[] = [
  {
    name: 'each warp loads another value, which decides about a barrier',
    body: `setp.ge.u32 %p1, %r1, 32; @!%p1 bra L;
W: ld.volatile.shared.u32 %r3, [s+4]; setp.eq.u32 %p2, %r3, 0; @%p2 bra W; membar.cta;
L: ld.shared.u32 %r4, [s]; bar.warp.sync 0xffffffff; setp.ne.u32 %p3, %r2, 0; @%p3 bra M;
add.u32 %r5, %r4, 1; st.shared.u32 [s], %r5; membar.cta; st.volatile.shared.u32 [s+4], 1;
M: setp.eq.u32 %p4, %r4, 0; @%p4 bra A; bar.sync 0; mov.u32 %r20, 5; bra E;
A: bar.sync 0; mov.u32 %r20, 7; E:`,
  },
];

describe('lanes and warps that wait through memory', () => {
  const reference = cpuExecutor();
  const executors = inTurn(
    [32, 1, 16, 8, 4].map((size) => lockstepExecutor(size, { maxSteps: 2_000_000 })),
    5,
  );
  it.each(kernels)('$name', async (kernel) => {
    const { findings } = runKernel(whole(kernel), { ...options(kernel), sanitize: true });
    expect(findings).toEqual([]);
    const launch = kernelLaunch(whole(kernel), options(kernel));
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    expect(undefinedMasks?.size ?? 0, 'PTX defines all of it').toBe(0);
    for (const executor of executors()) {
      const { mismatches, first } = compareOutputs(launch, expected, (await executor.run(launch)).outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});
