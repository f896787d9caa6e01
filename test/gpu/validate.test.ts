// Suites on every adapter: each lane that PTX defines is as the reference has it. A short run has a budget for each adapter, with suites of every row, other
// ones with another seed; a long run has all suites on one adapter of each subgroup size, and on a second one of the same size what compiles quickly.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import { exitCodeOf } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { suiteGroups } from '../../src/harness/suites/index.ts';
import { warpRows } from '../../src/isa/index.ts';
import { isLong, selection } from '../effort.ts';
import { seed } from '../seed.ts';
import { adapters } from './adapters.ts';

/** A fresh one each run; a failure's reproducing command names it. */

const whole = ['chrome', 'dawn on lavapipe8', 'dawn on lavapipe16'];
const quickForms = ['register', 'groups', 'exited', 'leaving', 'arms', 'outside', 'fragment', 'block-2d'];
/** Suites of an adapter in a short run. */
const most = 20;

const rowOf = (id: string): string => id.split(':')[0] ?? '';
/**
 * Instructions of one lane, which lane-rows.test.ts has by row, are two kinds.
 * Those of matrices, whose shaders are long, are one, and lockstep has all of them; f64 and wmma are left to long runs.
 */
const isOfMatrices = (id: string): boolean => /^(w?mma|..matrix|movmatrix)\b/.test(id);
/** Asynchronous ones are one, too. */
const isAsync = (id: string): boolean => /^(cp\.|st\.async|red\.async|mbarrier\.|barrier\.cluster)/.test(id);
/** So are lookups in textures where shaders compile slowly: lavapipe has them row by row. */
const isLookup = (id: string): boolean => /^(tex|tld4)\b/.test(id);
const kindOf = (id: string, compilesSlowly: boolean): string => {
  if (compilesSlowly && isLookup(id)) return 'lookups in textures';
  if (id.endsWith(':lane')) return `lane ${/f64/.test(id)}`;
  if (isAsync(id)) return 'asynchronous';
  return isOfMatrices(id) ? 'matrices' : rowOf(id);
};
const names = suiteGroups()
  .flatMap(({ suites }) => suites.map(({ id }) => id))
  .filter((id) => isLong || !isOfMatrices(id) || !/f64|wmma/.test(id));
const quick = names.filter((id) => quickForms.some((form) => id.endsWith(`:${form}`)));

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(`%s, seed ${seed}`, (_, adapter) => {
  let executor: KernelExecutor | undefined;
  beforeAll(async () => {
    if (adapter.present) executor = await adapter.open();
  });
  afterAll(() => executor?.close());

  const compilesSlowly = !adapter.name.includes('lavapipe');
  const choice = whole.includes(adapter.name) ? names : quick;
  const own = selection(choice, most, (id) => kindOf(id, compilesSlowly), seed % 1009);
  it.skipIf(!adapter.present).each([...new Set(own.map(rowOf))])('%s', async (row) => {
    if (!executor) throw new Error('the executor is not open');
    const results = await validate({
      queries: own.filter((id) => rowOf(id) === row),
      seed,
      executors: [executor],
      ...(adapter.adapter === undefined ? {} : { reproduceWith: `--adapter ${adapter.adapter}` }),
    });
    const bad = results.filter(({ status }) => status !== 'pass');
    expect(bad.map(({ id, status, first, message }) => ({ id, status, first, message })).slice(0, 3)).toEqual([]);
    expect(exitCodeOf(results)).toBe(0);
  });
});

it('every row has suites, and those that compile quickly', () => {
  for (const { name } of warpRows) {
    expect(
      names.some((id) => rowOf(id) === name),
      name,
    ).toBe(true);
    expect(
      quick.some((id) => rowOf(id) === name),
      name,
    ).toBe(true);
  }
});
