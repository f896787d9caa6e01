// The pages of a validation and a merge with a planted mismatch: complete lane by lane, and without
// external resources.
import { describe, expect, it } from 'vitest';
import { type CaseLanes, keptCases, laneTable } from '../../../../src/harness/compare/lane-table.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { githubAnnotations } from '../../../../src/harness/report/github.ts';
import { htmlDocument } from '../../../../src/harness/report/html.ts';
import { jsonDocument } from '../../../../src/harness/report/json.ts';
import { junitDocument } from '../../../../src/harness/report/junit.ts';
import { mergeHtmlDocument } from '../../../../src/harness/report/merge-html.ts';
import { machinesOf, withUniqueNames } from '../../../../src/harness/runs/merge-results.ts';
import { type ValidateResult, validate } from '../../../../src/harness/runs/validate.ts';

const seed = 20_251_120;
const tool = { name: 'lanewise', version: '0.0.0', node: '20', platform: 'linux-x64' };
const command = 'npx lanewise validate';

/** Returns the interpreter with `change` applied to the words of its only output buffer. */
function spoiled(change: (words: Uint32Array) => void): KernelExecutor {
  const cpu = cpuExecutor();
  return {
    ...cpu,
    async run(launch) {
      const result = await cpu.run(launch);
      const [param, bytes] = [...result.outputs].at(-1) ?? [0, new Uint8Array()];
      const words = new Uint32Array(bytes.slice().buffer);
      change(words);
      return { ...result, outputs: new Map([...result.outputs, [param, new Uint8Array(words.buffer)]]) };
    },
  };
}

const flip = (index: number) => (words: Uint32Array) => {
  words[index] = ((words[index] ?? 0) ^ 0x80) >>> 0;
};

async function resultOf(query: string, change: (words: Uint32Array) => void): Promise<ValidateResult> {
  const [result] = await validate({ queries: [query], seed, executors: [spoiled(change)] });
  if (!result) throw new Error(`no result of ${query}`);
  return result;
}

async function failingCase(query: string, change: (words: Uint32Array) => void): Promise<CaseLanes> {
  const [failing] = (await resultOf(query, change)).lanes ?? [];
  if (!failing) throw new Error(`${query} did not fail`);
  return failing;
}

const jsonOf = (results: readonly ValidateResult[]): unknown => {
  const run = { command: 'validate', query: [], seed, started: '2025-11-20T00:00:00Z', ms: 1 } as const;
  return JSON.parse(JSON.stringify(jsonDocument(tool, run, results)));
};

/** Returns the cells of the lane table's row for `lane`. */
function rowIn(page: string, lane: number): string[] {
  const [row = ''] = new RegExp(`<tr[^>]*><th scope="row">${lane}</th>.*</tr>`).exec(page) ?? [];
  return [...row.matchAll(/<t[hd][^>]*>([^<]*)/g)].map(([, text = '']) => text);
}

describe('the lanes of a failing case', () => {
  // Thread 200 is lane 8 of warp 6. A record is (d, p), so word 400 is that thread's d.
  const query = 'shfl.sync:up:register';

  it('are the 32 of the warp, in all its results, with the operands of each', async () => {
    const { first, lanes } = await resultOf(query, flip(400));
    expect(lanes).toHaveLength(1);
    const [failing] = lanes ?? [];
    expect(failing).toMatchObject({ case: `${query}#6`, instruction: first?.instruction, block: 3, warp: 0 });
    expect(failing?.lanes.map(({ lane }) => lane)).toEqual(Array.from({ length: 32 }, (_, lane) => lane));
    const verdicts = failing?.lanes.map(({ results }) => `${results.d?.verdict} ${results.p?.verdict}`);
    expect(verdicts).toEqual(Array.from({ length: 32 }, (_, lane) => `${lane === 8 ? 'differs' : 'agrees'} agrees`));
    const wrong = failing?.lanes[8];
    expect(wrong).toMatchObject({ role: 'executes', member: true });
    expect(wrong?.results.d).toEqual({ expected: first?.expected, got: first?.got, verdict: 'differs' });
    // The operands of the first mismatch, except the masks of the whole warp.
    expect(first?.operands).toMatchObject(wrong?.operands ?? {});
    expect(Object.keys(wrong?.operands ?? {})).toEqual(['a', 'b', 'c', 'membermask']);
  });

  it('are kept for the first cases only', async () => {
    const { lanes } = await resultOf(query, (words) => words.set(words.map((word) => word ^ 1)));
    expect(lanes?.map((failing) => failing.case)).toEqual([`${query}#0`, `${query}#1`]);
    expect(keptCases).toBe(2);
  });

  it('are absent if all agree', async () => {
    expect((await resultOf(query, () => {})).lanes).toBeUndefined();
  });

  it('show exited lanes, undefined results, and lanes that the block lacks', async () => {
    const { lanes } = await failingCase('shfl.sync:bfly:exited', (words) =>
      words.set(words.map((word) => (word === 0xa5a5a5a5 ? word : word ^ 2))),
    );
    const exited = lanes.filter(({ role }) => role === 'exited');
    expect(exited.length).toBeGreaterThan(0);
    for (const { results } of exited) {
      expect(results.d).toEqual({ expected: 'nothing written', got: 'nothing written', verdict: 'agrees' });
    }
    // A butterfly reads from lanes that have exited.
    const unknown = lanes.filter(({ results }) => results.d?.verdict === 'undefined');
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.every(({ role, results }) => role === 'executes' && results.d?.expected === 'undefined')).toBe(true);
    // A block of 45 threads: its second warp has 13 lanes.
    const short = await failingCase('bar.warp.sync:partial-warp', flip(40));
    expect(short.lanes.map(({ role }) => role)).toEqual([
      ...Array<string>(13).fill('executes'),
      ...Array<string>(19).fill('absent'),
    ]);
    expect(short.lanes[8]?.results.d?.verdict).toBe('differs');
  });

  it.each(['special:laneid:block-2d', 'example:ptx-scan', 'shfl.sync:idx:sweep'])('exist for %s', async (id) => {
    const { lanes } = await failingCase(id, flip(0));
    expect(lanes[0]).toMatchObject({ lane: 0, role: 'executes' });
    expect(Object.values(lanes[0]?.results ?? {}).map(({ verdict }) => verdict)).toContain('differs');
  });

  it('become columns', async () => {
    const { caption, columns, rows } = laneTable([{ on: '', failing: await failingCase(query, flip(400)) }]);
    expect(caption).toMatch(/^shfl\.sync:up:register#6, block 3, warp 0: 1 of \d+ lane results differ$/);
    const results = ['d expected', 'd got', 'd agrees', 'p expected', 'p got', 'p agrees'];
    expect(columns).toEqual(['lane', 'active', 'in membermask', 'a', 'b', 'c', 'membermask', ...results]);
    expect(rows.every(({ cells }) => cells.length === columns.length)).toBe(true);
    expect(rows.flatMap(({ differs }, lane) => (differs ? [lane] : []))).toEqual([8]);
  });
});

