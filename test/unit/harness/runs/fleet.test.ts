// A fleet: its file, the assignment of pieces, and the stored results.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { benchPieces } from '../../../../src/harness/fleet/bench-pieces.ts';
import { CampaignFile, seedOfCampaign } from '../../../../src/harness/fleet/campaign-file.ts';
import { parseFleet } from '../../../../src/harness/fleet/fleet-file.ts';
import { validatePieces } from '../../../../src/harness/fleet/pieces.ts';
import { type FleetOptions, type Piece, runFleet } from '../../../../src/harness/fleet/run-fleet.ts';
import { junitOfMachines } from '../../../../src/harness/report/junit.ts';
import { machinesOf } from '../../../../src/harness/runs/merge-results.ts';
import { meanSpeeds, speedRows } from '../../../../src/harness/runs/side-by-side.ts';
import { planLaunches } from '../../../../src/harness/suites/index.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';
import { entryOf, machineOf } from '../bench/bench-machines.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-fleet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('fleet.json', () => {
  const machine = { name: 'a', capabilities: { browserName: 'firefox' } };

  it('reads the grid and this machine’s address from the file or the machine', () => {
    const text = JSON.stringify({
      grid: 'http://grid:4444',
      serve: '10.0.0.1:8100',
      machines: [machine, { name: 'b', grid: 'http://other:9515', serve: '10.0.0.1:8200', sessions: 3 }],
    });
    expect(parseFleet('fleet.json', text)).toEqual([
      {
        name: 'a',
        sessions: 1,
        target: {
          url: 'http://grid:4444',
          capabilities: { browserName: 'firefox' },
          serve: { host: '10.0.0.1', port: 8100 },
        },
      },
      {
        name: 'b',
        sessions: 3,
        target: {
          url: 'http://other:9515',
          capabilities: { browserName: 'chrome' },
          serve: { host: '10.0.0.1', port: 8200 },
        },
      },
    ]);
  });

  const grid = 'http://grid:4444';
  it.each([
    ['', 'is not valid JSON'],
    ['[]', 'must be an object'],
    [{ grid, machines: [] }, 'machines must be a list of machines'],
    [{ grid, machines: [machine], machine: 1 }, 'machine is unknown'],
    [{ grid, machines: [{ ...machine, session: 2 }] }, 'machines[0].session is unknown: expected one of name, grid'],
    [{ grid, machines: [machine, machine] }, "machines[1].name must be unique, but 'a' appears twice"],
    [{ grid, machines: [{ ...machine, name: '<b>' }] }, 'machines[0].name must be'],
    [{ grid, machines: [{ ...machine, sessions: 0 }] }, 'machines[0].sessions must be an integer from 1'],
    [{ grid, machines: [{ ...machine, capabilities: [] }] }, 'machines[0].capabilities must be an object'],
    [{ machines: [machine] }, 'machines[0].grid is missing'],
    [{ grid: 'grid', machines: [machine] }, "machines[0]: invalid address 'grid'"],
    [
      { grid, serve: 'a b', machines: [machine] },
      "machines[0]: invalid address 'a b': expected an address of this machine",
    ],
  ])('%j: %s', (document, message) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    expect(() => parseFleet('fleet.json', text)).toThrow(`fleet.json: ${message}`);
  });
});

