// The gallery's kernels on the reference: the sort sorts, votes end warps in time, and bodies move
// as in f64.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bodiesPlan, type GalleryPlan, mandelbrotPlan, sortPlan, twoDiscs } from '../../../demo/gallery/plans.ts';
import { galleryFiles, ReferenceHost } from '../../gpt/reference-host.ts';

const folder = new URL('../../../demo/gallery/kernels/', import.meta.url);

function run(
  { buffers, launches }: GalleryPlan,
  contents: ReadonlyMap<string, Int32Array | Float32Array>,
): ReferenceHost {
  const host = new ReferenceHost({ buffers, contents, setup: [] });
  host.run(launches, { sanitize: true });
  return host;
}

test.each(galleryFiles)('$name is compiled from its current source', ({ name, ptx }) => {
  const source = name.replace('.ptx', '.cu');
  const hash = createHash('sha256').update(readFileSync(new URL(source, folder)));
  expect(ptx.split('\n', 1)[0]).toBe(`// sha256 ${hash.digest('hex')} of ${source}`);
});

test('the radix sort sorts', () => {
  // Two blocks, of which the second is partly full, and some repeated keys. The low halves are
  // zeros, so the first 12 of 24 launches would sort only zeros, and the test omits them.
  const keys = Int32Array.from({ length: 2100 }, (_, at) => Math.imul(at % 1999, 0x9e37) << 16);
  const plan = sortPlan(keys.length);
  const host = run({ ...plan, launches: plan.launches.slice(12) }, new Map([['keys', keys]]));
  expect([...new Uint32Array(host.bytes('keys').buffer)]).toEqual([...new Uint32Array(keys.buffer).slice().sort()]);
});

test('a warp continues until its last pixel has left', () => {
  const [width, height, most] = [32, 32, 64];
  const plan = mandelbrotPlan(width, height, most, { x: -0.65, y: 0, size: 3.3 / width });
  const host = run(plan, new Map());
  const [steps, rounds] = ['steps', 'rounds'].map((name) => new Int32Array(host.bytes(name).buffer));
  for (let y = 0; y < height; y += 4) {
    for (let x = 0; x < width; x += 8) {
      const pixels = Array.from({ length: 32 }, (_, lane) => (y + (lane >> 3)) * width + x + (lane & 7));
      const left = pixels.map((pixel) => steps?.[pixel] ?? Number.NaN);
      const needed = left.includes(-1) ? most / 16 : Math.floor(Math.max(...left) / 16) + 1;
      expect(pixels.map((pixel) => rounds?.[pixel])).toEqual(pixels.map(() => needed));
    }
  }
  expect(steps?.[(height / 2) * width + width / 2]).toBe(-1);
  expect(steps?.[0]).toBe(0);
});

test('bodies move as in f64', () => {
  const count = 256;
  const { places, velocities } = twoDiscs(count);
  const plan = bodiesPlan(count, 0.01, 0.05);
  const one = { ...plan, launches: plan.launches.slice(0, 1) };
  const host = run(
    one,
    new Map([
      ['places', places],
      ['velocities', velocities],
    ]),
  );
  const moved = host.floats('moved');
  for (const body of [0, 1, 100, 255]) {
    const own = places.subarray(4 * body, 4 * body + 3);
    const pull = [0, 0, 0];
    for (let other = 0; other < count; other++) {
      const away = own.map((value, axis) => (places[4 * other + axis] ?? 0) - value);
      const near = (away.reduce((sum, value) => sum + value * value, 0) + 0.05) ** -1.5;
      for (const axis of [0, 1, 2])
        pull[axis] = (pull[axis] ?? 0) + (away[axis] ?? 0) * near * (places[4 * other + 3] ?? 0);
    }
    for (const axis of [0, 1, 2]) {
      const velocity = (velocities[4 * body + axis] ?? 0) + 0.01 * (pull[axis] ?? 0);
      expect(moved[4 * body + axis]).toBeCloseTo((own[axis] ?? 0) + 0.01 * velocity, 6);
    }
  }
});
