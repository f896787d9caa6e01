// The size of `lanewise/runtime` in a page stays within limits. docs/design/runtime.md shows the
// size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runtimeSize } from '../../../scripts/runtime-size.mjs';

/** The maximum for a page that runs an f32 kernel: the runtime and the compiler, in bytes. */
const maxPage = 203_500;

/** The sizes in the table may differ from the measured ones by this many bytes. */
const tolerance = 1_000;

test('the sizes of the runtime are within their limits, and correct in the documentation', {
  timeout: 120_000,
}, async () => {
  const sizes = await runtimeSize();
  const { runtime = 0, compiler = 0 } = sizes;
  expect(runtime).toBeGreaterThan(0);
  expect(compiler).toBeGreaterThan(0);
  expect(runtime + compiler).toBeLessThan(maxPage);
  const page = readFileSync(join(import.meta.dirname, '../../../docs/design/runtime.md'), 'utf8');
  const shown = new Map(
    [...page.matchAll(/^\| (\w+) \| ([\d.]+) kB \| .+ \|$/gm)].map(([, part, kb]) => [part, 1000 * Number(kb)]),
  );
  expect([...shown.keys()]).toEqual(Object.keys(sizes));
  const wrong = Object.entries(sizes).filter(
    ([part, bytes]) => !(Math.abs((shown.get(part) ?? 0) - bytes) <= tolerance),
  );
  expect(wrong).toEqual([]);
});
