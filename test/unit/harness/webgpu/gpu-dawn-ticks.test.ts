// The rate at which Dawn's binding polls with `setImmediate`.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { throttleTicks, tickEagerly } from '../../../../src/harness/webgpu/dawn/dawn-ticks.ts';

const immediately = globalThis.setImmediate;
beforeEach(throttleTicks);
afterEach(() => {
  tickEagerly(0);
  Object.assign(globalThis, { setImmediate: immediately });
});

/** Polls in the same way as Dawn's binding. Returns the number of rounds in `ms` milliseconds. */
async function rounds(ms: number): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  while (performance.now() < end) {
    count++;
    await new Promise<void>((resolve) => void globalThis.setImmediate(() => resolve()));
  }
  return count;
}

// The options for tests that are retried, because a machine under load sometimes does not schedule
// this process for 40 ms.
const busy = { retry: 50 };

test('once a millisecond', busy, async () => {
  const count = await rounds(40);
  expect(count).toBeGreaterThan(1);
  expect(count).toBeLessThanOrEqual(41);
});

test('without a pause on request', busy, async () => {
  tickEagerly(40);
  expect(await rounds(40)).toBeGreaterThan(200);
  expect(await rounds(40)).toBeLessThanOrEqual(41);
});
