// Suites on every adapter: each lane that PTX defines is as the reference has it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import { exitCodeOf } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { suiteGroups } from '../../src/harness/suites/index.ts';
import { warpRows } from '../../src/isa/index.ts';
import { adapters } from './adapters.ts';

/// A fresh one each run; a failure's reproducing command names it.
const seed = Number(process.env.LANEWISE_SEED ?? Math.floor(Math.random() * 2 ** 31));

const parts = [...warpRows.map(({ name }) => name), 'special', 'example'];
/// One adapter of each subgroup size runs everything; a second one of the same size, what compiles quickly.
const whole = ['chrome', 'dawn on lavapipe8', 'dawn on lavapipe16'];
const quickForms = ['register', 'groups', 'exited', 'leaving', 'arms', 'outside', 'fragment', 'block-2d'];

const names = suiteGroups().flatMap(({ suites }) => suites.map(({ id }) => id));

function quickQueries(row: string): string[] {
  return names.filter((id) => id.startsWith(`${row}:`) && quickForms.some((form) => id.endsWith(`:${form}`)));
}

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(`%s, seed ${seed}`, (_, adapter) => {
  let executor: KernelExecutor | undefined;
  beforeAll(async () => {
    if (adapter.present) executor = await adapter.open();
  });
  afterAll(() => executor?.close());

  it.skipIf(!adapter.present).each(parts)('%s', async (row) => {
    if (!executor) throw new Error('the executor is not open');
    const results = await validate({
      queries: whole.includes(adapter.name) ? [row] : quickQueries(row),
      seed,
      executors: [executor],
      ...(adapter.adapter === undefined ? {} : { reproduceWith: `--adapter ${adapter.adapter}` }),
    });
    const bad = results.filter(({ status }) => status !== 'pass');
    expect(bad.map(({ id, status, first, message }) => ({ id, status, first, message })).slice(0, 3)).toEqual([]);
    expect(exitCodeOf(results)).toBe(0);
  });
});
