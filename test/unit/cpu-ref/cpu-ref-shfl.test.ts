import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { inRange, type ShflMode, shflInto, shflSource } from '../../../src/cpu-ref/index.ts';
import { execute, fullWarp } from './cpu-ref-warp-state.ts';

const modes: readonly ShflMode[] = ['up', 'down', 'bfly', 'idx'];
const laneValue = (lane: number) => 1000 + lane;

describe('shflSource', () => {
  // Measured on an NVIDIA H200: 4 modes x 32 segmasks x 32 clamps x 32 b x 32 lanes. Each result is
  // one byte, in that order (the lane varies fastest): the source lane in bits 4:0, the predicate
  // in bit 7.
  test('shflSource equals an H200 for every b, clamp and segmask', () => {
    const table = new Uint8Array(4 * 32 ** 4);
    const b = new Uint32Array(32);
    const c = new Uint32Array(32);
    const sources = new Uint8Array(32);
    let at = 0;
    for (const mode of modes)
      for (let segmask = 0; segmask < 32; segmask++)
        for (let clamp = 0; clamp < 32; clamp++)
          for (let bval = 0; bval < 32; bval++) {
            shflInto(mode, b.fill(bval), c.fill((segmask << 8) | clamp), sources);
            table.set(sources, at);
            at += 32;
          }
    expect(createHash('sha256').update(table).digest('hex')).toBe(
      '6d66a9a502cd84aedfbc24cc5742e0afb30ab1bfaadaafe05c944b72d95aacbb',
    );
  });

  // The instruction reads only b[4:0], c[4:0] and c[12:8].
  test.each<[ShflMode, number, number, number, number, number]>([
    ['idx', 0, 33, 0x1f, 33 & 31, 0x1f],
    ['idx', 7, 0xffffffff, 0x1f, 31, 0x1f],
    ['down', 0, 63, 0x1f, 31, 0x1f],
    ['up', 31, 33, 0, 1, 0],
    ['bfly', 5, 0x80000010, 0x1f, 16, 0x1f],
    ['down', 3, 2, 0xffffe01f, 2, 0x1f],
    ['down', 3, 2, 0x60ff, 2, 0x1f],
  ])('%s in lane %i ignores the unused bits of b=%i, c=%i', (mode, lane, b, c, bval, cval) => {
    expect(shflSource(mode, lane, b, c)).toBe(shflSource(mode, lane, bval, cval));
  });

  test.each<[string, ShflMode, number, number, number, number, boolean]>([
    ['up stops at the segment’s first lane', 'up', 9, 2, 0x1800, 9, false],
    ['up within the segment', 'up', 11, 2, 0x1800, 9, true],
    ['up with a clamp other than 0 reads from lanes over the clamp only', 'up', 11, 2, 0x1803, 11, false],
    ['up from lane 0 is negative, not 31', 'up', 0, 1, 0, 0, false],
    ['down past lane 31', 'down', 30, 2, 0x1f, 30, false],
    ['down past the clamp', 'down', 4, 4, 0x1807, 4, false],
    ['bfly to a lower segment is in range', 'bfly', 12, 8, 0x1807, 4, true],
    ['bfly to a higher segment is out of range', 'bfly', 4, 8, 0x1807, 4, false],
    ['idx above the clamp', 'idx', 0, 20, 0x0f, 0, false],
    ['idx within its segment', 'idx', 17, 3, 0x1807, 19, true],
    ['idx with scattered segment bits', 'idx', 0b10110, 0b01001, 0x151f, 0b11100, true],
  ])('%s', (_, mode, lane, b, c, source, isInRange) => {
    expect(shflSource(mode, lane, b, c)).toBe(isInRange ? source | inRange : source);
  });
});

