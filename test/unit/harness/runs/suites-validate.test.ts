// Validation passes correct results, and reports the place of wrong ones. The executors here are
// the interpreter and modified interpreters.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { ExecutorRun, KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { exitCodeOf } from '../../../../src/harness/runs/results.ts';
import { type ValidateOptions, validate } from '../../../../src/harness/runs/validate.ts';
import { QueryError, suiteGroups } from '../../../../src/harness/suites/index.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';
import { KernelError } from '../../../../src/runtime/launch/kernel-error.ts';
import { effort, isLong, selection } from '../../../effort.ts';

const seed = 20_251_120;
const run = (executor: KernelExecutor, queries: readonly string[], more: Partial<ValidateOptions> = {}) =>
  validate({ queries, seed, executors: [executor], ...more });

/** Returns the interpreter with `change` applied to the words of its only output buffer. */
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

/** Returns the interpreter in place of native hardware. It records the launches. */
function native(executor: KernelExecutor = cpuExecutor()): KernelExecutor & { readonly launched: string[] } {
  const launched: string[] = [];
  return {
    ...executor,
    name: 'cuda',
    describe: () => ({ name: 'cuda' }),
    launched,
    run(launch, options) {
      launched.push(launch.id);
      return executor.run(launch, options);
    },
  };
}

describe('natively', () => {
  it('skips kernels that trap natively, and passes only if something else was compared', async () => {
    const executor = native();
    const outside = await run(executor, ['vote.sync:all:outside']);
    expect(outside).toMatchObject([{ status: 'unsupported', cases: 0, compared: 0 }]);
    expect(outside[0]?.skipped).toContain('membermask');
    expect(executor.launched).toEqual([]);
    expect(exitCodeOf(outside)).toBe(1);
    const both = await run(executor, ['vote.sync:all:outside', 'vote.sync:all:register']);
    expect(both.map(({ status }) => status).sort()).toEqual(['pass', 'unsupported']);
    expect(exitCodeOf(both)).toBe(0);
    // On an executor that is not native, the same suite is compared.
    expect(await run(cpuExecutor(), ['vote.sync:all:outside'])).toMatchObject([{ status: 'pass' }]);
  });

  it('does not judge results that PTX leaves to the hardware', async () => {
    const wrong = spoiled((words) => words.fill(7));
    const [left] = await run(native(wrong), ['special:warpid:eight-warps']);
    expect(left).toMatchObject({ status: 'unsupported', compared: 0, undefined: 1024, mismatches: 0 });
    expect(left?.skipped).toContain('%warpid');
    expect(left?.observed).toEqual({ 'left to the hardware': { 'reference value': 128, other: 896 } });
    const held = await run(wrong, ['special:warpid:eight-warps']);
    expect(held).toMatchObject([{ status: 'fail', mismatches: 896 }]);
  });

  it('does not count a missing instruction as a failure', async () => {
    const refusing = failing(({ ptx }) =>
      ptx.includes('redux') ? new KernelError('unsupported', { file: 'k', text: ptx }, []) : undefined,
    );
    const results = await run(native(refusing), ['redux.sync.f32:*:register', 'activemask:register']);
    expect(results.filter(({ status }) => status === 'unsupported')).toHaveLength(8);
    expect(results[0]?.skipped).toContain('needs sm_100a');
    expect(exitCodeOf(results)).toBe(0);
    expect(exitCodeOf(await run(refusing, ['redux.sync.f32:*:register', 'activemask:register']))).toBe(2);
  });

  it('records the values in undefined lanes', async () => {
    const observed = async (executor: KernelExecutor, query: string) => (await run(executor, [query]))[0]?.observed;
    // The interpreter returns 0 for a shuffle from an exited lane.
    const zeros = await observed(native(), 'shfl.sync:bfly:exited');
    expect(Object.keys(zeros?.['source has exited'] ?? {})).toEqual(['zero']);
    // A record is d, then p.
    const other = native(spoiled((words) => words.set(words.map((_, index) => (index % 2 === 0 ? 7 : 1)))));
    const others = await observed(other, 'shfl.sync:bfly:exited');
    expect(Object.keys(others?.['source has exited'] ?? {})).toEqual(['other']);
    expect(await observed(native(), 'shfl.sync:bfly:register')).toBeUndefined();
    expect(await observed(cpuExecutor(), 'shfl.sync:bfly:exited')).toBeUndefined();
  });

  it.each([
    ['shfl.sync:down:partial-warp', ['source does not exist']],
    ['shfl:idx:partial-warp', ['source does not exist']],
    ['shfl.sync:idx:immediate-exit', ['source has exited']],
    ['shfl:bfly:exited', ['source has exited']],
    ['shfl.sync:up:leaving', ['source has exited', 'source in another membermask']],
    ['shfl:bfly:guard', ['source predicated off']],
    ['shfl:down:inactive', ['source on another path']],
    ['shfl.sync:bfly:groups', ['source in another membermask']],
    ['vote.sync:all:outside', ['not in its own membermask', 'joined by lanes outside its membermask']],
    ['shfl.sync:up:outside', ['not in its own membermask', 'source in another membermask']],
  ])('reports why lanes of %s are undefined', async (query, causes) => {
    const chrome: KernelExecutor = { ...cpuExecutor(), name: 'chrome' };
    const [result] = await run(chrome, [query]);
    expect(Object.keys(result?.observed ?? {})).toEqual(causes);
    const counts = Object.values(result?.observed ?? {}).flatMap((kinds) => Object.values(kinds));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(result?.undefined);
  });
});

