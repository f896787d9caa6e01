// Commands of the CLI on a stub of the CUDA driver.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanewise } from '../../../command-line.ts';
import { buildStub, launchOf, missing } from './cuda-stub.ts';

describe.skipIf(missing !== undefined)(`commands on a stub driver${missing ? ` (${missing})` : ''}`, () => {
  const home = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-golden-'));

  beforeAll(() => {
    process.env.LANEWISE_LIBCUDA = buildStub();
    process.chdir(folder);
  });

  afterAll(() => {
    process.chdir(home);
    delete process.env.LANEWISE_LIBCUDA;
    rmSync(folder, { recursive: true, force: true });
  });

  const writeCase = (entry: string): string => {
    writeFileSync(`${entry}.ptx`, launchOf(entry, ['.u64 $'], []).ptx);
    const head = `{"id":"${entry}","note":"stays","ptx":"${entry}.ptx","entry":"${entry}","grid":[1,1,1],"block":[32,1,1]`;
    writeFileSync(`${entry}.json`, `${head},"params":[\n{"name":"out","kind":"buffer","type":"u32","bytes":4}]}\n`);
    return `${entry}.json`;
  };

  it('golden writes the results of the GPU, and the same ones again', async () => {
    const path = writeCase('add_one');
    const { code, out, err } = await lanewise('golden', path);
    expect([code, out]).toEqual([0, `✓ ${path}\n`]);
    expect(err).toContain('Stub GPU');
    const written = readFileSync(path, 'utf8');
    expect(JSON.parse(written)).toMatchObject({
      note: 'stays',
      params: [{ name: 'out', bytes: 4, expect: 'AQAAAA==' }],
      golden: { gpu: 'Stub GPU' },
    });
    await lanewise('golden', path);
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  it('golden does not change a case whose kernel writes nothing', async () => {
    const path = writeCase('write_nothing');
    const before = readFileSync(path, 'utf8');
    const { code, err } = await lanewise('golden', path);
    expect(code).toBe(1);
    expect(err).toContain('changed no buffer');
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('validate lists skipped suites, and fails if it skipped all', async () => {
    const { code, out } = await lanewise('validate', 'elect.sync:outside', '--on', 'cuda');
    expect(code).toBe(1);
    expect(out).toContain('– elect.sync');
    expect(out).toContain('– 1 suite skipped: lanes execute without their own bit in membermask');
    expect(out).toContain('Nothing was checked');
  });
});
