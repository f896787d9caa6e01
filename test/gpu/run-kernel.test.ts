// `run` and `bench` of kernels without a case file, on an adapter of this machine: from a file and
// arguments to a compared result.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanewise } from '../command-line.ts';
import { samples } from '../cuda/kernels.ts';
import { drawn } from '../effort.ts';
import { adapters } from './adapters.ts';

// The tests prefer Dawn, because each command opens the adapter, and Dawn opens faster than a
// browser.
const present = adapters.filter(({ present }) => present);
const found = present.find(({ on }) => on === 'dawn') ?? present[0];
const on =
  found === undefined ? [] : ['--on', found.on, ...(found.adapter === undefined ? [] : ['--adapter', found.adapter])];
const file = (name: string): string => new URL(`../cuda/samples/${name}.ptx`, import.meta.url).pathname;

describe.skipIf(found === undefined)(`kernels from files, on ${found?.name}`, () => {
  // The commands measure the adapter once.
  const cache = mkdtempSync(join(tmpdir(), 'lanewise-cache-'));
  const before = process.env.LANEWISE_CACHE;
  beforeAll(() => {
    process.env.LANEWISE_CACHE = cache;
  });
  afterAll(() => {
    rmSync(cache, { recursive: true, force: true });
    if (before === undefined) delete process.env.LANEWISE_CACHE;
    else process.env.LANEWISE_CACHE = before;
  });

  it.each(drawn(samples, 1))(
    '$name agrees with the reference',
    { timeout: 300_000 },
    async ({ name, args, output }) => {
      const { code, out } = await lanewise('run', file(name), ...args, ...on, '--timeout', '200');
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(/^✓ agrees with the reference on \w+: .* [\d,]+ elements written/m),
      ]);
      expect(out).toMatch(new RegExp(`^${output}: \\w+\\[\\d+\\], [\\d,]+ written$`, 'm'));
    },
  );

  it('the verdict is neutral if the kernel wrote nothing', { timeout: 300_000 }, async () => {
    const args = '0 2.0 [32]=iota [32] --block 32'.split(' ');
    const { code, out } = await lanewise('run', file('saxpy'), ...args, ...on);
    expect(code).toBe(0);
    expect(out).toMatch(/^– ran on \w+: .*, but no buffer changed, so nothing was checked$/m);
    expect(out).not.toContain('agrees');
  });

  it('bench measures a launch', { timeout: 300_000 }, async () => {
    const args = '--grid 4 --block 256 1024 2.0 [1024]=iota [1024]=ones --float exact --counters --json'.split(' ');
    const { code, out } = await lanewise('bench', file('saxpy'), ...args, ...on);
    expect(code).toBe(0);
    const { kernel, results, counters } = JSON.parse(out);
    expect(counters).toMatchObject({ globalRequests: 96, globalSectors: 384 });
    expect(kernel).toMatchObject({ name: 'saxpy(int, float, float const*, float*)', bytes: 3 * 4096 });
    expect(results).toMatchObject([{ status: 'measured', compared: 1024, unit: 'bytes' }]);
    expect(results[0].msPerLaunch).toBeGreaterThan(0);
  });

  it('bench measures the launch of a case', { timeout: 300_000 }, async () => {
    const path = new URL('../../docs/examples/saxpy.json', import.meta.url).pathname;
    const { code, out } = await lanewise('bench', path, '--float', 'exact', '--json', ...on);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kernel: { bytes: 48 }, results: [{ status: 'measured' }] });
    expect(await lanewise('bench', path, '1024', ...on)).toMatchObject({ code: 2 });
  });
});
