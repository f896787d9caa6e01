// Each warp instruction lowered for each lane plan, executed by the lockstep interpreter, against
// the reference.
import { describe, expect, it } from 'vitest';
import { type LanePlan, planFor, portablePlan } from '../../../src/base/lane-plan.ts';
import { warpFunctions } from '../../../src/cpu-ref/warp/index.ts';
import { isLong } from '../../effort.ts';
import { execute, lanes, type Source, type Trial } from '../../lockstep/warp-trial.ts';
import { seeded } from '../../seed.ts';

const plans: readonly LanePlan[] = [
  portablePlan('lane'),
  portablePlan('warp'),
  ...[4, 8, 16, 32, 64, 128].map((size) => planFor(size)),
];
/**
 * A short run covers one sixteenth of the trials. This number selects it, and is drawn for each
 * run. A long run covers all trials.
 */
const part = seeded('warp-lowerings').below(16);
let trials = 0;
let chosen = 0;

function check(trial: Trial): void {
  trials += 1;
  // Selects a sixteenth of the trials by a hash, so that the choice is independent of the loops
  // below.
  if (!isLong && Math.imul(trials, 0x9e37_79b1) >>> 28 !== part) return;
  const { row, mods, sources } = trial;
  const active = trial.guard ?? trial.active ?? 0xffff_ffff;
  const state = {
    active,
    exited: ~active >>> 0,
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, { width, words }]) => [name, width === 'double' ? words : words.map(Number)]),
    ),
  };
  const { results, defined } = warpFunctions[row](mods, state);
  chosen += 1;
  // Each trial runs on one plan. Each row has many trials, so it runs on every plan.
  for (const plan of [plans[chosen % plans.length] ?? planFor(32)]) {
    const { kind, shape, subgroupSize } = plan;
    const size = shape ?? `${kind} ${subgroupSize}`;
    const got = execute(plan, trial);
    for (const [name, values] of Object.entries(got)) {
      const counts = lanes((lane) => (((defined[name] ?? 0) >>> lane) & 1) === 1);
      const masked = (all: readonly number[]) => all.map((value, lane) => (counts[lane] ? value : 'undefined'));
      const want = lanes((lane) => Number(results[name]?.[lane] ?? 0) >>> 0);
      expect({ size, name, values: masked(values) }).toEqual({ size, name, values: masked(want) });
    }
  }
}

/** Returns a generator whose numbers depend on the seed alone. */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state ^ (state >>> 13)) >>> 0;
  };
}

const word = (of: (lane: number) => number, known = false): Source => ({
  width: 'word',
  words: lanes((lane) => BigInt(of(lane) >>> 0)),
  known,
});
const known = (value: number): Source => word(() => value, true);

const masks: readonly (number | undefined)[] = [
  undefined,
  0xffff_ffff,
  0x0000_ffff,
  0xff00_ff00,
  0x8000_0001,
  0x5555_5554,
  1,
];

/**
 * Returns membermasks for the lanes of `active`: known, equal in all lanes, or different for each
 * of several groups.
 */
function memberMasks(active: number | undefined): readonly Source[] {
  const all = active ?? 0xffff_ffff;
  const parity = (lane: number) => (lane & 1 ? 0xaaaa_aaaa : 0x5555_5555);
  const grouped = (lane: number) => (lane < 9 ? 0x1ff : parity(lane) & ~0x1ff);
  return [
    known(all),
    { ...word(() => all), shared: true },
    word(() => all),
    word((lane) => parity(lane) & all),
    word((lane) => grouped(lane) & all),
    word((lane) => (1 << lane) & all),
  ];
}

/**
 * Returns membermasks under a guard that all lanes know. Lanes outside the guard have any mask, or
 * the ballot of the guard.
 */
function guardedMasks(guard: number, draw: () => number): readonly Source[] {
  const inGuard = (lane: number) => ((guard >>> lane) & 1) === 1;
  return [
    { ...word(() => guard), shared: true, namesGuarded: true },
    ...memberMasks(guard).map(({ words }) => word((lane) => (inGuard(lane) ? Number(words[lane]) : draw()))),
  ];
}

interface Way {
  readonly membermask: Source;
  readonly active?: number | undefined;
  readonly guard?: number;
}

describe('shuffles', () => {
  const draw = drawer(7);
  const operands: readonly (readonly [number, number])[] = [
    [1, 0x1f],
    [0, 0x1f],
    [16, 0x1f],
    [31, 0],
    [3, 0x101f],
    [2, 0x181f],
    [5, 0x1c03],
    [1, 0],
    [4, 0x1800],
    [0x25, 0x101f],
  ];
  for (const mode of ['up', 'down', 'bfly', 'idx']) {
    it.each(operands)(`${mode} by %i with 0x%x`, (b, c) => {
      const a = word(draw);
      for (const active of [undefined, 0xffff_ffff]) {
        const rest = { membermask: known(0xffff_ffff) };
        check({ row: 'shfl.sync', mods: { mode }, sources: { a, b: known(b), c: known(c), ...rest }, active });
        check({ row: 'shfl.sync', mods: { mode }, sources: { a, b: word(() => b), c: known(c), ...rest }, active });
        check({ row: 'shfl', mods: { mode }, sources: { a, b: word(() => b), c: word(() => c) }, active });
      }
    });
    it(`${mode} with operands that differ by lane`, () => {
      for (let round = 0; round < 4; round++) {
        const sources = { a: word(draw), b: word(draw), c: word(draw), membermask: known(0xffff_ffff) };
        check({ row: 'shfl.sync', mods: { mode }, sources, active: undefined });
        check({ row: 'shfl.sync', mods: { mode }, sources: { ...sources, c: known(0x1f) }, active: undefined });
      }
    });
  }
});