describe('shfl.sync', () => {
  test('a source that is active and a member is defined', () => {
    const outcome = execute('shfl.sync', { mode: 'bfly' }, { sources: { a: laneValue, b: 1, c: 0x1f } });
    expect(outcome.values('d')).toEqual(Array.from({ length: 32 }, (_, lane) => laneValue(lane ^ 1)));
    expect([outcome.defined('d'), outcome.defined('p')]).toEqual([fullWarp, fullWarp]);
  });

  test('b and c may differ by lane', () => {
    const { values } = execute(
      'shfl.sync',
      { mode: 'idx' },
      { sources: { a: laneValue, b: (lane) => 31 - lane, c: (lane) => (lane < 16 ? 0x1f : 0x0f) } },
    );
    // Lanes 16 to 31 read lanes 15 to 0, which their clamp of 15 allows.
    expect(values('d')).toEqual(Array.from({ length: 32 }, (_, lane) => laneValue(31 - lane)));
  });

  test.each([
    { name: 'an exited source', active: 0x0000fffe, exited: 0x00000001, b: 0, defined: 0, read: 0 },
    { name: 'a diverged source', active: 0x0000fffe, exited: 0, b: 31, defined: 0, read: 0 },
    { name: 'an active source', active: 0x0000fffe, exited: 0xffff0001, b: 4, defined: 0x0000fffe, read: laneValue(4) },
  ])('$name', ({ active, exited, b, defined, read }) => {
    const outcome = execute(
      'shfl.sync',
      { mode: 'idx' },
      { active, exited, sources: { a: laneValue, b, c: 0x1f, membermask: active } },
    );
    expect(outcome.defined('d')).toBe(defined);
    // The predicate reports that the source lane is in range, not that it is active.
    expect(outcome.defined('p')).toBe(active);
    expect(outcome.distinct('p', active)).toEqual([1]);
    // PTX leaves this undefined; an H200 returns zero.
    expect(outcome.distinct('d', active)).toEqual([read]);
  });

  test('an out-of-range lane keeps its own value, defined', () => {
    const outcome = execute('shfl.sync', { mode: 'down' }, { sources: { a: laneValue, b: 16, c: 0x1f } });
    expect(outcome.values('d').slice(16)).toEqual(Array.from({ length: 16 }, (_, i) => laneValue(16 + i)));
    expect(outcome.defined('d')).toBe(fullWarp);
    expect(outcome.values('p')).toEqual(Array.from({ length: 32 }, (_, lane) => (lane < 16 ? 1 : 0)));
  });

  test('groups with disjoint masks exchange separately; a read across groups is undefined, and returns the value on an H200', () => {
    const outcome = execute(
      'shfl.sync',
      { mode: 'idx' },
      {
        sources: {
          a: laneValue,
          b: (lane) => (lane === 3 ? 20 : lane & 16),
          c: 0x1f,
          membermask: (lane) => (lane < 16 ? 0x0000ffff : 0xffff0000),
        },
      },
    );
    expect(outcome.values('d')[3]).toBe(laneValue(20));
    expect(outcome.defined('d')).toBe(0xfffffff7);
  });

  test('a source in the mask that executes under another mask is undefined', () => {
    const outcome = execute(
      'shfl.sync',
      { mode: 'idx' },
      {
        active: 0b111,
        sources: { a: laneValue, b: 1, c: 0x1f, membermask: (lane) => (lane === 0 ? 0b011 : 0b111) },
      },
    );
    expect(outcome.defined('d')).toBe(0b110);
    expect(outcome.defined('p')).toBe(0b111);
  });

  test('a lane without its own bit in membermask has no defined result, and is not a source', () => {
    const outcome = execute(
      'shfl.sync',
      { mode: 'idx' },
      {
        active: 0b1111,
        sources: { a: laneValue, b: [2, 0, 1, 3, ...Array<number>(28).fill(0)], c: 0x1f, membermask: 0b1011 },
      },
    );
    expect(outcome.defined('p')).toBe(0b1011);
    expect(outcome.defined('d')).toBe(0b1010);
  });

  test('without active lanes no result is defined', () => {
    const outcome = execute('shfl.sync', { mode: 'up' }, { active: 0, sources: { a: 1, b: 1, c: 0 } });
    expect([outcome.defined('d'), outcome.defined('p')]).toEqual([0, 0]);
  });
});

describe('shfl without .sync', () => {
  test('exchanges among the active lanes', () => {
    const outcome = execute('shfl', { mode: 'up' }, { active: 0xfffffff0, sources: { a: laneValue, b: 4, c: 0 } });
    // Lanes 4 to 7 read the inactive lanes 0 to 3.
    expect(outcome.defined('d')).toBe(0xffffff00);
    expect(outcome.defined('p')).toBe(0xfffffff0);
    expect(outcome.values('d').slice(8)).toEqual(Array.from({ length: 24 }, (_, i) => laneValue(4 + i)));
  });
});

test('modes that the row does not list are rejected', () => {
  expect(() => execute('shfl.sync', { mode: 'left' }, { sources: { a: 0, b: 0, c: 0 } })).toThrow("'.left'");
  expect(() => execute('shfl.sync', { mode: 'up' }, { sources: { a: 0, b: 0 } })).toThrow("source 'c'");
});
