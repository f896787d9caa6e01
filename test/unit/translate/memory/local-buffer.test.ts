// Local memory that is too large for the variables of an invocation is stored in a buffer. Lanes of
// different blocks and warps must not share it.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { planFor } from '../../../../src/translate/index.ts';
import { lockstepExecutor, translateLaunch } from '../../../lockstep/lockstep-executor.ts';

const words = 2500;

/**
 * A launch in which each thread writes to its own memory at indexes that depend on the thread, and
 * reads the values back after the other threads have written. `generic` uses generic addresses.
 * `vote` adds a warp instruction, so that a lane plan is used.
 */
function launchOf(generic: boolean, vote: boolean): Launch {
  const threads = 4 * 80;
  const space = generic ? '' : '.local';
  const ptx = `.version 8.6
.target sm_90
.address_size 64
.visible .entry locals(.param .u64 out) {
  .local .align 4 .b8 own[${words * 4}];
  .reg .b32 %r<20>;
  .reg .b64 %d<10>;
  .reg .pred %p<3>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r10, %tid.y;
  mad.lo.u32 %r1, %r10, 40, %r1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r10, %ctaid.y;
  mad.lo.u32 %r2, %r10, 2, %r2;
  mad.lo.u32 %r3, %r2, 80, %r1;
  mul.lo.u32 %r4, %r3, 7;
  rem.u32 %r4, %r4, ${words - 1};
  mul.wide.u32 %d1, %r4, 4;
  mov.u64 %d2, own;
  ${generic ? 'cvta.local.u64 %d2, %d2;' : ''}
  add.s64 %d3, %d2, %d1;
  st${space}.u32 [%d3], %r3;
  xor.b32 %r5, %r3, 0x5a5a;
  st${space}.u32 [%d3+4], %r5;
  ${vote ? 'setp.lt.u32 %p1, %r1, 37;\n  activemask.b32 %r9;\n  vote.sync.ballot.b32 %r8, %p1, %r9;' : 'mov.u32 %r8, 3;'}
  bar.sync 0;
  ld${space}.u32 %r6, [%d3];
  ld${space}.u32 %r7, [%d3+4];
  mad.lo.u32 %r6, %r7, 65537, %r6;
  add.u32 %r6, %r6, %r8;
  ld.param.u64 %d4, [out];
  mul.wide.u32 %d5, %r3, 4;
  add.s64 %d4, %d4, %d5;
  st.global.u32 [%d4], %r6;
  ret;
}
`;
  return {
    id: 'locals',
    group: 'memory',
    ptx,
    ptxFile: 'locals.ptx',
    entry: 'locals',
    grid: [2, 2, 1],
    block: [40, 2, 1],
    sharedBytes: 0,
    params: [{ name: 'out', kind: 'buffer', type: 'u32', bytes: threads * 4 }],
  };
}

const reference = cpuExecutor();

describe.each([32, 64, 8, 1])('subgroups of %i', (size) => {
  const executor = lockstepExecutor(size);
  it.each([
    ['by name', false, false],
    ['by generic addresses', true, false],
    ['with a warp instruction', false, true],
    ['by generic addresses, with a warp instruction', true, true],
  ])('%s', async (_, generic, vote) => {
    const launch = launchOf(generic, vote);
    const { outputs: expected } = await reference.run(launch);
    const { outputs } = await executor.run(launch);
    expect(compareOutputs(launch, expected, outputs)).toMatchObject({ mismatches: 0 });
    expect(translateLaunch(launch, planFor(size)).code).toContain('lane_memory');
  });
});

it('small local memory stays in variables', () => {
  const launch = launchOf(false, false);
  const small = { ...launch, ptx: launch.ptx.replaceAll(String(words * 4), '8000') };
  expect(translateLaunch(small, planFor(32)).code).not.toContain('lane_memory');
});
