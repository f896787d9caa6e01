// The values of the reference: register contents of one lane and of 32 lanes.
import type { Mods } from '../isa/index.ts';

/**
 * The bits of a register in one lane, zero-extended. Predicates are 0 or 1. Values of up to 32
 * bits, including f32, are numbers; 64-bit values are bigints.
 */
export type Bits = number | bigint;

/**
 * A pure function of one lane. It maps the sources, in the order of the row, to the results. The
 * carry-in is the last source, and the carry-out is the last result.
 */
export type LaneFunction = (mods: Mods, sources: readonly Bits[]) => readonly Bits[];

/**
 * The state of a warp that executes a warp instruction. Lane i is bit i of a mask and element i of
 * an array.
 */
export interface WarpState {
  /**
   * The lanes that execute the instruction: they have not exited, are not at another instruction,
   * and their guard is true.
   */
  readonly active: number;
  /**
   * The lanes that have exited or do not have a thread. Lanes that wait at another instruction are
   * in neither mask.
   */
  readonly exited: number;
  /**
   * The source operands by name (`a`, `b`, `membermask`), with 32 values each. Only the elements of
   * active lanes are read.
   */
  readonly sources: Readonly<Record<string, ArrayLike<number> | ArrayLike<bigint>>>;
}

/** The results of a warp instruction, and the lanes in which PTX defines them. */
export interface WarpResult {
  /**
   * The results by the name of the destination, with 32 values each. The values of `p` are 0 or 1.
   */
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
 * Returns the lanes in which each result is undefined because of undefined sources, by the name of
 * the result. The argument contains the lanes in which each source is undefined.
 */
export type UndefinedFunction = (
  mods: Mods,
  warp: WarpState,
  undefinedIn: Readonly<Record<string, number>>,
) => Readonly<Record<string, number>>;
