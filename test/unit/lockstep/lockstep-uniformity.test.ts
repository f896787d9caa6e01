// Values that are uniform in a warp, and values that only look uniform: kernels whose branches
// around warp instructions depend on them. Every lane plan runs against the reference interpreter.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { smallKernel } from '../../lockstep/small-kernel.ts';

const sizes = [1, 4, 8, 16, 32, 64, 128];

function launchOf(body: string): Launch {
  return {
    id: 'small',
    group: 'small',
    ptx: smallKernel(body),
    ptxFile: 'small.ptx',
    entry: 'small',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: 128 }],
  };
}

/** Lanes in which `%r2` is below 9 branch to OUT. The other lanes execute a ballot. */
const branchOn = (what: string) => `${what}
  setp.lt.u32 %p1, %r2, 9;
  mov.u32 %r1, 5;
  @%p1 bra OUT;
  setp.gt.u32 %p2, %r15, 20;
  vote.sync.ballot.b32 %r1, %p2, 0xfffffe00;
OUT:`;

const cases: readonly (readonly [name: string, what: string])[] = [
  ['a word of shared memory', '.shared .align 4 .b8 s[4]; st.shared.u32 [s], 9; bar.sync 0; ld.shared.u32 %r2, [s];'],
  ['local memory', '.local .align 4 .b8 l[4]; st.local.u32 [l], %r15; ld.local.u32 %r2, [l];'],
  [
    'local memory at a generic address',
    `.local .align 4 .b8 l[4]; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;
  st.u32 [%rd3], %r15; ld.u32 %r2, [%rd3];`,
  ],
];

describe('a branch by', () => {
  it.each(cases)('%s', async (_, what) => {
    await check(launchOf(branchOn(what)));
  });
});

async function check(launch: Launch): Promise<void> {
  const { outputs: expected, undefinedMasks } = await cpuExecutor().run(launch);
  for (const size of sizes) {
    const { outputs } = await lockstepExecutor(size).run(launch);
    const compared = compareOutputs(launch, expected, outputs, undefinedMasks ? { undefinedMasks } : {});
    expect({ size, ...compared }).toMatchObject({ size, mismatches: 0 });
  }
}

describe('in a loop', () => {
  it('a ballot waits for lanes that arrive in a later round', async () => {
    // Two lanes of every four repeat the loop before they reach the instruction.
    await check(
      launchOf(`  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
  mov.u32 %r1, 0;
  and.b32 %r4, %r15, 3;
AGAIN:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r4;
  @%p1 bra AGAIN;
  setp.eq.u32 %p3, %r2, 1;
  vote.sync.ballot.b32 %r5, %p3, -1;
  add.u32 %r1, %r1, %r5;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 2;
  @%p2 bra AGAIN;`),
    );
  });
});
