// Short fuzzing on software adapters: generated kernels on the interpreter and as WGSL, with every
// register of every thread compared.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cpuExecutor } from '../../src/harness/executors/cpu-executor.ts';
import { fuzz } from '../../src/harness/fuzz/fuzz.ts';
import { bodyLines } from '../../src/harness/fuzz/print/print.ts';
import { readCase } from '../../src/harness/launches/case-file-node.ts';
import { runCase } from '../../src/harness/runs/run-case.ts';
import { effort, inTurn } from '../effort.ts';
import { adapters } from './adapters.ts';

const folder = new URL('../fuzz-cases/', import.meta.url).pathname;
const cases = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** The seed of the generated kernels. LANEWISE_SEED replaces it. */
const seed = Number(process.env.LANEWISE_SEED ?? 1);

/** The time for generated kernels in milliseconds, for one adapter of each subgroup size. */
const budgets: Readonly<Record<string, number>> = {
  'dawn on swiftshader': effort(1_000, 60_000),
  'dawn on lavapipe8': effort(500, 60_000),
  'dawn on lavapipe16': effort(500, 60_000),
};
const chosen = adapters
  .filter(({ name }) => budgets[name] !== undefined)
  .map((adapter) => [adapter.name, adapter] as const);

describe.each(chosen)(`%s, seed ${seed}`, (name, adapter) => {
  it.skipIf(!adapter.present)('agrees with the reference', async () => {
    const executor = await adapter.open();
    try {
      const result = await fuzz({
        seed,
        inFlight: 1,
        ms: budgets[name] ?? 0,
        maxFailures: 2,
        executors: [cpuExecutor(), executor],
      });
      const found = result.found.map(({ index, minimal }) => ({
        kernel: index,
        executor: minimal.disagreement.executor,
        message: minimal.disagreement.message,
        body: bodyLines(minimal.launch.ptx),
      }));
      expect(found).toEqual([]);
      expect(result.dropped).toEqual({});
      expect(result.compared).toBeGreaterThan(0);
    } finally {
      await executor.close();
    }
  });
});

/** In a short run each adapter gets a twenty-fourth of the cases, in rotation. */
const nextCases = inTurn(cases, Math.ceil(cases.length / 24));

describe.each(chosen)('%s', (_, adapter) => {
  const own = nextCases();
  it.skipIf(!adapter.present)('cases of earlier fuzzing failures', async () => {
    const executor = await adapter.open();
    try {
      const results = [];
      for (const name of own) results.push(...(await runCase(readCase(folder + name), [executor])));
      expect(results.filter(({ status }) => status !== 'pass')).toEqual([]);
      expect(results.length).toBe(own.length);
    } finally {
      await executor.close();
    }
  });
});
