// The size of `lanewise/runtime` in a page stays within limits. docs/design/runtime.md shows the
// size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runtimeSize } from '../../../scripts/runtime-size.mjs';

/** Limits in bytes. */
const limits = {
  runtime: 45_000,
  compiler: 190_000,
  helpers: 26_000,
  collectives: 40_000,
  atomics: 5_000,
  variables: 4_000,
  workarounds: 4_000,
  guards: 10_000,
  async: 7_000,
  matrices: 29_000,
  doubles: 7_000,
  lanes: 9_000,
  check: 8_000,
  capture: 8_000,
  sanitizer: 60_000,
};

test('no part of the runtime exceeds its limit', { timeout: 120_000 }, async () => {
  const { parts } = await runtimeSize();
  expect(Object.keys(parts)).toEqual(Object.keys(limits));
  for (const [name, most] of Object.entries(limits))
    expect(parts[name as keyof typeof limits], name).toBeLessThan(most);
  const page = readFileSync(join(import.meta.dirname, '../../../docs/design/runtime.md'), 'utf8');
  for (const [name, bytes] of Object.entries(parts)) {
    const shown = new RegExp(`^\\| ${name} \\| ([\\d.]+) kB \\|`, 'm').exec(page)?.[1];
    expect(Math.abs(Number(shown) * 1000 - bytes), `the size of ${name} in the table`).toBeLessThan(0.1 * bytes + 1000);
  }
});
