// The lattice of the points-to analysis: the origins of a value.
import type { Variable } from '../../ptx/ast.ts';

/**
 * An origin of addresses: the value of a kernel parameter, a variable of shared, local or parameter
 * memory, or the heap, which contains everything else.
 */
export type Origin =
  | { readonly kind: 'pointer'; readonly param: number }
  | { readonly kind: 'variable'; readonly variable: Variable }
  | { readonly kind: 'heap' };

/** The points-to set of a value. A number has no origins and no flags. */
export interface PointsTo {
  readonly origins: ReadonlySet<Origin>;
  /**
   * Whether a 64-bit number may still be an address: it was loaded from memory, or arithmetic that
   * the analysis does not follow computed it from such a number or from an address.
   */
  readonly untracked: boolean;
  /** Whether the value may be the address of any shared or local variable. */
  readonly anyVariable: boolean;
  /**
   * Whether PTX itself shows that the value is an address of one of its origins. A plain parameter
   * value may be a number.
   */
  readonly certain: boolean;
}

const none: ReadonlySet<Origin> = new Set();
export const number: PointsTo = { origins: none, untracked: false, anyVariable: false, certain: false };
export const untrackedNumber: PointsTo = { ...number, untracked: true };
/** The maximum number of origins in a set. */
const maxOrigins = 16;

export const isNumber = ({ origins, untracked, anyVariable }: PointsTo): boolean =>
  origins.size === 0 && !untracked && !anyVariable;
export const isAddress = ({ origins }: PointsTo): boolean => origins.size > 0;
export const mayBeAddress = ({ origins, untracked }: PointsTo): boolean => origins.size > 0 || untracked;
export const mayBeGlobal = ({ origins, untracked }: PointsTo): boolean =>
  untracked || [...origins].some(({ kind }) => kind !== 'variable');
export const isOne = ({ origins, untracked }: PointsTo): boolean => origins.size === 1 && !untracked;

export function sameOrigins(a: PointsTo, b: PointsTo): boolean {
  if (!isOne(a) || !isOne(b) || a.anyVariable || b.anyVariable) return false;
  const [one] = a.origins;
  return one !== undefined && b.origins.has(one);
}

/** Returns the part of a points-to set that concerns shared and local memory. */
export function variablesOf(points: PointsTo): PointsTo {
  if (points === number) return number;
  const origins = new Set([...points.origins].filter(({ kind }) => kind === 'variable'));
  const { anyVariable } = points;
  return origins.size === 0 && !anyVariable ? number : { ...number, origins, anyVariable, certain: points.certain };
}

/**
 * Returns the result of arithmetic that the analysis does not follow, as far as it concerns
 * variables.
 */
export function unknown(...sources: readonly PointsTo[]): PointsTo {
  return sources.every((source) => isNumber(variablesOf(source))) ? number : { ...number, anyVariable: true };
}

export function join(a: PointsTo, b: PointsTo): PointsTo {
  if (a === b || b === number) return a;
  if (a === number) return b;
  let more = false;
  for (const origin of b.origins) more ||= !a.origins.has(origin);
  const untracked = a.untracked || b.untracked;
  const anyVariable = a.anyVariable || b.anyVariable;
  const certain = a.origins.size === 0 ? b.certain : a.certain && (b.origins.size === 0 || b.certain);
  const isSame = untracked === a.untracked && anyVariable === a.anyVariable && certain === a.certain;
  if (!more && isSame) return a;
  const origins = more ? new Set([...a.origins, ...b.origins]) : a.origins;
  if (origins.size <= maxOrigins) return { origins, untracked, anyVariable, certain };
  const variables = [...origins].filter(({ kind }) => kind === 'variable');
  // Drop all variables but one. Keep every pointer parameter, so that the analysis knows which
  // parameters a value may point to.
  return {
    origins: new Set([...origins].filter(({ kind }) => kind !== 'variable').concat(variables.slice(0, 1))),
    untracked,
    anyVariable: anyVariable || variables.length > 0,
    certain,
  };
}

/**
 * Returns the points-to set of a sum. Two values that may both be addresses are joined. `base`: the
 * addend that is the address, if known. A pointer plus a loaded integer is still that pointer.
 */
export function sum(a: PointsTo, b: PointsTo, base: PointsTo | undefined): PointsTo {
  const [x, y] = base === undefined ? [a, b] : [base, variablesOf(base === a ? b : a)];
  const joined = join(x, y);
  return isNumber(variablesOf(x)) || isNumber(variablesOf(y)) ? joined : { ...joined, anyVariable: true };
}
