// Without subgroups: the kernels that run one lane per invocation, and the order of their exchanges
// through workgroup memory. If a barrier, or a switch to another part of this memory, is removed
// from a shader, the interpreter must reject the shader or return other results.
import { describe, expect, it } from 'vitest';
import { portablePlan } from '../../../../src/base/lane-plan.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../../../src/harness/compare/compare.ts';
import { makeJob, readAnswer } from '../../../../src/harness/executors/kernel-job.ts';
import { planFor, type WgslProgram } from '../../../../src/translate/index.ts';
import { translateLaunch } from '../../../lockstep/lockstep-executor.ts';
import { smallKernel, translateText, wgslOf } from '../../../lockstep/small-kernel.ts';
import { runWgsl } from '../../../wgsl-interpreter/index.ts';

function launchOf(body: string, threads: number): Launch {
  const data = Uint32Array.from({ length: threads }, (_, index) => Math.imul(index + 1, 0x9e37_79b9) >>> 0);
  return {
    id: 'small',
    group: 'small',
    ptx: smallKernel(body),
    ptxFile: 'small.ptx',
    entry: 'small',
    grid: [1, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: threads * 4, data: new Uint8Array(data.buffer) }],
  };
}

/** Whether a program returns the reference's results. Throws if the interpreter rejects it. */
function agrees(launch: Launch, program: WgslProgram): boolean {
  const { outputs, undefinedMasks } = runOnCpu(launch);
  const result = runWgsl(makeJob(program, launch), { subgroupSize: 1, races: (name) => name.startsWith('exchange') });
  const found = readAnswer(program, launch, result).outputs;
  return compareOutputs(launch, outputs, found, undefinedMasks ? { undefinedMasks } : {}).mismatches === 0;
}

const shuffles = `mov.u32 %r1, %r0;
  shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; add.u32 %r1, %r1, %r2;
  shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1; xor.b32 %r1, %r1, %r2;
  shfl.sync.up.b32 %r2, %r1, 3, 0, -1; add.u32 %r1, %r1, %r2;`;
const votes = `and.b32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 1;
  vote.sync.ballot.b32 %r1, %p1, -1;
  shr.u32 %r3, %r0, 7; and.b32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, 1;
  vote.sync.ballot.b32 %r4, %p2, -1; add.u32 %r1, %r1, %r4;
  redux.sync.max.u32 %r4, %r0, -1; xor.b32 %r1, %r1, %r4;
  redux.sync.min.s32 %r4, %r0, -1; xor.b32 %r1, %r1, %r4;
  vote.sync.ballot.b32 %r4, %p2, -1; add.u32 %r1, %r1, %r4;
  redux.sync.and.b32 %r4, %r0, -1; xor.b32 %r1, %r1, %r4;`;
const matches = `and.b32 %r2, %r0, 0x300; match.any.sync.b32 %r1, %r2, -1; add.u32 %r1, %r1, %r0;`;
/**
 * A kernel in which the last warp of a reduction works alone. The other warps must execute its
 * exchanges too.
 */
const lastWarp = `mov.u32 %r15, %tid.x; mov.u32 %r1, %r0; setp.ge.u32 %p1, %r15, 32; @%p1 bra OUT;
  shfl.sync.down.b32 %r2, %r1, 16, 31, -1; add.u32 %r1, %r1, %r2;
  shfl.sync.down.b32 %r2, %r1, 8, 31, -1; add.u32 %r1, %r1, %r2;
OUT:`;
/** A kernel with a loop whose trip count differs between warps. */
const ownTrips = `mov.u32 %r15, %tid.x; shr.u32 %r3, %r15, 5; mov.u32 %r1, %r0;
LOOP:
  shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2;
  shfl.sync.down.b32 %r2, %r1, 7, 31, -1; xor.b32 %r1, %r1, %r2;
  vote.sync.any.pred %p2, %p1, -1;
  add.u32 %r3, %r3, -1; setp.ge.s32 %p1, %r3, 0; @%p1 bra LOOP;`;
const inStep = `.shared .align 4 .b8 s[1024]; mov.u32 %r15, %tid.x; shl.b32 %r3, %r15, 2; mov.u32 %r4, s; add.u32 %r4, %r4, %r3;
  st.shared.u32 [%r4], %r0; bar.warp.sync -1; xor.b32 %r3, %r3, 4; mov.u32 %r5, s; add.u32 %r5, %r5, %r3; ld.shared.u32 %r1, [%r5];`;
/**
 * A kernel with six matches in a row. The mask 25 keeps three separate bits, so different values
 * are in the same bucket. The mask 3 keeps two bits, so each value has its own bucket.
 */
const manyMatches = `mov.u32 %r1, 0;${[25, 25, 3, 25, 3, 3]
  .map((bits, index) => {
    const by = 3 * index;
    return `shr.u32 %r2, %r0, ${by}; and.b32 %r2, %r2, ${bits}; match.any.sync.b32 %r3, %r2, -1; mad.lo.u32 %r1, %r1, 5, %r3;`;
  })
  .join(' ')}`;
const kernels = { manyMatches, shuffles, votes, matches, lastWarp, ownTrips, inStep };

