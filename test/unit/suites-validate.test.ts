// Validation itself: it passes what is right, and catches what is wrong and says where. Executors here are the interpreter,
// and ones that spoil what it gives.
import { describe, expect, it } from 'vitest';
import { cpuExecutor } from '../../src/harness/cpu-executor.ts';
import { type ExecutorRun, KernelError, type KernelExecutor } from '../../src/harness/executors.ts';
import { GpuError } from '../../src/harness/gpu-job.ts';
import type { Launch } from '../../src/harness/launch.ts';
import { exitCodeOf } from '../../src/harness/results.ts';
import { QueryError } from '../../src/harness/suites/index.ts';
import { type ValidateOptions, validate } from '../../src/harness/validate.ts';

const seed = 20_251_120;
const run = (executor: KernelExecutor, queries: readonly string[], more: Partial<ValidateOptions> = {}) =>
  validate({ queries, seed, executors: [executor], ...more });

/// The interpreter with `change` applied to the words of its one written buffer.
function spoiled(change: (words: Uint32Array, launch: Launch) => void): KernelExecutor {
  const cpu = cpuExecutor();
  return {
    ...cpu,
    async run(launch): Promise<ExecutorRun> {
      const result = await cpu.run(launch);
      const [param, bytes] = [...result.outputs].at(-1) ?? [0, new Uint8Array()];
      const words = new Uint32Array(bytes.slice().buffer);
      change(words, launch);
      return { ...result, outputs: new Map([...result.outputs, [param, new Uint8Array(words.buffer)]]) };
    },
  };
}

function failing(error: (launch: Launch) => unknown): KernelExecutor {
  const cpu = cpuExecutor();
  return {
    ...cpu,
    async run(launch, options) {
      const thrown = error(launch);
      if (thrown) throw thrown;
      return await cpu.run(launch, options);
    },
  };
}

describe('validate', () => {
  it('agrees with the interpreter in every suite', async () => {
    const results = await run(cpuExecutor(), []);
    expect(results.filter(({ status }) => status !== 'pass').map(({ id, message }) => `${id} ${message}`)).toEqual([]);
    expect(exitCodeOf(results)).toBe(0);
    expect(results.reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThan(1_000_000);
  }, 120_000);

  it('gives the same result for the same seed, and other cases for another', async () => {
    const summary = async (of: number) => {
      const [result] = await run(cpuExecutor(), ['shfl.sync:idx:groups'], { seed: of });
      return [result?.compared, result?.undefined];
    };
    expect(await summary(1)).toEqual(await summary(1));
    expect(await summary(1)).not.toEqual(await summary(2));
  });

  it('reports one wrong lane with its instruction, case, operands, bits and the command to see it again', async () => {
    // Thread 200 is lane 8 of warp 6; a record is (d, p), so its d is word 400.
    const executor = spoiled((words) => {
      words[400] = ((words[400] ?? 0) ^ 0x80) >>> 0;
    });
    const [result] = await run(executor, ['shfl.sync:up:register']);
    expect(result).toMatchObject({ status: 'fail', mismatches: 1 });
    const { first } = result ?? {};
    expect(first).toMatchObject({
      case: 'shfl.sync:up:register#6',
      instruction: 'shfl.sync.up.b32 %d0|%p0, %a, %b, %c, %membermask;',
      result: 'd',
      block: 3,
      warp: 0,
      lane: 8,
      reproduce: `npx lanewise validate 'shfl.sync:up:register#6' --seed ${seed} --on cpu`,
    });
    expect(Number(first?.expected) ^ Number(first?.got)).toBe(0x80);
    expect(Object.keys(first?.operands ?? {})).toEqual(['a', 'b', 'c', 'membermask', 'executing', 'exited']);
  });

  it('fails the same case when it is run alone', async () => {
    const executor = spoiled((words) => words.fill(0));
    const [result] = await run(executor, ['redux.sync:max.u32:register#5']);
    expect(result).toMatchObject({ status: 'fail', cases: 1 });
    expect(result?.compared).toBe(32);
  });

  it.each([
    'shfl.sync:up:register',
    'vote.sync:any:exited',
    'activemask:inactive',
    'special:laneid:block-2d',
    'example:ptx-scan',
  ])('%s: fails where nothing was written', async (query) => {
    const [result] = await run(
      spoiled((words) => words.fill(0xa5a5a5a5)),
      [query],
    );
    expect(result).toMatchObject({ status: 'fail' });
    expect(result?.first?.got).toBe('nothing written');
  });

  it('fails where a lane that has exited wrote', async () => {
    const executor = spoiled((words) => {
      words.forEach((word, index) => {
        if (word === 0xa5a5a5a5) words[index] = 0;
      });
    });
    const [result] = await run(executor, ['vote.sync:all:exited']);
    expect(result).toMatchObject({ status: 'fail', first: { expected: 'nothing written', got: '0x00000000' } });
  });

  it('says which suite of a shared kernel is to blame', async () => {
    const refusing = failing(({ ptx }) =>
      ptx.includes('shfl.sync.idx') ? new KernelError('unsupported', { file: 'k', text: ptx }, []) : undefined,
    );
    const results = await run(refusing, ['shfl.sync:*:register']);
    expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'shfl.sync:up:register pass',
      'shfl.sync:down:register pass',
      'shfl.sync:bfly:register pass',
      'shfl.sync:idx:register unsupported',
    ]);
    expect(exitCodeOf(results)).toBe(2);
  });

  it('goes on after a timeout', async () => {
    let runs = 0;
    const slow = failing(() => (runs++ === 0 ? new GpuError('timeout', 'no answer') : undefined));
    const results = await run(slow, ['elect.sync:register', 'elect.sync:groups']);
    expect(results.map(({ status }) => status)).toEqual(['error', 'pass']);
    expect(exitCodeOf(results)).toBe(4);
  });

  it('does not pass a case that PTX leaves undefined altogether', async () => {
    // Immediate 10 of the table is the empty mask: no lane has its own bit.
    const [result] = await run(cpuExecutor(), ['vote.sync:all:immediate#10']);
    expect(result).toMatchObject({ status: 'error', compared: 0, undefined: 32 });
    expect(exitCodeOf(result ? [result] : [])).toBe(1);
  });

  it('refuses a query that selects nothing', async () => {
    await expect(run(cpuExecutor(), ['nothing'])).rejects.toThrow(QueryError);
  });
});
