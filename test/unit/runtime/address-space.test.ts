// Address ranges of the heap: they never overlap, neighbors merge, and no range is lost.
import { expect, test } from 'vitest';
import { AddressSpace } from '../../../src/runtime/memory/address-space.ts';

test('3,000 ranges are allocated and freed in random order', () => {
  const [start, end, align] = [256, 1 << 20, 256];
  const space = new AddressSpace(start, end, align);
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  const live: { at: number; bytes: number }[] = [];
  let refused = 0;
  for (let round = 0; round < 3_000; round++) {
    if (live.length > 0 && random(100) < 35) {
      const [gone] = live.splice(random(live.length), 1);
      if (gone) space.release(gone.at, gone.bytes);
      continue;
    }
    const bytes = random(4000);
    const at = space.reserve(bytes);
    if (at === undefined) {
      refused += 1;
      expect(space.room.largest).toBeLessThan(Math.max(bytes, 1));
      continue;
    }
    expect(at % align).toBe(0);
    const last = at + Math.max(bytes, 1);
    expect(at >= start && last <= end && last <= space.top).toBe(true);
    expect(live.some((other) => at < other.at + Math.max(other.bytes, 1) && other.at < last)).toBe(false);
    live.push({ at, bytes });
  }
  expect(refused).toBeGreaterThan(0);
  for (const { at, bytes } of live) space.release(at, bytes);
  expect(space.room).toEqual({ bytes: end - start, largest: end - start });
  expect(space.top).toBe(start);
});
