// What a value may point to: the lattice of the points-to analysis.
import type { Variable } from '../../ptx/ast.ts';

/// Where addresses come from: the value of a kernel parameter, a variable of shared, local or parameter memory, or the heap that has all others.
export type Origin =
  | { readonly kind: 'pointer'; readonly param: number }
  | { readonly kind: 'variable'; readonly variable: Variable }
  | { readonly kind: 'heap' };

/// What a value may be. A number has no origins and is neither of the others.
export interface PointsTo {
  readonly origins: ReadonlySet<Origin>;
  /// It was loaded from memory: a number, or an address that has gone there. A pointer moved by such a number is still that pointer.
  readonly loaded: boolean;
  /// It may be an address of any shared or local variable.
  readonly anyVariable: boolean;
}

export const none: ReadonlySet<Origin> = new Set();
export const number: PointsTo = { origins: none, loaded: false, anyVariable: false };
export const loadedNumber: PointsTo = { origins: none, loaded: true, anyVariable: false };
export const anythingLoaded: PointsTo = { origins: none, loaded: true, anyVariable: true };
/// More origins than this are not told apart.
const maxOrigins = 16;

export const isNumber = ({ origins, loaded, anyVariable }: PointsTo): boolean =>
  origins.size === 0 && !loaded && !anyVariable;
export const isAddress = ({ origins }: PointsTo): boolean => origins.size > 0;
export const isOne = ({ origins, loaded }: PointsTo): boolean => origins.size === 1 && !loaded;

export function sameOrigins(a: PointsTo, b: PointsTo): boolean {
  if (a.origins.size !== 1 || b.origins.size !== 1 || a.anyVariable || b.anyVariable || a.loaded || b.loaded)
    return false;
  const [one] = a.origins;
  return one !== undefined && b.origins.has(one);
}

/// The part that concerns shared and local memory.
export function variablesOf(points: PointsTo): PointsTo {
  if (points === number) return number;
  const origins = new Set([...points.origins].filter(({ kind }) => kind === 'variable'));
  return origins.size === 0 && !points.anyVariable
    ? number
    : { origins, loaded: false, anyVariable: points.anyVariable };
}

/// What is made of addresses in ways that are not followed.
export function unknown(...sources: readonly PointsTo[]): PointsTo {
  return sources.every((source) => isNumber(variablesOf(source))) ? number : { ...number, anyVariable: true };
}

export function join(a: PointsTo, b: PointsTo): PointsTo {
  if (a === b || b === number) return a;
  let more = false;
  for (const origin of b.origins) more ||= !a.origins.has(origin);
  const loaded = a.loaded || b.loaded;
  const anyVariable = a.anyVariable || b.anyVariable;
  if (!more && loaded === a.loaded && anyVariable === a.anyVariable) return a;
  const origins = more ? new Set([...a.origins, ...b.origins]) : a.origins;
  if (origins.size <= maxOrigins) return { origins, loaded, anyVariable };
  const variables = [...origins].filter(({ kind }) => kind === 'variable');
  // Pointers stay: they are mixed, and must be known to be.
  return {
    origins: new Set([...origins].filter(({ kind }) => kind !== 'variable').concat(variables.slice(0, 1))),
    loaded,
    anyVariable: anyVariable || variables.length > 0,
  };
}

/// A pointer plus an integer that was loaded from memory is still that pointer.
export function sum(a: PointsTo, b: PointsTo): PointsTo {
  const strip = (points: PointsTo, other: PointsTo): PointsTo =>
    points.origins.size === 0 && points.loaded && other.origins.size > 0 && !other.loaded
      ? { ...points, loaded: false }
      : points;
  const [x, y] = [strip(a, b), strip(b, a)];
  if (!isNumber(variablesOf(x)) && !isNumber(variablesOf(y))) return join({ ...join(x, y), anyVariable: true }, number);
  return join(x, y);
}
