// The lanes whose results are undefined because of an undefined source. By definition, these are
// the lanes whose result changes with the value of the source.
import { describe, expect, test } from 'vitest';
import { type WarpState, warpFunctions } from '../../../src/cpu-ref/index.ts';
import { undefinedResults } from '../../../src/cpu-ref/warp/undefined.ts';
import { random } from '../../../src/harness/suites/random.ts';
import type { Mods, WarpRowName } from '../../../src/isa/index.ts';
import { effort } from '../../effort.ts';
import { runKernel } from './interpreter/interpreter-support.ts';

const lanes = Array.from({ length: 32 }, (_, lane) => lane);
const forms: readonly (readonly [WarpRowName, Mods])[] = [
  ...['up', 'down', 'bfly', 'idx'].flatMap((mode) => [['shfl.sync', { mode }] as const, ['shfl', { mode }] as const]),
  ...['all', 'any', 'uni'].flatMap((mode) => [['vote.sync', { mode }] as const, ['vote', { mode }] as const]),
  ['vote.sync.ballot', {}],
  ['vote.ballot', {}],
  ['match.any.sync', { type: 'b32' }],
  ['match.all.sync', { type: 'b32' }],
  ...['u32', 's32'].flatMap((type) => ['add', 'min', 'max'].map((op) => ['redux.sync', { op, type }] as const)),
  ...['and', 'or', 'xor'].map((op) => ['redux.sync.bitwise', { op }] as const),
  ...['min', 'max'].flatMap((op) =>
    [{}, { abs: 'abs' }, { NaN: 'NaN' }, { abs: 'abs', NaN: 'NaN' }].map(
      (flags) => ['redux.sync.f32', { op, ...flags }] as const,
    ),
  ),
];

const edges: readonly [number, ...number[]] = [
  0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000,
];

function valuesOf(row: WarpRowName, rng: ReturnType<typeof random>, name: string): number {
  if (row.startsWith('vote')) return rng.chance(0.7) ? 1 : 0;
  if (name === 'c' && rng.chance(0.5)) return 0x1f;
  if (name === 'a' && row.startsWith('shfl')) return rng.u32();
  return rng.pick(edges);
}

const isShuffle = (row: WarpRowName): boolean => row.startsWith('shfl');

describe('undefined sources', () => {
  test.each(forms)('%s %j', (row, mods) => {
    const rng = random(20, row, JSON.stringify(mods));
    let decided = 0;
    let left = 0;
    for (let round = 0; round < effort(60, 300); round++) {
      const many = rng.chance(0.5);
      // The membermasks form one group or two. In some rounds only a few lanes are active, so that
      // both outcomes occur.
      const cut = rng.chance(0.5) ? 0 : rng.u32();
      const active = many ? 0xffffffff : (rng.u32() & rng.u32() & rng.u32()) >>> 0;
      const membermask = lanes.map((lane) => ((cut >>> lane) & 1 ? cut & active : ~cut & active) >>> 0);
      const names = isShuffle(row) ? ['a', 'b', 'c'] : ['a'];
      const common = rng.chance(0.5) ? valuesOf(row, rng, 'a') : undefined;
      const sources: Record<string, number[]> = Object.fromEntries(
        names.map((name) => [name, lanes.map(() => (isShuffle(row) ? undefined : common) ?? valuesOf(row, rng, name))]),
      );
      const undefinedIn = Object.fromEntries(
        names.map((name) => [name, (rng.u32() & rng.u32() & rng.u32() & active) >>> 0]),
      );
      const state: WarpState = { active, exited: ~active >>> 0, sources: { ...sources, membermask } };
      const first = warpFunctions[row](mods, state);
      const claimed = undefinedResults(row, mods, state, undefinedIn);

      const changed: Record<string, number> = {};
      for (let trial = 0; trial < 40; trial++) {
        // The first trials use each edge value in all lanes at once, and the others use random
        // values.
        const same = edges[trial];
        const other = Object.fromEntries(
          names.map((name) => [
            name,
            lanes.map((lane) => {
              if (((undefinedIn[name] ?? 0) >>> lane) % 2 === 0) return sources[name]?.[lane] ?? 0;
              if (row.startsWith('vote')) return trial < 2 ? trial : rng.chance(0.5) ? 1 : 0;
              return name === 'a' && same !== undefined ? same : trial < 25 ? rng.pick(edges) : rng.u32();
            }),
          ]),
        );
        const { results } = warpFunctions[row](mods, { ...state, sources: { ...other, membermask } });
        for (const [name, values] of Object.entries(first.results)) {
          for (const lane of lanes)
            if (values[lane] !== results[name]?.[lane]) changed[name] = ((changed[name] ?? 0) | (1 << lane)) >>> 0;
        }
      }
      for (const name of Object.keys(first.results)) {
        const may = ((claimed[name] ?? 0) & active) >>> 0;
        const does = ((changed[name] ?? 0) & active) >>> 0;
        expect((does & ~may) >>> 0, `${name} changes although it is called defined`).toBe(0);
        // An undefined b or c may have no effect. An undefined a always has an effect.
        const exact = isShuffle(row) ? ~((undefinedIn.b ?? 0) | (undefinedIn.c ?? 0)) : -1;
        expect((may & ~does & exact) >>> 0, `${name} is called undefined and never changes`).toBe(0);
        left += may;
        decided += (active & ~may) >>> 0;
      }
    }
    expect(left).toBeGreaterThan(0);
    expect(decided).toBeGreaterThan(0);
  });

  test('of a membermask leave every result undefined', () => {
    const state: WarpState = { active: 0xff, exited: 0, sources: { a: lanes, membermask: lanes.map(() => 0xff) } };
    expect(undefinedResults('redux.sync', { op: 'add', type: 'u32' }, state, { membermask: 4 }).d).toBe(0xff);
  });
});

