// The instruction `redux.sync`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-redux-sync
import { warpSize } from '../../isa/index.ts';
import { canonicalNaN, isNaNBits, type MinMax, magnitude, minMax } from '../lane/float-bits.ts';
import type { WarpFunction, WarpState } from '../types.ts';
import { chosen, everyLaneGets, has, syncGroups, wordsOf } from './lanes.ts';

type Combine = (x: number, y: number) => number;

/** The operations on 32-bit operands as unsigned numbers. The result is truncated to 32 bits. */
const unsignedOps: Readonly<Record<string, Combine>> = {
  add: (x, y) => (x + y) >>> 0,
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
};

const signedOps: Readonly<Record<string, Combine>> = {
  add: (x, y) => (x + y) >>> 0,
  min: (x, y) => Math.min(x | 0, y | 0) >>> 0,
  max: (x, y) => Math.max(x | 0, y | 0) >>> 0,
};

const bitwiseOps: Readonly<Record<string, Combine>> = {
  and: (x, y) => (x & y) >>> 0,
  or: (x, y) => (x | y) >>> 0,
  xor: (x, y) => (x ^ y) >>> 0,
};

/**
 * Combines the `a` of all members. Returns 0 for a group without members, which only occurs if PTX
 * leaves the result undefined.
 */
function reduce(warp: WarpState, members: number, combine: Combine): number {
  const a = wordsOf(warp, 'a');
  let result: number | undefined;
  for (let lane = 0; lane < warpSize; lane++)
    if (has(members, lane)) result = result === undefined ? a(lane) : combine(result, a(lane));
  return result ?? 0;
}

const reduxInteger: WarpFunction = (mods, warp) => {
  const combine = chosen(chosen({ u32: unsignedOps, s32: signedOps }, mods, 'type'), mods, 'op');
  return everyLaneGets(syncGroups(warp), (members) => reduce(warp, members, combine));
};

const reduxBitwise: WarpFunction = (mods, warp) => {
  const combine = chosen(bitwiseOps, mods, 'op');
  return everyLaneGets(syncGroups(warp), (members) => reduce(warp, members, combine));
};

const floatOps: Readonly<Record<string, MinMax>> = { min: 'min', max: 'max' };

/**
 * Reduces f32 values. Without `.NaN`, NaN inputs are skipped, and the result is the canonical NaN
 * only if all inputs are NaN. With `.NaN`, the result is the canonical NaN if any input is NaN.
 * `.abs` reduces the absolute values. +0 is greater than -0. Subnormal inputs are not flushed.
 */
const reduxFloat: WarpFunction = (mods, warp) => {
  const op = chosen(floatOps, mods, 'op');
  const propagateNaN = mods.NaN !== undefined;
  const input = (bits: number) => (mods.abs === undefined ? bits : magnitude(bits));
  const combine: Combine = (x, y) => minMax(op, input(x), input(y), propagateNaN);
  return everyLaneGets(syncGroups(warp), (members) => {
    const result = input(reduce(warp, members, combine));
    return isNaNBits(result) ? canonicalNaN : result;
  });
};

export const reduxFunctions = {
  'redux.sync': reduxInteger,
  'redux.sync.bitwise': reduxBitwise,
  'redux.sync.f32': reduxFloat,
} satisfies Record<string, WarpFunction>;
