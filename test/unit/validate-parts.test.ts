// What the processes of a validation take: every launch once, those of one kernel together, and the longest first.
import { expect, test } from 'vitest';
import { partsOf } from '../../src/harness/runs/validate-jobs.ts';
import { planLaunches } from '../../src/harness/suites/index.ts';

const plan = planLaunches({ queries: ['tex.level', 'vote.sync:all', 'add.f64'], seed: 1, exhaustive: true });
const parts = partsOf(plan);

test('parts hold each launch once', () => {
  const places = parts.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
  expect(places.sort((x, y) => x - y)).toEqual(plan.map((_, index) => index));
});

test('lookups that are one kernel are in one part', () => {
  const kernels = parts.map(({ from, to }) => new Set(plan.slice(from, to).map(({ kernel }) => kernel)));
  expect(kernels.every(({ size }) => size === 1)).toBe(true);
  const lookups = plan.filter(({ suites }) => suites[0]?.row === 'tex.level');
  const own = parts.filter(({ from }) => plan[from]?.suites[0]?.row === 'tex.level');
  expect(own.length).toBe(new Set(lookups.map(({ kernel }) => kernel)).size);
  expect(lookups.length).toBeGreaterThan(5 * own.length);
});

test('what has most to compare comes first', () => {
  expect(plan[parts[0]?.from ?? -1]?.suites[0]?.row).toBe('add.f64');
});
