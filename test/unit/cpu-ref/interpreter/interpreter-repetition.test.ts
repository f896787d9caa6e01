// Launches that the reference ends because their state repeats, and long launches that it must not
// end.
import { describe, expect, it } from 'vitest';
import { drawn } from '../../../effort.ts';
import { type KernelOptions, runKernel } from './interpreter-support.ts';

interface Kernel {
  readonly name: string;
  readonly body: string;
  readonly options?: KernelOptions;
}

const shared = { module: '.shared .align 8 .b8 s[64];' };
const zeroed = 'st.shared.u64 [s], 0; bar.sync 0;';

const never: readonly Kernel[] = [
  {
    name: 'a flag that no thread sets',
    body: `${zeroed} W: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;`,
    options: { threads: 64 },
  },
  {
    name: 'a lock that is never released',
    body: `${zeroed} W: atom.shared.cas.b32 %r1, [s], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra W;`,
  },
  {
    name: 'an mbarrier without arrivals',
    body: `setp.ne.u32 %p1, %lane, 0; @%p1 bra J; mbarrier.init.shared.b64 [s], 64;
J: bar.sync 0;
W: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0; @!%p2 bra W;`,
  },
  {
    name: 'a flag polled between two barriers',
    body: `${zeroed} W: bar.sync 0; ld.shared.u32 %r1, [s]; bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;`,
    options: { threads: 96 },
  },
  {
    name: "blocks that each wait for the other's store",
    body: `mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd0, %rd2; xor.b32 %r1, %r1, 1; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd0, %rd3;
W: ld.acquire.gpu.global.u32 %r2, [%rd3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra W; st.release.gpu.global.u32 [%rd2], 1;`,
    options: { blocks: 2 },
  },
];

describe('a launch whose state repeats is a deadlock', () => {
  it.each(never)('$name', ({ body, options }) => {
    for (const seed of drawn([undefined, 7], 1)) {
      const order = seed === undefined ? {} : { seed, stepsPerTurn: 32, stepsPerYield: 8 };
      const { result } = runKernel(body, { ...shared, ...options, ...order });
      expect(result.failure?.code).toBe('RUN002');
      expect(result.failure?.message).toContain('the state repeats, and');
      expect(result.steps).toBeLessThan(4_000_000);
    }
  });
});

/**
 * Launches that run for more steps than the reference needs to detect a deadlock, which is about
 * 150,000 if the state repeats soon.
 */
const long: readonly Kernel[] = [
  {
    name: 'a register',
    body: 'mov.u32 %r1, 0; W: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 100000; @%p1 bra W; st.global.u32 [%rd1], %r1;',
  },
  {
    name: 'shared memory, which another warp polls',
    body: `${zeroed} setp.ge.u32 %p1, %r0, 32; @%p1 bra P;
C: ld.volatile.shared.u32 %r1, [s]; add.u32 %r1, %r1, 1; st.volatile.shared.u32 [s], %r1; setp.lt.u32 %p2, %r1, 50000; @%p2 bra C; bra E;
P: ld.volatile.shared.u32 %r1, [s]; setp.lt.u32 %p2, %r1, 50000; @%p2 bra P;
E: mov.u32 %r1, 100000; st.global.u32 [%rd1], %r1;`,
    options: { threads: 64 },
  },
  {
    name: 'a clock',
    body: `mov.u64 %rd2, %clock64; W: mov.u64 %rd3, %clock64; sub.s64 %rd3, %rd3, %rd2; setp.lt.u64 %p1, %rd3, 2250000; @%p1 bra W;
mov.u32 %r1, 100000; st.global.u32 [%rd1], %r1;`,
  },
  {
    name: 'an inner loop that repeats the same state',
    body: `mov.u32 %r1, 0; O: mov.u32 %r2, 0; W: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 100; @%p1 bra W; add.u32 %r1, %r1, 100; setp.ne.u32 %p1, %r1, 100000; @%p1 bra O; st.global.u32 [%rd1], %r1;`,
  },
];

describe('a long launch ends if it also counts in', () => {
  it.each(long)('$name', ({ body, options }) => {
    const { result, out } = runKernel(body, { ...shared, ...options });
    expect(result.failure).toBeUndefined();
    expect(result.steps).toBeGreaterThan(200_000);
    expect(new Set(out)).toEqual(new Set([100_000]));
  });
});
