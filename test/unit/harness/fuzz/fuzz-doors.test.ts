// A short fuzzing run of every entry point for untrusted text and bytes, and every input that
// failed before.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../src/base/cpu-time.ts';
import { caseDoor } from '../../../../src/harness/fuzz/doors/case-door.ts';
import type { Door, DoorInput } from '../../../../src/harness/fuzz/doors/door.ts';
import { knock, maxInputMs, problemOf } from '../../../../src/harness/fuzz/doors/knock.ts';
import { mergeDoor } from '../../../../src/harness/fuzz/doors/merge-door.ts';
import { ptxDoor } from '../../../../src/harness/fuzz/doors/ptx-door.ts';
import { wireDoor } from '../../../../src/harness/fuzz/doors/wire-door.ts';
import { effort } from '../../../effort.ts';

const kept = (door: string): Buffer[] => {
  const folder = new URL(`../../../fuzz-cases/doors/${door}/`, import.meta.url);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => readFileSync(new URL(name, folder)));
};
const texts = (door: string): string[] => kept(door).map((bytes) => bytes.toString('utf8'));

const doors: readonly (readonly [Door, number])[] = [
  [ptxDoor(texts('ptx')), effort(60, 300)],
  [caseDoor(texts('case')), effort(350, 2000)],
  [mergeDoor(texts('merge')), effort(180, 1000)],
  [wireDoor(kept('wire').map((bytes) => Uint8Array.from(bytes))), effort(500, 3000)],
];

describe.each(doors.map(([door, count]) => [door.name, door, count] as const))('%s', (_, door, count) => {
  test('accepts every seed', () => {
    for (const seed of door.seeds) expect(problemOf(door, seed).problem).toBeUndefined();
  });

  test('handles any input', () => {
    const { failures, inputs, outcomes, slowest } = knock(door, { seed: 5, count });
    expect(failures).toEqual([]);
    expect(inputs).toBe(count);
    // Some inputs are accepted, and some are refused.
    expect(Object.keys(outcomes).length).toBeGreaterThan(1);
    expect(slowest.ms).toBeLessThan(maxInputMs);
  });
});

describe('the fuzzer itself', () => {
  const door = (enter: Door<string>['enter']): Door<string> => ({
    name: 'test',
    seeds: ['a'],
    mutate: (rng) => String(rng.below(100)),
    enter,
  });
  test('reports a thrown error with an input that reproduces it', () => {
    const broken = door((input: DoorInput) => {
      if (input === '7') throw new TypeError('seven');
      return 'fine';
    });
    const { failures } = knock(broken, { seed: 1, count: 1000, maxFailures: 2 });
    expect(failures.length).toBe(2);
    expect(failures[0]).toMatchObject({ input: '7', problem: expect.stringContaining('TypeError: seven') });
    const [{ index = 0 } = {}] = failures;
    expect(knock(broken, { seed: 1, first: index, count: 1 }).failures.length).toBe(1);
  });
  test('reports an input that takes too long', () => {
    const maxMs = 50;
    const until = cpuMs() + 2 * maxMs;
    const slow = door(() => {
      while (cpuMs() < until);
      return 'fine';
    });
    expect(knock(slow, { seed: 1, count: 1, maxMs }).failures[0]?.problem).toMatch(/it took \d+ ms/);
  });
});