describe('one lane per invocation', () => {
  it.each(Object.entries(kernels))('%s', (_, body) => {
    for (const threads of [32, 96, 160]) {
      const launch = launchOf(body, threads);
      const program = translateLaunch(launch, planFor(0));
      expect(program.plan.shape).toBe('lane');
      expect(program.mode).toBe('structured');
      expect(program.workgroupSize).toBe(threads);
      expect({ threads, agrees: agrees(launch, program) }).toEqual({ threads, agrees: true });
    }
  });

  it('runs blocks with a partial last warp', () => {
    // The masks name existing lanes only.
    const body = `activemask.b32 %r3; mov.u32 %r1, %r0;
  vote.sync.ballot.b32 %r1, %p1, %r3; redux.sync.add.u32 %r2, %r0, %r3; add.u32 %r1, %r1, %r2; match.any.sync.b32 %r2, %r3, %r3; xor.b32 %r1, %r1, %r2;`;
    for (const threads of [1, 31, 40, 70]) {
      const launch = launchOf(body, threads);
      const program = translateLaunch(launch, planFor(0));
      expect(program.plan.shape).toBe('lane');
      expect({ threads, agrees: agrees(launch, program) }).toEqual({ threads, agrees: true });
    }
  });

  it('is named in the shader, with the reason', () => {
    expect(wgslOf(smallKernel(shuffles), { plan: planFor(0) })).toContain(
      '// The portable plan, one lane per invocation: the whole block executes each warp instruction.\n@compute',
    );
    expect(wgslOf(smallKernel(shuffles))).not.toContain('portable');
    expect(wgslOf(smallKernel('mov.u32 %r1, %r0;'), { plan: planFor(0) })).not.toContain('portable');
  });
});

describe('one warp per invocation', () => {
  const apart = `and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 1; @%p1 bra ODD;
  vote.sync.any.pred %p2, %p1, -1; bra OUT;
ODD: vote.sync.all.pred %p2, %p1, -1;
OUT: selp.u32 %r1, 1, 2, %p2;`;

  it('if lanes wait for others on another path', () => {
    const { program } = translateText(smallKernel(apart), { plan: planFor(0) });
    expect(program).toMatchObject({
      plan: portablePlan('warp'),
      mode: 'dispatch',
      shapeReason: 'vote.sync under a divergent branch',
    });
    expect(program?.code).toContain(
      '// The portable plan, one warp per invocation: vote.sync under a divergent branch',
    );
  });

  const limited = (limits: { readonly maxInvocations?: number; readonly maxWorkgroupBytes?: number }) => {
    const launch = launchOf(shuffles, 512);
    const { program } = translateText(launch.ptx, { plan: planFor(0), block: launch.block, ...limits });
    return { launch, program };
  };

  it.each([
    [{ maxInvocations: 256 }, 'the adapter takes 256 invocations at most'],
    [{ maxWorkgroupBytes: 4095 }, '4096 bytes of workgroup memory, where the adapter has 4095'],
  ])('if the adapter has no more: %o', (limits, reason) => {
    const { launch, program } = limited(limits);
    expect(program).toMatchObject({ plan: portablePlan('warp'), shapeReason: reason, workgroupSize: 16 });
    expect(program && agrees(launch, program)).toBe(true);
  });

  it('not if the adapter has enough', () => {
    const { program } = limited({ maxInvocations: 512, maxWorkgroupBytes: 4096 });
    expect(program).toMatchObject({ plan: portablePlan('lane'), workgroupSize: 512 });
  });

  it('reports each pass of the chosen form once', () => {
    const seen: string[] = [];
    translateText(smallKernel(apart), { plan: planFor(0), observe: (pass) => seen.push(pass) });
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen.length).toBeGreaterThan(5);
  });
});

describe('removed parts', () => {
  const faults: readonly (readonly [string, string, RegExp, string])[] = [
    ['the barrier of a shuffle', shuffles, /(= value;\n) *workgroupBarrier\(\);\n/, '$1'],
    ['the turns of a shuffle', shuffles, / *exchange_place \^= \d+u;\n/, ''],
    ['the barrier of a match', matches, / *workgroupBarrier\(\);\n(.*\n.*\n *var same)/, '$1'],
    ['the reset of the next buckets', manyMatches, / *atomicStore\(&exchange_lanes.*\n/, ''],
    ['the turns of the buckets', manyMatches, / *bucket_turn = .*\n/, ''],
    ['the comparison in a bucket', manyMatches, /if \(\(atomicLoad\(&exchange_ones.*\{/, 'if (false) {'],
    ['the barrier of a vote', votes, / *workgroupBarrier\(\);\n( *let total)/, '$1'],
    ['the reset of the next total', votes, / *atomicStore\(&exchange_totals\[next[_\d]*\], 0u\);\n/g, ''],
    ['all but one turn of the totals', votes, /let (next[_\d]*) = .*;/g, 'let $1 = totals_place;'],
    ['the barrier for memory', inStep, / *(workgroup|storage)Barrier\(\);\n/g, ''],
  ];

  it.each(faults)('%s', (_, body, part, rest) => {
    const launch = launchOf(body, 64);
    const program = translateLaunch(launch, planFor(0));
    expect(agrees(launch, program)).toBe(true);
    const code = program.code.replace(part, rest);
    expect(code).not.toBe(program.code);
    let works = false;
    try {
      works = agrees(launch, { ...program, code });
    } catch (error) {
      expect(String(error)).toMatch(/a race for word|not reached by the whole workgroup/);
    }
    expect(works).toBe(false);
  });
});
