// Runs suites on every adapter: each lane that PTX defines must equal the reference. A short run
// has a budget for each adapter, and the run's seed selects suites of every row; the command that
// reproduces a failure contains the seed. A long run executes all suites on one adapter of each
// subgroup size. On a second adapter of the same size, it executes only the suites that compile
// quickly.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelExecutor } from '../../src/harness/executors/executor.ts';
import { exitCodeOf } from '../../src/harness/runs/results.ts';
import { validate } from '../../src/harness/runs/validate.ts';
import { suiteGroups } from '../../src/harness/suites/index.ts';
import { warpRows } from '../../src/isa/index.ts';
import { isLong, selection } from '../effort.ts';
import { seed } from '../seed.ts';
import { adapters } from './adapters.ts';

/** The adapters on which a long run executes all suites. */
const whole = ['chrome', 'dawn on lavapipe8', 'dawn on lavapipe16'];
const quickForms = ['register', 'groups', 'exited', 'leaving', 'arms', 'outside', 'fragment', 'block-2d'];
/** The number of suites for an adapter in a short run. */
const most = 20;

const rowOf = (id: string): string => id.split(':')[0] ?? '';
const isOfMatrices = (id: string): boolean => /^(w?mma|wgmma|..matrix|movmatrix)\b/.test(id);
const isAsync = (id: string): boolean =>
  /^(cp\.|tensormap\.|st\.async|red\.async|mbarrier\.|barrier\.cluster)/.test(id);
const isLookup = (id: string): boolean => /^(tex|tld4)\b/.test(id);
/**
 * The kind of a suite. A short run selects suites of each kind.
 * - Per-lane instructions are two kinds, because lane-rows.test.ts tests them by row.
 * - Matrix instructions, whose shaders are long, are one kind. The lockstep tests run all of them.
 * - Asynchronous instructions are one kind.
 * - Texture lookups are one kind on adapters that compile slowly. Lavapipe tests them row by row.
 */
const kindOf = (id: string, compilesSlowly: boolean): string => {
  if (compilesSlowly && isLookup(id)) return 'texture lookups';
  if (id.endsWith(':lane')) return `lane ${/f64/.test(id)}`;
  if (isAsync(id)) return 'asynchronous';
  return isOfMatrices(id) ? 'matrices' : rowOf(id);
};
const names = suiteGroups()
  .flatMap(({ suites }) => suites.map(({ id }) => id))
  .filter((id) => isLong || !isOfMatrices(id) || !/f64|wmma|n\d{3}k/.test(id));
const rows = [...new Set(names.map(rowOf))];
const quick = names.filter((id) => quickForms.some((form) => id.endsWith(`:${form}`)));

const present = adapters.filter((adapter) => adapter.present);

describe.each(adapters.map((adapter) => [adapter.name, adapter] as const))(`%s, seed ${seed}`, (_, adapter) => {
  let executor: KernelExecutor | undefined;
  beforeAll(async () => {
    if (adapter.present) executor = await adapter.open();
  });
  afterAll(() => executor?.close());

  const compilesSlowly = !adapter.name.includes('lavapipe');
  const choice = whole.includes(adapter.name) ? names : quick;
  const own = selection(choice, most, (id) => kindOf(id, compilesSlowly), seed % 1009).filter(
    // In a short run, the adapters share the rows: each adapter runs about a third of the rows.
    (id) => isLong || present.length < 3 || (rows.indexOf(rowOf(id)) + present.indexOf(adapter) + seed) % 3 === 0,
  );
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

it('every row has suites, and some that compile quickly', () => {
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
