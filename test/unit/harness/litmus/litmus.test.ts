// Litmus tests on the reference interpreter: the generated kernels, their outcomes, and mutants.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { ExecutorRun, KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { litmusEntry } from '../../../../src/harness/litmus/kernel-text.ts';
import { histogramText, litmusResult } from '../../../../src/harness/litmus/litmus-text.ts';
import { mutantsOf } from '../../../../src/harness/litmus/mutants.ts';
import type { LaunchSize } from '../../../../src/harness/litmus/plan.ts';
import { progressTests, runProgress } from '../../../../src/harness/litmus/progress.ts';
import { runLitmus, weakCount } from '../../../../src/harness/litmus/run-litmus.ts';
import { builtInTests } from '../../../../src/harness/litmus/select-tests.ts';
import { allowedOutcomes, type LitmusTest, parseLitmus, verdictOf } from '../../../../src/memory-model/index.ts';

const size: LaunchSize = { teams: 1, slots: 32, iterations: 2, stressBlocks: 1 };
const options = { sizes: [size], launches: 1, seed: 1 };

const testOf = (text: string): LitmusTest => {
  const [found] = parseLitmus({ file: 'test.litmus', text });
  if (found === undefined) throw new Error('no test');
  return found;
};

const guarantees = 'test/memory-model/guarantees.litmus';
const tests = parseLitmus({
  file: guarantees,
  text: readFileSync(new URL(`../../../../${guarantees}`, import.meta.url), 'utf8'),
});

test.each(tests.map((found) => [found.name, found] as const))('PTX guarantees %s, except of races', (name, found) => {
  const verdict = name.startsWith('racing-') ? 'allowed' : 'forbidden';
  expect([found.expectation, verdictOf(found)]).toEqual([verdict, verdict]);
});

describe('on the reference', () => {
  // The interpreter runs the blocks of a team and the warps of a block in order.
  test.each(['barrier-orders-shared-memory', 'atomic-64-bit-additions', 'whole-64-bit-words'])(
    '%s holds',
    async (name) => {
      const found = tests.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(name);
      const result = await runLitmus(found, cpuExecutor(), options);
      expect([result.instances, result.forbidden]).toEqual([64, 0]);
    },
  );

  test('final values of memory and initial values belong to their instances', async () => {
    const found = testOf(`test final
.global .u32 x = 5;
.global .u64 y = 0x100000002;
thread a, block 0
  ld.global.u32 %r0, [x];
  add.u32 %r0, %r0, 1;
  st.global.u32 [x], %r0;
  ld.global.u32 %r1, [y+4];
allowed a:%r0 == 6 && [x] == 6 && a:%r1 == 1 && [y] == 0x100000002
`);
    const result = await runLitmus(found, cpuExecutor(), options);
    expect(histogramText({ ...result, ms: 0 })).toBe(`final: a:%r0 == 6 && [x] == 6 && a:%r1 == 1 && [y] == 0x100000002
  allowed, seen; 64 instances in 0.0 s
  64 * a:%r0=6 [x]=6 a:%r1=1 [y]=4294967298  allowed
`);
  });
});

test('an outcome that PTX forbids is counted', async () => {
  // This executor stores 1 in the first result and 0 in the second result of every instance.
  const [found] = builtInTests('MP+relaxed+acq_rel+gpu+apart');
  if (found === undefined) throw new Error('no test');
  const real = cpuExecutor();
  const faulty: KernelExecutor = {
    ...real,
    async run(launch, settings): Promise<ExecutorRun> {
      const run = await real.run(launch, settings);
      const index = launch.params.findIndex(({ name }) => name === 'out');
      if (launch.entry !== litmusEntry) return run;
      const out = new Uint32Array(2 * 64 * 2);
      for (let instance = 0; instance < 64; instance++) out[2 * instance] = 1;
      return { ...run, outputs: new Map([...run.outputs, [index, new Uint8Array(out.buffer)]]) };
    },
  };
  const result = await runLitmus(found, faulty, { ...options, launches: 2 });
  expect([result.instances, result.forbidden, weakCount(result)]).toEqual([128, 128, 64]);
});

test('mutants are the changes that make the weak outcome possible', () => {
  const changes = (name: string) => builtInTests(name).flatMap((found) => mutantsOf(found).map(({ change }) => change));
  expect(changes('SB+weak+sc+gpu+apart')).toEqual([
    'without fence.sc.gpu in t0',
    'fence.sc.gpu as acq_rel in t0',
    'without fence.sc.gpu in t1',
    'fence.sc.gpu as acq_rel in t1',
    'without all fences',
  ]);
  expect(changes('MP+release+acquire+gpu+apart')).toEqual([
    'st.release.gpu.global.u32 as relaxed in t0',
    'ld.acquire.gpu.global.u32 as relaxed in t1',
  ]);
});

test('the only final state of a test with instructions that the model lacks', () => {
  const found = tests.find(({ name }) => name === 'barrier-object');
  expect(found && [verdictOf(found), allowedOutcomes(found), found.conditionText]).toEqual([
    'forbidden',
    [[1n]],
    '!(reader:%r1 == 1)',
  ]);
});

test('an alias has a verdict, but cannot run', async () => {
  const found = testOf(`test alias
.global .u32 x;
.global .u32 y;
alias y = x
thread a, block 0
  st.global.u32 [x], 1;
  ld.global.u32 %r0, [y];
allowed a:%r0 == 0
`);
  expect(verdictOf(found)).toBe('allowed');
  const message = 'test.litmus:7:22: error[LIT0801]: an alias is not supported in a litmus test';
  await expect(runLitmus(found, cpuExecutor(), options)).rejects.toThrow(message);
});

test('a result is a document that merge reads', async () => {
  const found = tests.find(({ name }) => name === 'barrier-orders-shared-memory');
  if (found === undefined) throw new Error('no test');
  const executor = cpuExecutor();
  const result = await runLitmus(found, executor, options);
  expect(litmusResult(result, executor.describe())).toMatchObject({
    id: 'litmus:barrier-orders-shared-memory',
    status: 'pass',
    compared: 64,
    mismatches: 0,
    message: '64 reader:%r1=1',
  });
});

// The reference runs one block after the other, and the warps and lanes of a block in turn.
test.each(progressTests(4).map((found) => [found.name, found] as const))(
  'forward progress: %s',
  async (name, found) => {
    const { gaveUp } = await runProgress(found, cpuExecutor(), 256);
    expect(gaveUp).toBe(name === '2-resident-blocks' ? 1 : 0);
  },
);