describe('the work', () => {
  /** An executor that has only a name. */
  const executor = (closed: () => void): KernelExecutor => ({
    name: 'webdriver',
    describe: () => ({ name: 'webdriver' }),
    run: () => Promise.reject(new Error('it runs nothing')),
    close: async () => closed(),
  });

  interface Session {
    readonly machine: string;
    readonly number: number;
  }

  /**
   * Runs pieces 0 to `count` - 1. `work` returns the outcome of a piece in a session: 'broken' if
   * the session did not finish it.
   */
  async function fleet(
    count: number,
    work: (session: Session, piece: number) => Promise<string> | string,
    more: Partial<FleetOptions<string>> & {
      readonly sessions?: number;
      readonly refuse?: (opened: number) => boolean;
    } = {},
  ) {
    const { sessions = 2, refuse, ...options } = more;
    const sessionOf = new Map<KernelExecutor, Session>();
    const done: string[] = [];
    const trouble: string[] = [];
    let opened = 0;
    let closed = 0;
    const machine = (name: string) => ({
      name,
      sessions,
      async open() {
        const number = opened++;
        if (refuse?.(number)) throw new Error('no place');
        const made = executor(() => closed++);
        sessionOf.set(made, { machine: name, number });
        return made;
      },
    });
    const pieces: Piece<string>[] = Array.from({ length: count }, (_, index) => ({
      id: String(index),
      async run(given) {
        const session = sessionOf.get(given);
        if (!session) throw new Error('the session is unknown');
        return await work(session, index);
      },
      brokenBy: (outcome) => (outcome === 'broken' ? 'it is lost' : undefined),
    }));
    const ends = await runFleet({
      machines: [machine('a'), machine('b')],
      pieces,
      isDone: () => false,
      waitMs: 60_000,
      retryMs: 10,
      onPiece: (name, id, outcome) => done.push(`${name} ${id} ${outcome}`),
      onTrouble: (name, message) => trouble.push(`${name} ${message}`),
      ...options,
    });
    const refused = refuse ? [...Array(opened).keys()].filter(refuse).length : 0;
    expect(closed, 'every opened session is closed').toBe(opened - refused);
    return { done: done.sort(), trouble, ends, opened };
  }

  const all = (count: number): string[] =>
    ['a', 'b'].flatMap((name) => Array.from({ length: count }, (_, index) => `${name} ${index} ok`)).sort();

  it('every machine finishes each piece once', async () => {
    const { done, ends, opened } = await fleet(9, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 'ok';
    });
    expect(done).toEqual(all(9));
    expect(ends.every(({ left }) => left.length === 0)).toBe(true);
    expect(opened).toBe(4);
  });

  it('moves a piece to another session when one is lost', async () => {
    let lost = false;
    const { done, trouble, opened } = await fleet(5, ({ machine }, piece) => {
      if (machine !== 'b' || piece !== 3 || lost) return 'ok';
      lost = true;
      return 'broken';
    });
    expect(done).toEqual(all(5));
    expect(trouble).toEqual(['b 3 moves to another session: it is lost']);
    expect(opened).toBeGreaterThanOrEqual(3);
  });

  it('a piece fails if a second session does not finish it', async () => {
    const { done, ends } = await fleet(4, (_, piece) => (piece === 2 ? 'broken' : 'ok'));
    expect(done.filter((line) => line.endsWith('broken'))).toEqual(['a 2 broken', 'b 2 broken']);
    expect(done).toHaveLength(8);
    expect(ends.every(({ left }) => left.length === 0)).toBe(true);
  });

  it('a session that opens late works too', async () => {
    const { done, trouble } = await fleet(3, () => 'ok', { sessions: 1, refuse: (opened) => opened < 6 });
    expect(done).toEqual(all(3));
    expect(trouble).toHaveLength(6);
  });

  it('a machine on which no session opens is named', async () => {
    const { done, ends } = await fleet(3, () => 'ok', { sessions: 1, refuse: () => true, waitMs: 50 });
    expect(done).toEqual([]);
    expect(ends).toEqual(['a', 'b'].map((machine) => ({ machine, left: ['0', '1', '2'], reason: 'no place' })));
  });

  it('pieces finished before are skipped', async () => {
    const { done } = await fleet(4, () => 'ok', { isDone: (machine, piece) => machine === 'a' && piece !== '1' });
    expect(done).toEqual(['a 1 ok', ...all(4).filter((line) => line.startsWith('b'))]);
  });
});

describe('a campaign’s file', () => {
  const header = { command: 'validate', seed: 1 };

  it('returns the finished pieces, without an incomplete line', () => {
    const path = join(folder, 'campaign.jsonl');
    const first = new CampaignFile(path, header);
    first.add('a', '0', [{ id: 'x' }, { id: 'y' }]);
    first.add('b', '1', [{ id: 'z' }]);
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"machine":"a","piece":"1","res`);
    const again = new CampaignFile(path, header);
    expect(['0', '1'].map((piece) => again.isDone('a', piece))).toEqual([true, false]);
    again.add('a', '1', [{ id: 'w' }]);
    const last = new CampaignFile(path, header);
    expect(last.resultsOf('a', ['0', '1'])).toEqual([{ id: 'x' }, { id: 'y' }, { id: 'w' }]);
    expect(last.resultsOf('b', ['0', '1'])).toEqual([{ id: 'z' }]);
  });

  it('has the seed of its work, if there is one', () => {
    const path = join(folder, 'seed.jsonl');
    expect(seedOfCampaign(undefined)).toBeUndefined();
    expect(seedOfCampaign(path)).toBeUndefined();
    new CampaignFile(path, header);
    expect(seedOfCampaign(path)).toBe(1);
    writeFileSync(path, 'text\n');
    expect(() => seedOfCampaign(path)).toThrow('is not a campaign');
  });

  it('refuses other work and other files', () => {
    const path = join(folder, 'other.jsonl');
    new CampaignFile(path, header);
    expect(() => new CampaignFile(path, { ...header, seed: 2 })).toThrow('belongs to a campaign with other work');
    writeFileSync(path, 'text\n');
    expect(() => new CampaignFile(path, header)).toThrow('is not a campaign');
  });
});