describe('several executors', () => {
  const query = 'vote.sync.ballot:register#3';
  const named = (name: KernelExecutor['name'], executor: KernelExecutor): KernelExecutor => ({
    ...executor,
    name,
    describe: () => ({ name }),
  });
  const right = cpuExecutor();
  const wrong = (bits: number) => spoiled((words) => words.set(words.map((word) => word ^ bits)));
  const firsts = async (...executors: KernelExecutor[]) =>
    (await validate({ queries: [query], seed, executors })).map(({ first }) => first?.agreement);

  it('names the one executor that differs', async () => {
    expect(await firsts(named('chrome', right), named('dawn', wrong(1)), named('cuda', right))).toEqual([
      undefined,
      'only dawn differs: the reference, chrome and cuda agree',
      undefined,
    ]);
    const alone = 'only the reference differs: chrome and dawn agree';
    expect(await firsts(named('chrome', wrong(1)), named('dawn', wrong(1)))).toEqual([alone, alone]);
    expect(await firsts(named('chrome', wrong(1)), named('dawn', wrong(2)))).toEqual(['no two agree', 'no two agree']);
    expect(await firsts(named('chrome', wrong(1)))).toEqual([undefined]);
  });

  it('returns results in the order of the executors, then of the suites', async () => {
    const executors = [named('dawn', right), named('chrome', right)];
    const results = await validate({ queries: ['elect.sync:register', 'elect.sync:groups'], seed, executors });
    expect(results.map(({ id, executor }) => `${executor.name} ${id}`)).toEqual([
      'dawn elect.sync:register',
      'dawn elect.sync:groups',
      'chrome elect.sync:register',
      'chrome elect.sync:groups',
    ]);
  });

  it('continues with one executor if another fails', async () => {
    const lost = failing(() => new GpuError('lost', 'gone'));
    const results = await validate({
      queries: [query],
      seed,
      executors: [named('chrome', lost), named('dawn', right)],
    });
    expect(results.map(({ status }) => status)).toEqual(['error', 'pass']);
  });
});

describe('validate', () => {
  it('agrees with the interpreter in suites of every row', async () => {
    const ids = suiteGroups().flatMap(({ suites }) => suites.map(({ id }) => id));
    // The corpus has more tests of per-lane instructions; those of matrices are in
    // matrix-suites.test.ts.
    const rest = ids.filter((id) => isLong || !/^(w?mma|..matrix|movmatrix)\b/.test(id));
    const queries = selection(rest, 30, (id) => (id.endsWith(':lane') ? 'lane' : (id.split(':')[0] ?? '')));
    const results = await run(cpuExecutor(), queries);
    expect(results.filter(({ status }) => status !== 'pass').map(({ id, message }) => `${id} ${message}`)).toEqual([]);
    expect(exitCodeOf(results)).toBe(0);
    expect(results.reduce((sum, { compared }) => sum + compared, 0)).toBeGreaterThan(effort(25_000, 1_000_000));
  }, 120_000);

  it('returns equal results for equal seeds, and other cases for another seed', async () => {
    const summary = async (of: number) => {
      const [result] = await run(cpuExecutor(), ['shfl.sync:idx:groups'], { seed: of });
      return [result?.compared, result?.undefined];
    };
    expect(await summary(1)).toEqual(await summary(1));
    expect(await summary(1)).not.toEqual(await summary(2));
  });

  it('reports one wrong lane with its instruction, case, operands, bits and the command to reproduce it', async () => {
    // Thread 200 is lane 8 of warp 6. A record is (d, p), so word 400 is that thread's d.
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

  it('fails in the same case if it runs alone', async () => {
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
  ])('%s: fails if nothing was written', async (query) => {
    const [result] = await run(
      spoiled((words) => words.fill(0xa5a5a5a5)),
      [query],
    );
    expect(result).toMatchObject({ status: 'fail' });
    expect(result?.first?.got).toBe('nothing written');
  });

  it('fails if an exited lane wrote', async () => {
    const executor = spoiled((words) => {
      words.forEach((word, index) => {
        if (word === 0xa5a5a5a5) words[index] = 0;
      });
    });
    const [result] = await run(executor, ['vote.sync:all:exited']);
    expect(result).toMatchObject({ status: 'fail', first: { expected: 'nothing written', got: '0x00000000' } });
  });

  it('names the failing suite of a shared kernel', async () => {
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

  it('continues after a timeout', async () => {
    let runs = 0;
    const slow = failing(() => (runs++ === 0 ? new GpuError('timeout', 'no answer') : undefined));
    const results = await run(slow, ['elect.sync:register', 'elect.sync:groups']);
    expect(results.map(({ status }) => status)).toEqual(['error', 'pass']);
    expect(exitCodeOf(results)).toBe(4);
  });

  it('refuses a query that selects nothing', async () => {
    await expect(run(cpuExecutor(), ['nothing'])).rejects.toThrow(QueryError);
  });
});
