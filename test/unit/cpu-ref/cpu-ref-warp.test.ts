import { describe, expect, test } from 'vitest';
import { warpFunctions } from '../../../src/cpu-ref/index.ts';
import { warpRows } from '../../../src/isa/index.ts';
import { execute, fullWarp, predicates } from './cpu-ref-warp-state.ts';

test('every warp row has a function', () => {
  expect(Object.keys(warpFunctions).sort()).toEqual(warpRows.map(({ name }) => name).sort());
});

describe('vote', () => {
  // The first five predicates are from warps that ran on an H200.
  test.each([
    { yes: 0xffffffff, active: fullWarp, all: 1, any: 1, uni: 1 },
    { yes: 0x00000000, active: fullWarp, all: 0, any: 0, uni: 1 },
    { yes: 0x55555555, active: fullWarp, all: 0, any: 1, uni: 0 },
    { yes: 0x470e3d5f, active: fullWarp, all: 0, any: 1, uni: 0 },
    { yes: 0xb494b8a4, active: fullWarp, all: 0, any: 1, uni: 0 },
    // Predicates of inactive lanes do not count: `all` over the active lanes, and `uni` with all
    // predicates false.
    { yes: 0x0000ff00, active: 0x0000ff00, all: 1, any: 1, uni: 1 },
    { yes: 0xffff00ff, active: 0x0000ff00, all: 0, any: 0, uni: 1 },
    { yes: 0xffff7fff, active: 0x00008000, all: 0, any: 0, uni: 1 },
    { yes: 0x80000000, active: 0x80000000, all: 1, any: 1, uni: 1 },
  ])('of $yes among $active', ({ yes, active, all, any, uni }) => {
    const sources = { a: predicates(yes), membermask: active };
    for (const [mode, expected] of Object.entries({ all, any, uni })) {
      for (const row of ['vote.sync', 'vote'] as const) {
        const outcome = execute(row, { mode }, { active, exited: ~active >>> 0, sources });
        expect(outcome.distinct('d', active), `${row}.${mode}`).toEqual([expected]);
        expect(outcome.defined('d')).toBe(active);
      }
    }
    for (const row of ['vote.sync.ballot', 'vote.ballot'] as const) {
      const outcome = execute(row, {}, { active, exited: ~active >>> 0, sources });
      expect(outcome.distinct('d', active)).toEqual([(yes & active) >>> 0]);
    }
  });

  test('exited lanes in the membermask do not vote', () => {
    const outcome = execute(
      'vote.sync',
      { mode: 'all' },
      { active: 0x0000ffff, exited: 0xffff0000, sources: { a: predicates(0x0000ffff), membermask: fullWarp } },
    );
    expect(outcome.distinct('d', 0x0000ffff)).toEqual([1]);
    expect(outcome.defined('d')).toBe(0x0000ffff);
  });

  test('each of several disjoint masks has its own vote', () => {
    const outcome = execute(
      'vote.sync.ballot',
      {},
      { sources: { a: predicates(0x0f0f0f0f), membermask: (lane) => (lane % 2 === 0 ? 0x55555555 : 0xaaaaaaaa) } },
    );
    expect(outcome.distinct('d', 0x55555555)).toEqual([0x05050505]);
    expect(outcome.distinct('d', 0xaaaaaaaa)).toEqual([0x0a0a0a0a]);
    expect(outcome.defined('d')).toBe(fullWarp);
  });

  test.each([
    { name: 'a member that waits at another instruction', active: 0x0000ffff, membermask: 0x0001ffff },
    { name: 'lanes without their own bit', active: 0x0000ffff, membermask: 0xffff0000 },
    { name: 'the empty mask', active: 0x0000ffff, membermask: 0 },
  ])('$name leaves the result undefined', ({ active, membermask }) => {
    for (const row of ['vote.sync.ballot', 'match.any.sync', 'redux.sync.bitwise', 'elect.sync'] as const)
      expect(execute(row, { op: 'or' }, { active, sources: { a: 1, membermask } }).defined('d')).toBe(0);
  });

  // On an H200 such lanes changed lane 0's result: `vote.sync.any` was true although lane 0's own
  // predicate was false.
  test('lanes outside their own mask leave its members undefined, except in a shuffle', () => {
    const membermask = (lane: number) => (lane < 4 ? 0x1 : 0xfffffff0);
    for (const row of ['vote.sync.ballot', 'match.any.sync', 'redux.sync.bitwise', 'elect.sync'] as const)
      expect(execute(row, { op: 'or' }, { sources: { a: 1, membermask } }).defined('d')).toBe(0xfffffff0);
    const shuffle = execute('shfl.sync', { mode: 'bfly' }, { sources: { a: 1, b: 0, c: 31, membermask } });
    expect(shuffle.defined('d')).toBe(0xfffffff1);
  });

  test('a member under another mask leaves only the groups with that member undefined', () => {
    const membermask = (lane: number) => (lane === 0 ? 0x1 : lane < 16 ? 0x0000ffff : 0xffff0000);
    const outcome = execute('vote.sync.ballot', {}, { sources: { a: 1, membermask } });
    expect(outcome.defined('d')).toBe(0xffff0001);
  });
});

