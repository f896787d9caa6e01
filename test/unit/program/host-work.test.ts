// The two ways in which functions of the host wait.
import { expect, test } from 'vitest';
import {
  type HostWait,
  type HostWork,
  mayWait,
  performAsync,
  performBlocking,
} from '../../../src/program/host/host-work.ts';

const reply = (value: number) => ({ error: 0, value, second: 0, data: new Uint8Array() });

function* work(count: number): HostWork<number> {
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const { value } = (yield { kind: 'request', request: { op: 'alloc', bytes: index } }) ?? reply(100);
    sum += value;
  }
  return sum;
}
const answerTo = (what: HostWait) =>
  what.kind === 'request' && what.request.op === 'alloc' ? reply(what.request.bytes) : undefined;

test('blocked and suspended work receive the same replies', async () => {
  expect(performBlocking(work(4), answerTo)).toBe(6);
  const suspended = performAsync(work(4), async (what) => answerTo(what));
  expect(suspended).toBeInstanceOf(Promise);
  expect(await suspended).toBe(6);
});

test('work that does not wait returns its result, so that the program is not suspended', () => {
  expect(performAsync(work(0), async () => undefined)).toBe(0);
});

test('an error of a wait ends the work', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('lost');
  };
  await expect(performAsync(work(1), fail)).rejects.toThrow('lost');
});

test('only generators may wait', () => {
  expect([mayWait(work), mayWait(() => 1), mayWait(async () => 1)]).toEqual([true, false, false]);
});