// Lane 31 has exited and is the source of lane 30, so `%r2` is undefined in lane 30 alone. `%p2` is
// true there, whatever `%r2` holds.
const prologue = `setp.eq.u32 %p0, %lane, 31; @%p0 exit;
  mov.u32 %r2, %lane; shfl.sync.down.b32 %r2, %r2, 1, 31, 0x7fffffff; setp.gt.u32 %p1, %r2, 100;
  mov.u32 %r3, 0x7fffffff;`;
const everywhere = lanes.slice(0, 31);

test.each<[name: string, code: string, undefinedIn: readonly number[]]>([
  ['a shuffle carries it to the lanes that read it', 'shfl.sync.bfly.b32 %r1, %r2, 3, 31, %r3;', [28, 29]],
  ['an undefined shuffle amount affects its own lane only', 'shfl.sync.idx.b32 %r1, %lane, %r2, 31, %r3;', [30]],
  [
    'vote.all is undefined if the other predicates are true',
    'setp.le.u32 %p2, %r2, 31; vote.sync.all.pred %p3, %p2, %r3; selp.u32 %r1, 1, 0, %p3;',
    everywhere,
  ],
  [
    'vote.all is false if another predicate is false',
    'setp.gt.u32 %p2, %r2, 5; vote.sync.all.pred %p3, %p2, %r3; selp.u32 %r1, 1, 0, %p3;',
    [],
  ],
  [
    'vote.any is true if another predicate is true',
    'setp.gt.u32 %p2, %r2, 5; vote.sync.any.pred %p3, %p2, %r3; selp.u32 %r1, 1, 0, %p3;',
    [],
  ],
  ['a ballot contains its bit', 'vote.sync.ballot.b32 %r1, %p1, %r3;', everywhere],
  ['match.any may contain its bit', 'match.any.sync.b32 %r1, %r2, %r3;', everywhere],
  ['match.all of two other values that differ is 0', 'match.all.sync.b32 %r1|%p2, %r2, %r3;', []],
  ['a sum depends on it', 'redux.sync.add.u32 %r1, %r2, %r3;', everywhere],
  ['a minimum of 0 does not depend on it', 'and.b32 %r2, %r2, 30; redux.sync.min.u32 %r1, %r2, %r3;', []],
  [
    'another group does not depend on it',
    'mov.u32 %r4, 0x0000ffff; selp.u32 %r4, %r4, 0x7fff0000, %p4; redux.sync.add.u32 %r1, %r2, %r4;',
    lanes.slice(16, 31),
  ],
])('%s', (_, code, undefinedIn) => {
  const body = `setp.lt.u32 %p4, %lane, 16; ${prologue} ${code} st.global.u32 [%rd1], %r1;`;
  const { result } = runKernel(body);
  expect(result.status).toBe('done');
  const mask = result.undefinedMasks.get(0);
  expect(lanes.filter((lane) => (mask?.[4 * lane] ?? 0) !== 0)).toEqual(undefinedIn);
});
