// Source operands of each instruction: edge values first, then random values.
import type { WarpRowName } from '../../../isa/index.ts';
import { bit, has, maskOf, someLanes, warpLanes } from '../lanes.ts';
import type { Random } from '../random.ts';

/** The values of one operand in the 32 lanes. */
export type LaneValues = readonly number[] | readonly bigint[];

/**
 * A request for values. `warp` is the number of the case. `junk` requests random contents in bits
 * that PTX ignores. `wide` requests 64-bit values.
 */
interface ValueRequest {
  readonly rng: Random;
  readonly warp: number;
  readonly junk: boolean;
  readonly wide: boolean;
}

type Values = (request: ValueRequest) => Readonly<Record<string, LaneValues>>;

/** Returns a value that identifies its thread. */
export function laneTag(thread: number): number {
  return Math.imul(thread + 1, 0x9e3779b1) >>> 0;
}

const shuffleValues: Values = ({ rng, warp, junk }) => {
  const noise = (bits: number): number => (junk ? (rng.u32() & bits) >>> 0 : 0);
  const perLane = rng.chance(0.5);
  const b = rng.below(32);
  const c = segment(rng);
  return {
    a: warpLanes.map((lane) => laneTag(warp * 32 + lane)),
    b: warpLanes.map(() => ((perLane ? rng.below(32) : b) | noise(0xffffffe0)) >>> 0),
    c: warpLanes.map(() => ((perLane && rng.chance(0.5) ? segment(rng) : c) | noise(0xffffe0e0)) >>> 0),
  };
};

/**
 * Draws a clamp and segment mask. It is that of a width that is a power of two, or arbitrary bits.
 */
function segment(rng: Random): number {
  const width = rng.pick([32, 16, 8, 4, 2, 1]);
  const prefix = (32 - width) << 8;
  const kind = rng.below(5);
  if (kind === 0) return 0x1f;
  if (kind === 1) return prefix;
  if (kind === 2) return prefix | (width - 1);
  if (kind === 3) return prefix | 0x1f;
  return (rng.below(32) << 8) | rng.below(32);
}

const predicates: Values = ({ rng, warp }) => {
  const one = bit(rng.below(32));
  const mask = [0, 0xffffffff, one, ~one >>> 0, 0x0000ffff, 0x55555555][warp % 12] ?? someLanes(rng);
  return { a: warpLanes.map((lane) => (has(mask, lane) ? 1 : 0)) };
};

const matchValues: Values = ({ rng, warp, wide }) => {
  const kind = warp % 6;
  const one = rng.below(32);
  const groups = kind === 0 ? 1 : kind === 1 ? 1 : rng.pick([2, 3, 5, 8, 32]);
  const keys = warpLanes.map(() => (kind === 2 ? rng.below(groups) : rng.u32()));
  const words = warpLanes.map((lane) => {
    const key = keys[rng.below(groups)] ?? 0;
    return kind === 1 && lane === one ? ~key >>> 0 : key;
  });
  if (!wide) return { a: words };
  // Sometimes only the high word differs, and sometimes only the low word.
  const same = BigInt(rng.u32());
  const part = rng.below(3);
  return {
    a: words.map((word) => {
      if (part === 0) return (BigInt(word) << 32n) | same;
      return part === 1 ? (same << 32n) | BigInt(word) : (BigInt(word) << 32n) | BigInt(~word >>> 0);
    }),
  };
};

const integerEdges = [0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff] as const;

const integers: Values = ({ rng, warp }) => {
  const kind = warp % 4;
  const same = rng.pick(integerEdges);
  return {
    a: warpLanes.map(() => {
      if (kind === 0) return rng.pick(integerEdges);
      if (kind === 1) return same;
      return kind === 2 ? rng.below(100) : rng.u32();
    }),
  };
};

/**
 * The edge values of floats: both zeros, both infinities, subnormals, the ends of the normal range,
 * and quiet and signaling NaNs with payloads and signs.
 */
const floatEdges = [
  0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
  0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x7fffffff, 0xffffffff, 0x7fc00000, 0xffc12345,
  0x7f800001, 0xffbfffff,
] as const;
const nans = [0x7fffffff, 0xffffffff, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffbfffff] as const;

const floats: Values = ({ rng, warp }) => {
  const kind = warp % 8;
  const same = rng.pick(floatEdges);
  const density = rng.pick([0.03, 0.3, 0.9]);
  return {
    a: warpLanes.map(() => {
      if (kind === 0) return rng.pick([0x00000000, 0x80000000]);
      if (kind === 1) return rng.pick(nans);
      if (kind === 2) return rng.pick([0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00000000, 0x80000000]);
      if (kind === 3) return same;
      if (kind === 4) return rng.pick(floatEdges);
      if (kind === 5) return rng.chance(density) ? rng.pick(nans) : (rng.u32() & 0xbfffffff) >>> 0;
      return kind === 6 ? (rng.u32() & 0xbfffffff) >>> 0 : rng.u32();
    }),
  };
};