describe('pieces of a benchmark', () => {
  const entries = ['a', 'b'].map((id) => entryOf('repeat', { id }));
  const pieces = benchPieces({
    entriesOf: () => entries,
    samplingOf: () => ({ sampleMs: 10, rounds: 1, samplesPerRound: 3 }),
    float: 'exact',
    reference: undefined,
  });

  it('are the entries, and each machine measures all', async () => {
    const results: object[] = [];
    const ends = await runFleet({
      machines: [1, 4].map((ms) => ({
        name: `takes ${ms} ms`,
        sessions: 1,
        open: async () => machineOf('webdriver', ms).machine,
      })),
      pieces,
      isDone: () => false,
      waitMs: 1000,
      inTurn: true,
      onPiece: (_, __, outcome) => results.push(...outcome),
    });
    expect(ends.every(({ left }) => left.length === 0)).toBe(true);
    const machines = machinesOf('bench.json', { schemaVersion: 1, results });
    expect(machines.map(({ executor }) => executor)).toEqual(['takes 1 ms', 'takes 4 ms']);
    expect(speedRows(machines).map(({ name, values }) => [name, ...values.map((rate) => rate?.median)])).toEqual(
      ['a', 'b'].map((id) => [id, expect.closeTo(1e6, 3), expect.closeTo(0.25e6, 3)]),
    );
    expect(meanSpeeds(speedRows(machines))?.means).toEqual([1, expect.closeTo(0.25, 6)]);
  });

  it.each([
    ['lost', 'error', 'lost: it has gone'],
    ['shader', 'unsupported', undefined],
  ] as const)('%s: %s', async (kind, status, broken) => {
    const { machine } = machineOf('webdriver', 1);
    const time = () => Promise.reject(new GpuError(kind, 'it has gone'));
    const [piece] = pieces;
    const results = (await piece?.run({ ...machine, time }, 'a')) ?? [];
    expect(results).toMatchObject([{ id: 'a', executor: 'a', status }]);
    expect(piece?.brokenBy(results)).toBe(broken);
  });

  it('counts wrong results as failures', async () => {
    const { machine } = machineOf('webdriver', 1, (data) => data.fill(0xff));
    const results = (await pieces[0]?.run(machine, 'a')) ?? [];
    expect(results).toMatchObject([{ status: 'fail', mismatches: 1 }]);
    expect(machinesOf('bench.json', { schemaVersion: 1, results })[0]?.results.get('a')).toMatchObject([
      { detail: expect.stringMatching(/out/) },
    ]);
  });
});

test('pieces of a validation contain all launches, and each suite is in one piece', async () => {
  const options = { queries: ['vote.sync:any', 'activemask'], seed: 3, exhaustive: false };
  const plan = planLaunches(options);
  const seen: string[] = [];
  for (const piece of validatePieces(options)) {
    const suites = new Set<string>();
    // The executor runs nothing, so its errors show the launches.
    const results = await piece.run(
      {
        name: 'webdriver',
        describe: () => ({ name: 'webdriver' }),
        run: () => Promise.reject(new Error('it runs nothing')),
        close: async () => undefined,
      },
      'a',
    );
    for (const { id, executor } of results) {
      expect(executor).toBe('a');
      suites.add(String(id));
    }
    seen.push(...suites);
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(new Set(seen)).toEqual(new Set(plan.flatMap(({ suites }) => suites.map(({ id }) => id))));
});

test('a document of a fleet merges, and its JUnit has a suite per machine', () => {
  const result = { status: 'pass', cases: 1, compared: 32, undefined: 0, mismatches: 0, ms: 1 };
  const document = {
    schemaVersion: 1,
    results: [
      { ...result, id: 'shfl.sync:up', executor: 'a' },
      { ...result, id: 'shfl.sync:up', executor: 'b & c', status: 'error', message: 'timeout: <it> hangs' },
    ],
  };
  const machines = machinesOf('fleet.json', document);
  expect(machines.map(({ name }) => name)).toEqual(['a', 'b & c']);
  const xml = junitOfMachines(machines);
  expect(xml).toContain('<testsuite name="a" tests="1" failures="0" errors="0" skipped="0">');
  expect(xml).toContain('<testsuite name="b &amp; c" tests="1" failures="0" errors="1" skipped="0">');
  expect(xml).toContain('<error message="timeout: &lt;it&gt; hangs">');
});