describe('match.sync', () => {
  // The first three warps were measured on an H200.
  const halves = (lane: number) => (lane % 2 === 0 ? 9n : 0x100000009n);
  test.each([
    { name: 'one value', a: () => 7n, any32: fullWarp, any64: fullWarp, all32: 1, all64: 1 },
    { name: 'equal low halves', a: halves, any32: fullWarp, any64: 0x55555555, all32: 1, all64: 0 },
    { name: 'all different', a: BigInt, any32: 1, any64: 1, all32: 0, all64: 0 },
  ])('$name', ({ a, any32, any64, all32, all64 }) => {
    const low = (lane: number) => Number(BigInt.asUintN(32, a(lane)));
    expect(execute('match.any.sync', { type: 'b32' }, { sources: { a: low } }).values('d')[0]).toBe(any32);
    expect(execute('match.any.sync', { type: 'b64' }, { sources: { a } }).values('d')[0]).toBe(any64);
    const word = execute('match.all.sync', { type: 'b32' }, { sources: { a: low } });
    expect([word.distinct('p'), word.distinct('d')]).toEqual([[all32], [all32 ? fullWarp : 0]]);
    const pair = execute('match.all.sync', { type: 'b64' }, { sources: { a } });
    expect([pair.distinct('p'), pair.distinct('d')]).toEqual([[all64], [all64 ? fullWarp : 0]]);
  });

  test('exited lanes and lanes of other masks do not match', () => {
    const setup = {
      active: 0x0fffffff,
      exited: 0xf0000000,
      sources: { a: 5, membermask: (lane: number) => (lane < 8 ? 0x000000ff : 0xffffff00) },
    };
    const any = execute('match.any.sync', { type: 'b32' }, setup);
    expect([any.values('d')[0], any.values('d')[8]]).toEqual([0x000000ff, 0x0fffff00]);
    const all = execute('match.all.sync', { type: 'b32' }, setup);
    expect([all.values('d')[0], all.values('d')[8], all.values('p')[8]]).toEqual([0x000000ff, 0x0fffff00, 1]);
    expect(all.defined('p')).toBe(0x0fffffff);
  });
});

