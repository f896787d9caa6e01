// The sums of `m8n8k4` in mode `hopper`, if a driver adds in a different order where WGSL permits
// it.
import { expect, it } from 'vitest';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { makeJob, readAnswer } from '../../../src/harness/executors/kernel-job.ts';
import { planFor } from '../../../src/translate/index.ts';
import { bufferKernel, bufferLaunch } from '../../lockstep/buffer-kernel.ts';
import { exactFloats } from '../../lockstep/float-profiles.ts';
import { translateLaunch } from '../../lockstep/lockstep-executor.ts';
import { runWgsl } from '../../wgsl-interpreter/index.ts';

/** Adds 2^30 and -2^30 to 1. In f32, 1 is lost if it is added to one of them first. */
const launch = bufferLaunch(
  bufferKernel(`
  .reg .b32 %a, %b, %c<4>;
  mov.b32 %a, 0xf8007800;
  mov.b32 %b, 0x78007800;
  mov.b32 %c0, 0x3c003c00;
  mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%c0,%c1,%c2,%c3}, {%a,%a}, {%b,%b}, {%c0,%c0,%c0,%c0};
  mov.b32 %r1, %c0;`),
);
const one = 0x3c00_3c00;

/** Adds as Mesa does: the addend first, if a sum of two products has no other use. */
const reassociated = (code: string): string =>
  code.replaceAll(
    /(\w+\(\w+\)\.\w) \+ fma\(([\w.]+), ([\w.]+), ([\w.]+) \* ([\w.]+)\)/g,
    'fma($2, $3, fma($4, $5, $1))',
  );

const wordsOf = (outputs: ReadonlyMap<number, Uint8Array>) => [
  ...new Set(new Uint32Array(outputs.get(1)?.slice().buffer ?? new ArrayBuffer(0))),
];

function sums(change: (code: string) => string): readonly number[] {
  const program = translateLaunch(launch, planFor(32), { ...exactFloats, matrix: 'hopper' });
  const job = makeJob(program, launch);
  const answer = runWgsl({ ...job, code: change(job.code) }, { subgroupSize: 32 });
  return wordsOf(readAnswer(program, launch, answer).outputs);
}

it('are those of sm_90 in any permitted order', async () => {
  expect(wordsOf((await cpuExecutor('hopper').run(launch)).outputs)).toEqual([one]);
  expect(sums((code) => code)).toEqual([one]);
  expect(sums(reassociated)).toEqual([one]);
});

it('would differ if sums of two products had no other use', () => {
  const bare = (code: string) => code.replaceAll(/f32_canonical\((fma\([^)]*\))\)/g, '$1');
  expect(sums(bare)).toEqual([one]);
  expect(sums((code) => reassociated(bare(code)))).toEqual([0]);
});
