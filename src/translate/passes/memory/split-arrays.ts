// Splits variables of shared and local memory into separate arrays, if each access provably stays
// in one of them. Then atomics or vectors of one variable do not affect other variables, and the
// bounds of indices are small.
import { get } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Variable } from '../../../ptx/ast.ts';
import { type Access, addressOf } from '../../analysis/accesses.ts';
import type { Program } from '../../ir/nodes.ts';
import { type ArraySpace, type Grouping, inSpace, isDynamic, type Layout, layOut } from '../../layout.ts';
import { peel } from './peel.ts';

export interface SplitArrays {
  readonly layout: Layout;
  /** The array of each access. An access that may reach other memory has no entry. */
  readonly arrayOf: ReadonlyMap<Access, number>;
  /** Whether some address may be in any memory. Then each whole space is one array. */
  readonly hasGeneric: boolean;
}

/**
 * Splits the variables of a program into arrays. `heapStart` has the same meaning as in `layOut`.
 */
export function splitArrays(program: Program, accesses: readonly Access[], heapStart: number): SplitArrays {
  const { variables, dynamicShared } = program;
  const hasGeneric = accesses.some(({ target }) => target.kind === 'generic');
  const groupsOf = (space: ArraySpace): readonly (readonly Variable[])[] => {
    const own = inSpace(variables, space);
    const inside = accesses.filter(({ target }) => target.kind === space);
    if (own.length === 0 && inside.length === 0 && !(space === 'shared' && dynamicShared > 0)) return [];
    return hasGeneric ? [own] : groupVariables(own, inside);
  };
  const grouping = { shared: groupsOf('shared'), local: groupsOf('local') };
  const layout = layOutWithin(variables, dynamicShared, grouping, heapStart);
  const bySpace = { shared: arraysIn(layout, 'shared'), local: arraysIn(layout, 'local') };
  const byVariable = new Map<Variable, number>();
  layout.arrays.forEach((array, index) => {
    for (const variable of array.variables) byVariable.set(variable, index);
  });
  const arrayOf = new Map<Access, number>();
  for (const access of accesses) {
    const { kind } = access.target;
    if (kind !== 'shared' && kind !== 'local') continue;
    const candidates = bySpace[kind];
    const [first] = candidates;
    // Absent: a variable of another space is in no array.
    const known =
      candidates.length === 1 ? first : variablesOf(access).flatMap((variable) => byVariable.get(variable) ?? [])[0];
    const index = known ?? first;
    if (index !== undefined) arrayOf.set(access, index);
  }
  return { layout, arrayOf, hasGeneric };
}

const arraysIn = ({ arrays }: Layout, space: ArraySpace): readonly number[] =>
  arrays.flatMap((array, index) => (array.space === space ? [index] : []));

const variablesOf = ({ points }: Access): readonly Variable[] =>
  [...points.origins].flatMap((origin) => (origin.kind === 'variable' ? [origin.variable] : []));

/**
 * Groups variables that one access may reach. If an access may reach any memory, all variables form
 * one group.
 */
function groupVariables(variables: readonly Variable[], accesses: readonly Access[]): readonly (readonly Variable[])[] {
  if (variables.length < 2) return [variables];
  const leaders = new Map(variables.map((variable) => [variable, variable]));
  const leaderOf = (variable: Variable): Variable => {
    let leader = variable;
    for (let next = leaders.get(leader); next !== undefined && next !== leader; next = leaders.get(leader))
      leader = next;
    // Path compression.
    for (let at = variable; at !== leader; ) {
      const next = get(leaders, at, 'the leader of a variable');
      leaders.set(at, leader);
      at = next;
    }
    return leader;
  };
  const unite = ([first, ...others]: readonly Variable[]) => {
    if (first) for (const other of others) leaders.set(leaderOf(other), leaderOf(first));
  };
  // All dynamic variables begin at the same address.
  unite(variables.filter(isDynamic));
  for (const access of accesses) {
    const reached = variablesOf(access);
    if (access.points.anyVariable || reached.length === 0 || reached.some((variable) => !leaders.has(variable)))
      return [variables];
    if (reachesNeighbour(access)) return [variables];
    unite(reached);
  }
  const groups = new Map<Variable, Variable[]>();
  for (const variable of variables) {
    const leader = leaderOf(variable);
    getOrInsert(groups, leader, () => []).push(variable);
  }
  return [...groups.values()];
}

/** Whether an access reaches a neighbor by its distance from a variable. */
function reachesNeighbour({ inst }: Access): boolean {
  let { base, constant } = peel(addressOf(inst), inst.attrs.place.offset);
  while (base?.kind === 'result' && (base.inst.op === 'trunc' || base.inst.op === 'cvta')) {
    const inner = peel(base.inst.args[0], constant);
    base = inner.base;
    constant = inner.constant;
  }
  if (base?.kind !== 'result' || base.inst.op !== 'symbol') return false;
  const { variable, offset } = base.inst.attrs;
  const at = constant + offset;
  return !isDynamic(variable) && (at < 0 || at >= variable.bytes);
}

/**
 * Lays out variables within the adapter's limit of shared memory. WebGPU rounds the size of each
 * shared array up to 16 bytes, and limits are multiples of 16 KiB. If splitting the arrays would
 * cross such a multiple, the arrays stay together.
 */
function layOutWithin(
  variables: readonly Variable[],
  dynamicShared: number,
  grouping: Grouping,
  heapStart: number,
): Layout {
  const split = layOut(variables, dynamicShared, grouping, heapStart);
  if (grouping.shared.length < 2) return split;
  const whole = { ...grouping, shared: [inSpace(variables, 'shared')] };
  const together = layOut(variables, dynamicShared, whole, heapStart);
  return stepsOf(split) > stepsOf(together) ? together : split;
}

const stepsOf = ({ sharedBytes }: Layout): number => Math.ceil((Math.ceil(sharedBytes / 16) * 16) / 16384);
