// The distribution of launches over the processes of a validation: each launch once, launches of
// one kernel together, long ones first, and similar ones in one process.
import { expect, test } from 'vitest';
import { LaunchShares, partsOf } from '../../../../src/harness/runs/launch-shares.ts';
import type { LaunchesOrder } from '../../../../src/harness/runs/validate-messages.ts';
import { planLaunches } from '../../../../src/harness/suites/index.ts';

const plan = planLaunches({ queries: ['tex.level', 'vote.sync:all', 'add.f64'], seed: 1, exhaustive: true });
const parts = partsOf(plan);
const rowOf = ({ from }: LaunchesOrder): string | undefined => plan[from]?.suites[0]?.row;

const placesOf = (orders: readonly LaunchesOrder[]): number[] =>
  orders.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)).sort((x, y) => x - y);

/** Returns the orders that `process` receives if no other process requests orders. */
function taken(shares: LaunchShares, process: number): LaunchesOrder[] {
  const orders: LaunchesOrder[] = [];
  for (let order = shares.take(process); order; order = shares.take(process)) orders.push(order);
  return orders;
}

test('each launch is in one part', () => {
  expect(placesOf(parts.map(({ order }) => order))).toEqual(plan.map((_, index) => index));
});

test('lookups in one kernel are in one part', () => {
  const kernels = parts.map(({ order: { from, to } }) => new Set(plan.slice(from, to).map(({ kernel }) => kernel)));
  expect(kernels.every(({ size }) => size === 1)).toBe(true);
  const lookups = plan.filter(({ suites }) => suites[0]?.row === 'tex.level');
  const own = parts.filter(({ order }) => rowOf(order) === 'tex.level');
  expect(own.length).toBe(new Set(lookups.map(({ kernel }) => kernel)).size);
  expect(lookups.length).toBeGreaterThan(5 * own.length);
});

test('every launch runs once, in any order of requests', () => {
  const shares = new LaunchShares(parts, 3);
  const orders = [shares.take(2), shares.take(0), shares.take(2)].flatMap((order) => order ?? []);
  expect(orders.length).toBe(3);
  expect(placesOf([...orders, ...taken(shares, 1)])).toEqual(plan.map((_, index) => index));
  expect(shares.take(0)).toBeUndefined();
});

test('the longest part of a share comes first', () => {
  expect(rowOf(taken(new LaunchShares(parts, 1), 0)[0] ?? { kind: 'launches', from: -1, to: -1 })).toBe('add.f64');
});

test('processes start with adjacent parts of the plan', () => {
  const shares = new LaunchShares(
    Array.from({ length: 8 }, (_, at) => ({ order: { kind: 'launches', from: at, to: at + 1 }, work: 1 })),
    2,
  );
  const first = Array.from({ length: 4 }, () => shares.take(0)?.from);
  expect(first).toEqual([0, 1, 2, 3]);
  // The other process has not begun its share, so this process receives half of it.
  expect([shares.take(0)?.from, shares.take(0)?.from]).toEqual([4, 6]);
  expect([shares.take(1)?.from, shares.take(1)?.from]).toEqual([5, 7]);
});
