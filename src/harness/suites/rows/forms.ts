// The forms of the suites: the kinds of operands, destinations and guards, and the lanes that
// execute the instruction.

import type { Dim3 } from '../../../base/launch.ts';
import { type IsaRow, type WarpRowName, destinations as written } from '../../../isa/index.ts';
import { allLanes, disjointGroups, groupsAndOutsiders, has, maskOf, properPart, warpLanes } from '../lanes.ts';
import type { Random } from '../random.ts';
import type { NativeNote } from '../types.ts';
import { fullMask, type Immediates, immediates, segmentImmediates, shrinkingImmediates } from './operand-values.ts';

/** The control flow of one warp's lanes. Every mask is a subset of `exists`. */
export interface Population {
  readonly exists: number;
  /** Lanes that exit the kernel before the instruction. */
  readonly exits: number;
  /** Lanes that branch around the instruction, and store the previous values. */
  readonly skips: number;
  /** Lanes that branch around the instruction and the stores, to the end of the kernel. */
  readonly leaves: number;
  /** The lanes in which the instruction's guard is true. */
  readonly guard: number;
  /** Lanes that take the second arm of a branch whose two arms both contain the instruction. */
  readonly secondArm: number;
}

export type Control = 'exit' | 'skip' | 'leave' | 'guard' | 'arm';

export interface Form {
  readonly name: string;
  readonly block: Dim3;
  /** The meaning of the kernel's control word. A form has at most one such meaning. */
  readonly control?: Control;
  /** Whether the guard is negated: `@!%guard`. */
  readonly negatedGuard?: boolean;
  /** Whether the source predicate is negated: `!a`. */
  readonly negatedSource?: boolean;
  /** A destination to omit. `sink` is a destination to write as `_`. */
  readonly without?: 'p';
  readonly sink?: 'd' | 'p';
  /** Whether operand bits that PTX ignores have random contents. */
  readonly junk?: boolean;
  /** Whether each instruction has a separate kernel. */
  readonly alone?: boolean;
  readonly immediates?: (row: IsaRow) => readonly Immediates[];
  /**
   * The behavior of lanes outside an immediate membermask: they branch around its instruction, or
   * exit before it.
   */
  readonly outsiders?: 'branch' | 'exit';
  readonly native?: NativeNote;
  readonly applies: (row: IsaRow) => boolean;
  /**
   * Draws the `membermask` of each lane. `able` is the mask of the lanes that execute the
   * instruction. The default is the whole warp.
   */
  readonly masks?: (rng: Random, able: number) => readonly number[];
}

const any = (): boolean => true;
const sync = (row: IsaRow): boolean => row.types.membermask !== undefined;
const optionalPredicate = (row: IsaRow): boolean => row.syntax.includes('d[|p]');
/**
 * Whether a destination may be `_`. ptxas reports: "Result discard mode is not allowed for
 * instruction 'shfl'".
 */
const discardable = (row: IsaRow): boolean => row.types.p !== undefined && !row.name.startsWith('shfl');
const uniform = (mask: number): readonly number[] => warpLanes.map(() => mask);

const warp: Dim3 = [32, 1, 1];
const pair: Dim3 = [64, 1, 1];

/**
 * Draws a mask for each lane: all lanes that have not exited, or disjoint groups of the executing
 * lanes. Every named lane arrives, so no lane waits forever.
 */
const groupsOrAll = (rng: Random, able: number): readonly number[] =>
  rng.chance(0.4) ? disjointGroups(rng, able) : uniform(allLanes);
const groupsOrAble = (rng: Random, able: number): readonly number[] =>
  rng.chance(0.4) ? disjointGroups(rng, able) : uniform(able);

const outsideNatively: NativeNote = {
  runs: false,
  why: 'lanes execute without their own bit in membermask: undefined by PTX, an illegal instruction on sm_70 and later',
};

