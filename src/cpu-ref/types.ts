// Values of the reference: what one lane's register holds, and what 32 lanes hold.
import type { Mods } from '../isa/index.ts';

/** A register's bits in one lane. Predicates are 0 or 1; up to 32 bits a number, zero-extended (f32 by its bits); 64 bits a bigint, zero-extended. */
export type Bits = number | bigint;

/** A pure function of one lane: sources in the row's order (carry in last) to results (carry out last). */
export type LaneFunction = (mods: Mods, sources: readonly Bits[]) => readonly Bits[];

/** One warp executing one warp instruction. Lane i is bit i of a mask and element i of an array. */
export interface WarpState {
  /** Lanes that execute the instruction now: neither exited, nor elsewhere, nor predicated off. */
  readonly active: number;
  /** Lanes that have exited, or never existed. Waiting lanes elsewhere are in neither mask. */
  readonly exited: number;
  /** Source operands by the row's names, 32 values each; only active lanes' elements mean anything. */
  readonly sources: Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;
}

/** What the active lanes get. A lane whose bit in `defined[x]` is clear has an undefined result in `x` (or is not active). */
export interface WarpResult {
  /** By the row's destination names: `d` 32 values of its type, `p` 32 values 0 or 1. */
  readonly results: Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;
  readonly defined: Readonly<Record<string, number>>;
}

export type WarpFunction = (mods: Mods, warp: WarpState) => WarpResult;

/** From the lanes in which each source is undefined, by name, to the lanes in which that leaves each result undefined. */
export type UndefinedFunction = (
  mods: Mods,
  warp: WarpState,
  undefinedIn: Readonly<Record<string, number>>,
) => Readonly<Record<string, number>>;
