// Asynchronous copies as WGSL against the reference interpreter. Each case runs on the next of the
// lane plans.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { compareOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { inTurn } from '../../effort.ts';
import { lockstepExecutor } from '../../lockstep/lockstep-executor.ts';
import { each, kernelLaunch } from '../cpu-ref/interpreter/interpreter-support.ts';

const reference = cpuExecutor();
const executors = inTurn(
  [32, 1, 64, 8, 128].map((size) => lockstepExecutor(size)),
  2,
);

const data = new Uint8Array(new Uint32Array(each(1024, (i) => Math.imul(i + 1, 0x9e3779b9))).buffer);

/**
 * `%r1` is the address of the thread's 16 bytes in `s`, `%rd2` in the input, `%rd3` in the output.
 * `%p1` is true in odd threads.
 */
function launchOf(body: string, blocks = 2): Launch {
  return kernelLaunch(
    `mov.u32 %r9, %tid.x; shl.b32 %r2, %r9, 4; mov.u32 %r1, s; add.u32 %r1, %r1, %r2; shl.b32 %r3, %r0, 4; cvt.u64.u32 %rd4, %r3;
ld.param.u64 %rd2, [in]; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd0, %rd4; and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 1;
st.shared.v4.u32 [%r1], {1, 2, 3, 4};
${body}
cp.async.wait_all; bar.sync 0; xor.b32 %r1, %r1, 48; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};`,
    {
      threads: 64,
      blocks,
      words: 4 * 64 * blocks,
      module: '.shared .align 16 .b8 s[1024];',
      paramText: ', .param .u64 in',
      params: [{ name: 'in', kind: 'buffer', type: 'u32', bytes: data.length, data }],
    },
  );
}

describe('copies', () => {
  it.each<readonly [name: string, body: string]>([
    [
      'of 4, 8 and 16 bytes',
      'cp.async.ca.shared.global [%r1], [%rd2], 4; cp.async.ca.shared.global [%r1+8], [%rd2+8], 8; cp.async.wait_all;',
    ],
    ['of any number of bytes', 'rem.u32 %r5, %r0, 17; cp.async.cg.shared.global [%r1], [%rd2], 16, %r5;'],
    ['of any number of 8 bytes', 'rem.u32 %r5, %r0, 9; cp.async.ca.shared.global [%r1+8], [%rd2], 8, %r5;'],
    ['of all bytes or none', 'selp.b32 %r5, 16, 0, %p1; cp.async.cg.shared.global [%r1], [%rd2], 16, %r5;'],
    ['of no bytes or all', 'selp.b32 %r5, 0, 16, %p1; cp.async.cg.shared.global [%r1], [%rd2], 16, %r5;'],
    ['of a constant number of bytes', 'cp.async.cg.shared.global [%r1], [%rd2], 16, 7;'],
    ['that a predicate ignores', 'cp.async.cg.shared.global.L2::256B [%r1], [%rd2], 16, %p1;'],
    ['that a negated predicate ignores', 'cp.async.ca.shared::cta.global [%r1], [%rd2], 16, !%p1;'],
    ['under a guard', '@%p1 cp.async.ca.shared.global [%r1], [%rd2+0], 8;'],
    [
      'with a policy',
      'mov.b64 %rd5, 0; @!%p1 cp.async.ca.shared.global.L2::cache_hint.L2::64B [%r1], [%rd2], 4, 3, %rd5;',
    ],
    [
      'in a loop',
      'mov.u32 %r5, 0; L: cp.async.ca.shared.global [%r1], [%rd2], 16, %r5; cp.async.commit_group; cp.async.wait_group 0; add.u32 %r5, %r5, 5; setp.lt.u32 %p2, %r5, 16; @%p2 bra L;',
    ],
  ])('%s', async (_, body) => {
    const launch = launchOf(body);
    const { outputs: expected, undefinedMasks } = await reference.run(launch);
    expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
    for (const executor of executors()) {
      const { mismatches, first } = compareOutputs(launch, expected, (await executor.run(launch)).outputs, {});
      expect({ size: executor.describe().subgroupSize, mismatches, first }).toMatchObject({ mismatches: 0 });
    }
  });
});