describe.each(masks.map((mask) => [mask?.toString(16) ?? 'all', mask] as const))('of lanes %s', (_, active) => {
  const draw = drawer((active ?? 3) >>> 0);
  const predicates = [
    () => 1,
    () => 0,
    (lane: number) => lane & 1,
    () => draw() & 1,
    (lane: number) => Number(lane === 0),
  ];
  const pred = (of: (lane: number) => number): Source => ({ ...word(of), width: 'pred' });
  const ways: readonly Way[] = [
    ...memberMasks(active).map((membermask) => ({ membermask, active })),
    ...(active === undefined ? [] : guardedMasks(active, draw).map((membermask) => ({ membermask, guard: active }))),
  ];

  it.each(['any', 'all', 'uni'])('vote.%s', (mode) => {
    for (const of of predicates) {
      check({ row: 'vote', mods: { mode }, sources: { a: pred(of) }, active });
      for (const { membermask, ...who } of ways)
        check({ row: 'vote.sync', mods: { mode }, sources: { a: pred(of), membermask }, active: undefined, ...who });
    }
  });

  it('ballots', () => {
    for (const of of predicates) {
      check({ row: 'vote.ballot', mods: {}, sources: { a: pred(of) }, active });
      for (const { membermask, ...who } of ways)
        check({ row: 'vote.sync.ballot', mods: {}, sources: { a: pred(of), membermask }, active: undefined, ...who });
    }
    check({ row: 'activemask', mods: {}, sources: {}, active });
  });

  it('elections', () => {
    for (const { membermask, ...who } of ways)
      check({ row: 'elect.sync', mods: {}, sources: { membermask }, active: undefined, ...who });
  });

  const values: readonly ((lane: number) => number)[] = [
    () => 7,
    (lane) => lane >> 2,
    () => draw() & 3,
    draw,
    (lane) => Number(lane === 5) << 31,
  ];
  it.each(['match.any.sync', 'match.all.sync'] as const)('%s', (row) => {
    for (const of of values) {
      for (const { membermask, ...who } of ways) {
        check({ row, mods: { type: 'b32' }, sources: { a: word(of), membermask }, active: undefined, ...who });
        const wide: Source = {
          width: 'double',
          known: false,
          words: lanes((lane) => (BigInt(of(lane) >>> 0) << 32n) | BigInt(lane >> 3)),
        };
        check({ row, mods: { type: 'b64' }, sources: { a: wide, membermask }, active: undefined, ...who });
      }
    }
  });

  it.each([
    ['redux.sync', { op: 'add', type: 'u32' }],
    ['redux.sync', { op: 'add', type: 's32' }],
    ['redux.sync', { op: 'min', type: 'u32' }],
    ['redux.sync', { op: 'max', type: 'u32' }],
    ['redux.sync', { op: 'min', type: 's32' }],
    ['redux.sync', { op: 'max', type: 's32' }],
    ['redux.sync.bitwise', { op: 'and' }],
    ['redux.sync.bitwise', { op: 'or' }],
    ['redux.sync.bitwise', { op: 'xor' }],
  ] as const)('%s %o', (row, mods) => {
    for (const of of values)
      for (const { membermask, ...who } of ways)
        check({ row, mods, sources: { a: word(of), membermask }, active: undefined, ...who });
  });

  const floats = [
    0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0xffc0_0000, 1, 0x8000_0001,
    0x7f7f_ffff,
  ];
  const mixes: readonly ((lane: number) => number)[] = [
    () => floats[draw() % floats.length] ?? 0,
    (lane) => (lane & 1 ? 0x8000_0000 : 0),
    () => 0x7fc0_0000,
    () => 0x4000_0000 + (draw() & 0xffff),
  ];
  it.each([
    { op: 'min' },
    { op: 'max' },
    { op: 'min', abs: 'abs' },
    { op: 'max', NaN: 'NaN' },
    { op: 'min', abs: 'abs', NaN: 'NaN' },
  ])('redux.f32 %o', (mods) => {
    for (const of of mixes) {
      const a: Source = { ...word(of), width: 'float' };
      for (const { membermask, ...who } of ways)
        check({
          row: 'redux.sync.f32',
          mods: { ...mods, type: 'f32' },
          sources: { a, membermask },
          active: undefined,
          ...who,
        });
    }
  });
});
