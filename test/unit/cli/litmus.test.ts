// `lanewise litmus`, on the reference.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lanewiseWith } from '../../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'litmus-'));
afterEach(() => rmSync(folder, { recursive: true }));

const store = (name: string) => `test ${name}
.global .u32 x;
thread a, block 0
  st.global.u32 [x], 1;
forbidden [x] == 0
`;

test('--out has a complete report after each test', async () => {
  const file = join(folder, 'two.litmus');
  const report = join(folder, 'report.json');
  writeFileSync(file, store('first') + store('second'));
  const idsNow = (): string[] =>
    existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).results.map(({ id }: { id: string }) => id) : [];
  // The command prints the outcomes of a test before it adds them to the report.
  const seen: string[][] = [];
  const argv = ['litmus', file, '--on', 'cpu', '--launches', '1', '--out', report];
  const { code, err } = await lanewiseWith(() => seen.push(idsNow()), ...argv);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^seed \d+\n/) });
  expect([...seen, idsNow()]).toEqual([[], ['litmus:first'], ['litmus:first', 'litmus:second']]);
});