export const forms: readonly Form[] = [
  { name: 'register', block: pair, applies: any },
  { name: 'one-warp', block: warp, applies: any },
  { name: 'eight-warps', block: [16, 8, 2], applies: any },
  { name: 'full-mask', block: pair, applies: sync, immediates: () => [fullMask] },
  { name: 'segment', block: pair, applies: (row) => row.types.c !== undefined, immediates: () => segmentImmediates },
  {
    name: 'immediate',
    block: pair,
    alone: true,
    outsiders: 'branch',
    applies: (row) => immediatesOf(row, immediates).length > 0,
    immediates: (row) => immediatesOf(row, immediates),
  },
  {
    name: 'immediate-exit',
    block: pair,
    outsiders: 'exit',
    applies: (row) => sync(row) && immediatesOf(row, shrinkingImmediates).length > 0,
    immediates: (row) => immediatesOf(row, shrinkingImmediates),
  },
  { name: 'negated', block: pair, negatedSource: true, applies: (row) => row.syntax.includes('{!}a') },
  { name: 'junk', block: warp, junk: true, applies: (row) => row.types.c !== undefined },
  { name: 'no-predicate', block: pair, without: 'p', applies: optionalPredicate },
  { name: 'sink-d', block: pair, sink: 'd', applies: discardable },
  { name: 'sink-p', block: pair, sink: 'p', applies: optionalPredicate },
  { name: 'guard', block: pair, control: 'guard', applies: any, masks: groupsOrAble },
  { name: 'guard-not', block: warp, control: 'guard', negatedGuard: true, applies: any, masks: groupsOrAble },
  { name: 'exited', block: pair, control: 'exit', applies: any, masks: groupsOrAll },
  { name: 'inactive', block: pair, control: 'skip', applies: any, masks: groupsOrAble },
  { name: 'leaving', block: pair, control: 'leave', applies: sync, masks: groupsOrAll },
  { name: 'partial-warp', block: [45, 1, 1], applies: any },
  { name: 'groups', block: pair, applies: sync, masks: (rng, able) => disjointGroups(rng, able) },
  { name: 'outside', block: pair, applies: sync, masks: groupsAndOutsiders, native: outsideNatively },
  { name: 'arms', block: pair, control: 'arm', alone: true, applies: sync },
];

/**
 * Draws the lanes that execute in one warp. `exists` is the mask of the lanes that belong to the
 * block.
 */
export function drawPopulation(form: Form, rng: Random, exists: number): Population {
  const part = form.control === undefined ? 0 : properPart(rng, exists);
  const as = (control: Control): number => (form.control === control ? part : 0);
  const guard = form.control === 'guard' ? part : exists;
  return { exists, exits: as('exit'), skips: as('skip'), leaves: as('leave'), guard, secondArm: as('arm') };
}

/**
 * Returns the population at an instruction with these immediate operands. Lanes outside its
 * membermask have exited, or branch around the instruction.
 */
export function populationAt(form: Form, { membermask }: Immediates, population: Population): Population {
  if (form.outsiders === undefined || membermask === undefined) return population;
  const outside = (population.exists & ~membermask) >>> 0;
  return form.outsiders === 'exit'
    ? { ...population, exits: (population.exits | outside) >>> 0 }
    : { ...population, skips: (population.skips | outside) >>> 0 };
}

/** Returns the lanes that execute the instruction. */
export function ableLanes({ exists, exits, skips, leaves, guard }: Population): number {
  return (exists & guard & ~(exits | skips | leaves)) >>> 0;
}

/**
 * Returns the lanes that count as exited when the instruction stops waiting. They leave the kernel
 * before the instruction, or branch to the end of the kernel.
 */
export function exitedLanes({ exists, exits, leaves }: Population): number {
  return (~exists | exits | leaves) >>> 0;
}

/** Returns the lanes that reach the stores. */
export function storingLanes({ exists, exits, leaves }: Population): number {
  return maskOf((lane) => has(exists, lane) && !has(exits, lane) && !has(leaves, lane));
}

/**
 * Returns the destinations that the form's instruction names, each as a register or as the sink
 * `_`.
 */
export function destinations(form: Form, row: IsaRow): { readonly name: string; readonly sink: boolean }[] {
  return written(row)
    .filter((name) => name !== form.without)
    .map((name) => ({ name, sink: name === form.sink }));
}

function immediatesOf(
  row: IsaRow,
  table: Readonly<Partial<Record<WarpRowName, readonly Immediates[]>>>,
): readonly Immediates[] {
  const byName: Readonly<Record<string, readonly Immediates[] | undefined>> = table;
  return byName[row.name satisfies string | WarpRowName] ?? [];
}
