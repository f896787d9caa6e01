// Kernels whose warp instructions only some lanes reach, under membermasks that name those lanes.
import { expect } from 'vitest';
import type { Dim3, Launch } from '../../src/base/launch.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { planFor, type WgslProgram } from '../../src/translate/index.ts';
import { inTurn } from '../effort.ts';
import { lockstepExecutor, translateLaunch } from './lockstep-executor.ts';

export interface MemberCase {
  readonly name: string;
  readonly mode: 'structured' | 'dispatch';
  readonly body: string;
  readonly block?: Dim3;
}

/**
 * Returns a launch of a kernel. `%me` is the linear number of the thread in the block, `%lane` its
 * lane, `%x` its word of the input, and `%tx` its tid.x. The kernel stores the value of `%r` at
 * DONE. The body may use `%r0` to `%r15` and `%p0` to `%p7`.
 */
export function memberLaunch(body: string, block: Dim3 = [64, 1, 1]): Launch {
  const threads = block[0] * block[1] * block[2];
  const blocks = 2;
  const input = Uint32Array.from({ length: threads * blocks }, (_, index) => Math.imul(index + 5, 0x9e3779b1) >>> 9);
  const output = new Uint32Array(threads * blocks).fill(0xa5a5a5a5);
  return {
    id: 'members',
    group: 'members',
    ptx: `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %r, %x, %me, %lane, %tx, %at;
  .reg .b64 %in, %out, %offset;
  mov.u32 %tx, %tid.x;
  mov.u32 %at, %tid.z;
  mad.lo.u32 %at, %at, ${block[1]}, 0;
  mov.u32 %me, %tid.y;
  add.u32 %at, %at, %me;
  mad.lo.u32 %me, %at, ${block[0]}, %tx;
  and.b32 %lane, %me, 31;
  mov.u32 %at, %ctaid.x;
  mad.lo.u32 %at, %at, ${threads}, %me;
  mul.wide.u32 %offset, %at, 4;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  add.u64 %in, %in, %offset;
  add.u64 %out, %out, %offset;
  ld.global.u32 %x, [%in];
  mov.u32 %r, 77;
${body}
DONE:
  st.global.u32 [%out], %r;
  ret;
}
`,
    ptxFile: 'members.ptx',
    entry: 'k',
    grid: [blocks, 1, 1],
    block,
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: input.byteLength, data: new Uint8Array(input.buffer) },
      { name: 'out', kind: 'buffer', type: 'u32', bytes: output.byteLength, data: new Uint8Array(output.buffer) },
    ],
  };
}

const reference = cpuExecutor();
const executorOf = (size: number) =>
  lockstepExecutor(size, { invocationOrder: 'shuffled', seed: size, subgroupId: size !== 64 });
/**
 * The executor for subgroups of 32, on which each kernel runs. Each kernel also runs on some of the
 * other sizes, in rotation. Smaller subgroups differ in the number of slots per invocation.
 */
const native = executorOf(32);
const nextOthers = inTurn([1, 64, 4, 128, 8, 1, 16].map(executorOf), 1);

/**
 * Compares a kernel whose results are all defined by PTX with the reference interpreter, on
 * subgroups of 32 and on the next other sizes. Expects the control mode `mode`.
 */
export async function checkMembers(launch: Launch, mode: WgslProgram['mode']): Promise<void> {
  expect(translateLaunch(launch, planFor(32)).mode).toBe(mode);
  const { outputs: expected, undefinedMasks } = await reference.run(launch);
  expect(undefinedMasks?.size ?? 0, 'PTX defines all results').toBe(0);
  for (const executor of [native, ...nextOthers()]) {
    const { outputs } = await executor.run(launch);
    const result = compareOutputs(launch, expected, outputs, {});
    expect({ size: executor.describe().subgroupSize, ...result }).toMatchObject({ mismatches: 0 });
  }
}

/** Repeats a body three times, each time with the previous result. */
export const threeRounds = (body: string) => `  mov.u32 %r15, 0;
ROUND:
${body}
  add.u32 %x, %x, %r;
  add.u32 %r15, %r15, 1;
  setp.lt.u32 %p7, %r15, 3;
  @%p7 bra ROUND;`;
