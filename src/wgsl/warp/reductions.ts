// Reductions, which combine the values of lanes into one value.
import type { LanePlan } from '../../base/lane-plan.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';

/** The names of functions that reduce a u32 over the warp. */
export type ReductionHelper =
  | 'warp_add'
  | 'warp_min_u32'
  | 'warp_max_u32'
  | 'warp_min_s32'
  | 'warp_max_s32'
  | 'warp_and'
  | 'warp_or'
  | 'warp_xor';

export interface Reduction {
  readonly combine: (a: Expr, b: Expr) => Expr;
  /** The neutral element. */
  readonly identity: Expr;
  /** Returns the value reduced over all lanes of a subgroup. */
  readonly overSubgroup: (value: Expr) => Expr;
}

const signed =
  (name: string) =>
  (...args: readonly Expr[]): Expr =>
    w.bitcast('u32', w.builtin(name, 'i32', ...args.map((arg) => w.bitcast('i32', arg))));
const unsigned =
  (name: string) =>
  (...args: readonly Expr[]): Expr =>
    w.builtin(name, 'u32', ...args);

export const reductions: Readonly<Record<ReductionHelper, Reduction>> = {
  warp_add: { combine: w.add, identity: w.u32(0), overSubgroup: unsigned('subgroupAdd') },
  warp_min_u32: { combine: unsigned('min'), identity: w.u32(0xffff_ffff), overSubgroup: unsigned('subgroupMin') },
  warp_max_u32: { combine: unsigned('max'), identity: w.u32(0), overSubgroup: unsigned('subgroupMax') },
  warp_min_s32: { combine: signed('min'), identity: w.u32(0x7fff_ffff), overSubgroup: signed('subgroupMin') },
  warp_max_s32: { combine: signed('max'), identity: w.u32(0x8000_0000), overSubgroup: signed('subgroupMax') },
  warp_and: { combine: w.and, identity: w.u32(0xffff_ffff), overSubgroup: unsigned('subgroupAnd') },
  warp_or: { combine: w.or, identity: w.u32(0), overSubgroup: unsigned('subgroupOr') },
  warp_xor: { combine: w.xor, identity: w.u32(0), overSubgroup: unsigned('subgroupXor') },
};

/**
 * Returns whether a predicate is true in any invocation of the subgroup; the result is uniform.
 * Uses one word of a ballot on drivers that do not guard reductions correctly after a branch on
 * `subgroupAny`.
 */
export function anyInSubgroup(
  { plan, workarounds }: { readonly plan: LanePlan; readonly workarounds: Workarounds },
  predicate: Expr,
): Expr {
  if (plan.kind !== 'native' || !workarounds.has('ballot-for-any')) return w.builtin('subgroupAny', 'bool', predicate);
  return w.ne(w.swizzle(w.builtin('subgroupBallot', w.vec4u, predicate), 'x'), w.u32(0));
}

/**
 * Returns the position of the lowest one bit of a word, or 32 if the word is 0. The expression
 * evaluates the word twice. Dawn compiles `countTrailingZeros` to fifteen instructions, and this
 * expression to three.
 */
export const lowestBit = (word: Expr): Expr =>
  w.builtin('countOneBits', 'u32', w.and(w.complement(word), w.sub(word, w.u32(1))));