describe('the page', () => {
  const query = 'shfl.sync:up:register';

  it('has the matrix, linked to the table of the failing lanes, and is self-contained', async () => {
    const result = await resultOf(query, flip(400));
    const page = htmlDocument(tool, command, [result, { ...result, id: 'shfl.sync:up:guard', status: 'pass' }]);
    const [, link = ''] = /<td class="fail"[^>]*><a href="#([^"]*)">✗<\/a>/.exec(page) ?? [];
    expect(page).toContain(`<h3 id="${link}">✗ ${query} on cpu: fail</h3>`);
    expect(page).toContain('<th scope="row">shfl.sync up</th>');
    const { expected, got } = result.first ?? {};
    const row = rowIn(page, 8);
    expect(row.slice(0, 3)).toEqual(['8', 'yes', 'yes']);
    expect(row.slice(7, 10)).toEqual([expected, got, '✗ differs']);
    expect(rowIn(page, 9)[9]).toBe('✓ agrees');
    expect(page.match(/<th(?! scope=)[ >]/g)).toBeNull();
    expect(page).not.toMatch(/<(script|link|img|iframe)|https?:|url\(|@import/);
    const unbalanced = ['table', 'tbody', 'thead', 'tr', 'div', 'details'].filter(
      (tag) => page.split(new RegExp(`<${tag}[ >]`)).length !== page.split(`</${tag}>`).length,
    );
    expect(unbalanced).toEqual([]);
  });

  it('of several machines has the lanes of both, from their documents', async () => {
    const documents = await Promise.all([flip(400), flip(402)].map((change) => resultOf(query, change)));
    const good = await resultOf(query, () => {});
    const machines = withUniqueNames([...documents, good].flatMap((result) => machinesOf('x.json', jsonOf([result]))));
    expect(machines[0]?.results.get(query)?.[0]?.lanes).toEqual(documents[0]?.lanes);
    const page = mergeHtmlDocument(command, machines);
    const tables = page.split('<table class="lanes">').slice(1);
    // The case is the same, so one table shows the results of both documents.
    expect(tables).toHaveLength(1);
    const [table = ''] = tables;
    expect(table).toContain('<th scope="col">d got, cpu (1)</th><th scope="col">d agrees, cpu (1)</th>');
    const [, , , , , , , expected, ...eight] = rowIn(table, 8);
    expect(eight.slice(0, 4)).toEqual([documents[0]?.first?.got, '✗ differs', expected, '✓ agrees']);
    expect(rowIn(table, 9)[9]).toBe('✓ agrees');
    expect(rowIn(table, 9)[11]).toBe('✗ differs');
    expect(rowIn(table, 10)[11]).toBe('✓ agrees');
    expect(page).toContain('aria-label="Instructions by form on cpu (3)"');
    expect(page).not.toMatch(/<(script|link|img|iframe)|https?:|url\(|@import/);
  });

  it('of machines with different seeds has a table for each', async () => {
    const [other] = await validate({ queries: [query], seed: 1, executors: [spoiled(flip(400))] });
    const results = [await resultOf(query, flip(400)), ...(other ? [other] : [])];
    const machines = withUniqueNames(results.flatMap((result) => machinesOf('x.json', jsonOf([result]))));
    expect(mergeHtmlDocument(command, machines).match(/<table class="lanes">/g)).toHaveLength(2);
  });

  it('of documents with invalid or missing lanes omits them', async () => {
    const result = await resultOf(query, flip(400));
    for (const lanes of ['x', [3], [{ case: 'x' }], [{ case: 'x', lanes: [{ lane: '<b>', role: 'none' }] }]]) {
      const machines = machinesOf('x.json', { schemaVersion: 1, results: [{ ...result, executor: 'cpu', lanes }] });
      expect(mergeHtmlDocument(command, machines)).not.toContain('<b>');
    }
  });

  it('does not change the other reports: they have the first mismatch in words', async () => {
    const result = await resultOf(query, flip(400));
    const bare = { ...result, lanes: [] };
    expect(junitDocument([result])).toBe(junitDocument([bare]));
    expect(githubAnnotations([result])).toEqual(githubAnnotations([bare]));
    expect(jsonOf([result])).toMatchObject({ schemaVersion: 1, results: [{ id: query, lanes: [{ warp: 0 }] }] });
  });
});