describe('redux.sync', () => {
  // Measured on an H200.
  const measured = [
    0xf22de0b3, 0x49dd4699, 0x2422c2ff, 0x44c5da66, 0x7624ccb6, 0x4db11a38, 0x43f93012, 0xe69f2226, 0xb802b38a,
    0x82206bb4, 0x02f5cdd9, 0x5554b855, 0x950c619b, 0x445fbcb1, 0xfbff7295, 0x9b3ce4fc, 0x805efa36, 0x0b91c777,
    0xbb920877, 0x60e6eecd, 0x5e8a2e36, 0x5d89f95c, 0x859d5988, 0xd9a00678, 0x5a915715, 0xea14681e, 0x6ff595f3,
    0xbfcb6abc, 0xcecc1f1b, 0xc60cda18, 0x2341ffa7, 0xc14fe5cf,
  ];
  test.each([
    ['redux.sync', 'add', 'u32', 0x4804f82e],
    ['redux.sync', 'add', 's32', 0x4804f82e],
    ['redux.sync', 'min', 'u32', 0x02f5cdd9],
    ['redux.sync', 'min', 's32', 0x805efa36],
    ['redux.sync', 'max', 'u32', 0xfbff7295],
    ['redux.sync', 'max', 's32', 0x7624ccb6],
    ['redux.sync.bitwise', 'and', 'b32', 0],
    ['redux.sync.bitwise', 'or', 'b32', 0xffffffff],
    ['redux.sync.bitwise', 'xor', 'b32', 0x1c07d0b6],
  ] as const)('%s.%s.%s', (row, op, type, expected) => {
    const outcome = execute(row, { op, type }, { sources: { a: measured } });
    expect(outcome.distinct('d')).toEqual([expected]);
    expect(outcome.defined('d')).toBe(fullWarp);
  });

  test('skips exited lanes, and reduces each mask separately', () => {
    const outcome = execute(
      'redux.sync',
      { op: 'add', type: 'u32' },
      {
        active: 0x0000ffff,
        exited: 0xffff0000,
        sources: { a: (lane) => lane, membermask: (lane) => (lane < 4 ? 0x0000000f : 0xfffffff0) },
      },
    );
    expect(outcome.values('d').slice(0, 16)).toEqual([...Array<number>(4).fill(6), ...Array<number>(12).fill(114)]);
  });

  const nan = 0x7fc12345;
  const canonical = 0x7fffffff;
  // From the manual's text, without hardware results.
  test.each([
    { mods: { op: 'min' }, a: [0x3f800000, 0xbf800000, nan, nan], d: 0xbf800000 },
    { mods: { op: 'max' }, a: [0x3f800000, 0xbf800000, nan, nan], d: 0x3f800000 },
    { mods: { op: 'max', NaN: 'NaN' }, a: [0x3f800000, 0xbf800000, 0x7f800000, nan], d: canonical },
    { mods: { op: 'min' }, a: [nan, nan, 0xffc00000, 0x7f800001], d: canonical },
    { mods: { op: 'min', abs: 'abs' }, a: [0xbf800000, 0x40000000, 0xc0400000, nan], d: 0x3f800000 },
    { mods: { op: 'max', abs: 'abs' }, a: [0xff800000, 0x40000000, 0, 1], d: 0x7f800000 },
    { mods: { op: 'max' }, a: [0x80000000, 0, 0x80000000, 0x80000000], d: 0 },
    { mods: { op: 'min' }, a: [0, 0, 0x80000000, 0], d: 0x80000000 },
    { mods: { op: 'min' }, a: [0x00000002, 0x00000001, 0x00800000, 0x7f800000], d: 0x00000001 },
    { mods: { op: 'max' }, a: [0x80000002, 0x80000001, 0x80800000, 0xff800000], d: 0x80000001 },
  ])('f32 $mods of $a', ({ mods, a, d }) => {
    const outcome = execute('redux.sync.f32', mods, {
      active: 0xf,
      exited: 0xfffffff0,
      sources: { a: (lane) => a[lane] ?? 0, membermask: 0xf },
    });
    expect(outcome.distinct('d', 0xf)).toEqual([d]);
  });

  test('f32 over a single lane canonicalizes its NaN and returns its absolute value', () => {
    const single = (mods: Record<string, string>, a: number) =>
      execute('redux.sync.f32', { op: 'min', ...mods }, { active: 1, sources: { a, membermask: 1 } }).values('d')[0];
    expect([single({}, nan), single({ abs: 'abs' }, 0xc0000000)]).toEqual([canonical, 0x40000000]);
  });
});

describe('active lanes', () => {
  test.each([0, 1, 0x80000000, 0x0f0f0f0f, fullWarp])('activemask of %i', (active) => {
    const outcome = execute('activemask', {}, { active, exited: 0, sources: {} });
    expect(outcome.distinct('d', active)).toEqual(active === 0 ? [] : [active]);
    expect(outcome.defined('d')).toBe(active);
  });

  // Measured on an H200: the full mask, two disjoint masks in one instruction, and a mask with
  // exited lanes.
  test.each([
    { active: fullWarp, membermask: () => fullWarp, leaders: [0] },
    { active: fullWarp, membermask: (lane: number) => (lane % 2 === 0 ? 0x55555555 : 0xaaaaaaaa), leaders: [0, 1] },
    { active: 0x001fffe0, membermask: () => 0xffffffe0, leaders: [5] },
  ])('elect.sync among $active elects $leaders', ({ active, membermask, leaders }) => {
    const outcome = execute('elect.sync', {}, { active, exited: ~active >>> 0, sources: { membermask } });
    expect(outcome.distinct('d', active)).toEqual(leaders);
    expect(outcome.values('p').flatMap((p, lane) => (p === 1 ? [lane] : []))).toEqual(leaders);
    expect(outcome.defined('d')).toBe(active);
  });

  test('bar.warp.sync has no results', () => {
    expect(execute('bar.warp.sync', {}, { sources: {} }).values('d')).toEqual([]);
  });
});