const none: Values = () => ({});

/** The values of each row's operands, except `membermask`, which the form determines. */
export const operandValues: Readonly<Record<WarpRowName, Values>> = {
  'shfl.sync': shuffleValues,
  shfl: shuffleValues,
  'vote.sync': predicates,
  'vote.sync.ballot': predicates,
  vote: predicates,
  'vote.ballot': predicates,
  'match.any.sync': matchValues,
  'match.all.sync': matchValues,
  'redux.sync': integers,
  'redux.sync.bitwise': integers,
  'redux.sync.f32': floats,
  activemask: none,
  'elect.sync': none,
  'bar.warp.sync': none,
};

const masks: readonly number[] = [
  0xffffffff, 0x00000001, 0x80000000, 0x0000ffff, 0xaaaaaaaa, 0x00ff00ff, 0xfffffffe, 0x12345678,
]; // biome-ignore format: a table

/**
 * Masks in which each is a subset of the previous one, so that the lanes outside a mask can exit
 * permanently.
 */
const shrinkingMasks = [0x55555555, 0x00400000] as const;

const widthSegments = [16, 8, 4, 2].map((width) => ((32 - width) << 8) | (width - 1));
const immediateShuffles: readonly (readonly [b: number, c: number])[] = [
  ...[1, 2, 4, 8, 16].map((b) => [b, 0x1f] as const),
  ...[1, 2, 4, 8, 16].map((b) => [b, 0] as const),
  ...[0, 1, 2, 3].map((b) => [b, 0x1c03] as const),
  ...widthSegments.map((c, i) => [1 << (3 - i), c] as const),
  ...widthSegments.map((c, i) => [i + 1, c & 0x1f00] as const),
  [0, 0x1f],
  [31, 0x1f],
  [31, 0],
  [33, 0x1f],
  [63, 0],
  [0xffffffff, 0x1f],
  [17, 0x0a15],
  [5, 0x150a],
  [3, 0xffffe0e0],
  [7, 0xffffffff],
];

/** The immediate operands of one instruction, by name. */
export type Immediates = Readonly<Record<string, number>>;

const everyMask = masks.map((membermask): Immediates => ({ membermask }));
const shuffles = immediateShuffles.map(([b, c]): Immediates => ({ b, c }));

/** Keeps every second entry of a table, for kernels that are large and slow to compile. */
const half = <T>(table: readonly T[]): readonly T[] => table.filter((_, i) => i % 2 === 1);

/**
 * The operands of the form `immediate`, with one entry for each instruction of its kernel. A row
 * without an entry lacks this form.
 */
export const immediates: Readonly<Partial<Record<WarpRowName, readonly Immediates[]>>> = {
  'shfl.sync': [
    ...shuffles.map((operands) => ({ ...operands, membermask: 0xffffffff })),
    ...half(masks).map((membermask, i) => ({ ...shuffles[i * 4], membermask })),
  ],
  shfl: half(shuffles),
  'vote.sync': everyMask,
  'vote.sync.ballot': everyMask,
  'match.any.sync': everyMask,
  'match.all.sync': everyMask,
  'redux.sync': everyMask,
  'redux.sync.bitwise': everyMask,
  'redux.sync.f32': everyMask,
  'elect.sync': everyMask,
};

/**
 * The operands of the form in which lanes exit between instructions, in the order of the program.
 */
export const shrinkingImmediates: Readonly<Partial<Record<WarpRowName, readonly Immediates[]>>> = Object.fromEntries(
  // The second shuffle of the table has a distance of two lanes, so a lane can read another lane of
  // its mask.
  Object.entries(immediates).map(([name, [, second = {}]]) => [
    name,
    shrinkingMasks.map((membermask): Immediates => ({ ...second, membermask })),
  ]),
);

/**
 * The operands of the form in which only `c` and the mask are fixed, as in nvcc's code for a
 * shuffle with a variable distance.
 */
export const segmentImmediates: readonly Immediates[] = [0x1f, 0, 0x1c03, 0x0a15].map((c) => ({ c }));

/**
 * The operands of the form with the whole warp as an immediate membermask and all other operands in
 * registers, which is the most common in published kernels.
 */
export const fullMask: Immediates = { membermask: maskOf(() => true) };
