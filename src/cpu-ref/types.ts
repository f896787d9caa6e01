// The values of the reference: register contents of one lane and of 32 lanes.
import type { Mods } from '../isa/index.ts';

/**
 * The bits of a register in one lane, zero-extended. Predicates are 0 or 1. Values of up to 32
 * bits, f32 included, are numbers; 64-bit values are bigints.
 */
export type Bits = number | bigint;

/**
 * A pure function of one lane. It maps the sources, in the order of the row (carry-in last), to the
 * results (carry-out last).
 */
export type LaneFunction = (mods: Mods, sources: readonly Bits[]) => readonly Bits[];

/**
 * The state of a warp that executes a warp instruction. Lane i is bit i of a mask and element i of
 * an array.
 */
export interface WarpState {
  /** The lanes that execute the instruction: not exited, not elsewhere, not predicated off. */
  readonly active: number;
  /** The lanes that exited or lack a thread. Lanes that wait elsewhere are in neither mask. */
  readonly exited: number;
  /**
   * The source operands by name (`a`, `b`, `membermask`), 32 values each. Only the elements of
   * active lanes are read.
   */
  readonly sources: Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;
}

/** The results of a warp instruction, and the lanes in which PTX defines them. */
export interface WarpResult {
  /** The results by the name of the destination: 32 values each; `p` is 0 or 1. */
  readonly results: Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;
  /** For each destination, the mask of active lanes whose result PTX defines. */
  readonly defined: Readonly<Record<string, number>>;
}

/**
 * A pure function of a warp: the modifiers of the instruction and the state of the warp determine
 * the results.
 */
export type WarpFunction = (mods: Mods, warp: WarpState) => WarpResult;

/**
 * Maps the lanes in which each source is undefined, by name, to the lanes in which each result is
 * undefined because of that.
 */
export type UndefinedFunction = (
  mods: Mods,
  warp: WarpState,
  undefinedIn: Readonly<Record<string, number>>,
) => Readonly<Record<string, number>>;
