// Shaders for lane plans that no software adapter can run must still compile. Dawn checks
// uniformity, nesting and names. The dispatches have an empty grid.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launch } from '../../src/base/launch.ts';
import { makeJob } from '../../src/harness/executors/kernel-job.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { hasDawnDriver, openDawn } from '../../src/harness/webgpu/dawn/dawn.ts';
import type { GpuSession } from '../../src/runtime/device/job.ts';
import { type LanePlan, planFor } from '../../src/translate/index.ts';
import { effort, inTurn } from '../effort.ts';
import { translateLaunch } from '../lockstep/lockstep-executor.ts';
import { randomKernel } from '../lockstep/random-kernel.ts';
import { smallKernel } from '../lockstep/small-kernel.ts';

const folder = join(import.meta.dirname, '../kernels');
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

const plans: readonly (readonly [string, LanePlan])[] = [
  ['native', planFor(32)],
  ['wide, without subgroup_id', planFor(64, { subgroupId: false })],
  ['portable', planFor(0)],
];

/**
 * Each plan compiles a different part of the corpus. A short run omits long shaders, because
 * software adapters compile slowly.
 */
const every = effort(96, 8);
const longest = effort(12_000, Number.POSITIVE_INFINITY);
const filesOf = (plan: string): readonly string[] => {
  const place = plans.findIndex(([name]) => name === plan);
  return files.filter((_, index) => index % every === Math.floor((place * every) / plans.length));
};

describe.skipIf(!hasDawnDriver({ driver: 'swiftshader' }))('on Dawn', () => {
  let session: GpuSession;

  beforeAll(async () => {
    session = await openDawn({ driver: 'swiftshader' });
  });

  afterAll(async () => {
    await session.close();
  });

  async function compile(launch: Launch, plan: LanePlan, most = Number.POSITIVE_INFINITY): Promise<void> {
    const program = translateLaunch(launch, plan);
    if (program.code.length > most) return;
    await session.run({ ...makeJob(program, launch, 'all'), workgroups: [0, 0, 0] });
  }

  it.each(plans)('the corpus compiles: %s', async (name, plan) => {
    const failures: string[] = [];
    for (const file of filesOf(name)) {
      await compile(readCase(join(folder, file)), plan, longest).catch((error: Error) =>
        failures.push(`${file}: ${error.message}`),
      );
    }
    expect(failures).toEqual([]);
  });

  it.each(plans.filter(([, { kind }]) => kind !== 'portable'))('random kernels compile: %s', async (_, plan) => {
    const failures: string[] = [];
    for (const style of ['structured', 'groups'] as const) {
      for (let seed = 14; seed <= effort(15, 19); seed++) {
        const launch = randomKernel(seed, style);
        await compile(launch, plan).catch((error: Error) => failures.push(`${launch.id}: ${error.message}`));
      }
    }
    expect(failures).toEqual([]);
  });

  /** A short run compiles each text for one plan. */
  const nextPlans = inTurn(plans, 1);
  const depths = Array.from({ length: 200 }, (_, depth) => depth);

  it.each([
    ['an endless loop', 'L: bra L;'],
    ['an endless loop with a vote', 'L: vote.sync.ballot.b32 %r0, %p1, -1; bra L;'],
    [
      'a chain of two hundred breaks',
      `${depths.map((depth) => `  setp.eq.s32 %p1, %r0, ${depth};\n  @%p1 bra DONE;\n  add.s32 %r0, %r0, %r15;`).join('\n')}\nDONE:`,
    ],
    // A value that is 1 on every edge into the loop must not be set in each arm: the barrier would
    // then be in divergent control flow.
    [
      'a loop around a barrier that both arms of a branch enter',
      `  mov.u32 %r2, 1;\n  setp.ne.u32 %p1, %r0, 0;\n  @%p1 bra LOOP;\n  st.global.u32 [%rd2], 7;\nLOOP:\n  bar.sync 0;
  setp.ge.u32 %p1, %r0, %r2;\n  @%p1 bra NEXT;\n  add.u32 %r0, %r0, 3;\nNEXT:\n  shl.b32 %r2, %r2, 1;\n  setp.le.u32 %p1, %r2, 32;\n  @%p1 bra LOOP;`,
    ],
    // The nesting is too deep for WGSL, so the emission uses a dispatch.
    [
      'two hundred nested conditions',
      [
        ...depths.map((depth) => `  setp.gt.s32 %p1, %r0, ${depth};\n  @%p1 bra N${depth};\n  add.s32 %r0, %r0, %r15;`),
        ...[...depths].reverse().map((depth) => `N${depth}:\n  xor.b32 %r0, %r0, ${depth + 1};`),
      ].join('\n'),
    ],
  ])('%s compiles', async (_, body) => {
    const launch: Launch = {
      id: 'small',
      group: 'small',
      ptx: smallKernel(body, { stores: '%r0' }),
      ptxFile: 'small.ptx',
      entry: 'small',
      grid: [1, 1, 1],
      block: [64, 1, 1],
      sharedBytes: 0,
      params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: 256 }],
    };
    for (const [, plan] of nextPlans()) await compile(launch, plan);
  });
});
