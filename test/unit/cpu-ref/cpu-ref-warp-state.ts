// Warp states for the tests of the reference's warp functions.
import { type WarpResult, type WarpState, warpFunctions } from '../../../src/cpu-ref/index.ts';
import type { Mods, WarpRowName } from '../../../src/isa/index.ts';

export const fullWarp = 0xffffffff;

/** One value for all lanes, one value per lane, or a function of the lane. */
export type PerLane<T extends number | bigint> = T | readonly T[] | ((lane: number) => T);

function spread<T extends number | bigint>(values: PerLane<T>): readonly T[] {
  return Array.from({ length: 32 }, (_, lane) => {
    if (typeof values === 'function') return values(lane);
    if (typeof values !== 'object') return values;
    const value = values[lane];
    if (value === undefined) throw new Error(`No value for lane ${lane}.`);
    return value;
  });
}

/** Returns each lane's bit of a mask. */
export function predicates(mask: number): (lane: number) => number {
  return (lane) => (mask >>> lane) & 1;
}

export interface Setup {
  readonly active?: number;
  readonly exited?: number;
  readonly sources: Readonly<Record<string, PerLane<number> | PerLane<bigint>>>;
}

export interface Outcome {
  /** Returns the results of one destination, by lane. */
  values(name: string): readonly (number | bigint)[];
  /** Returns the distinct results of `lanes` in one destination. */
  distinct(name: string, lanes?: number): readonly (number | bigint)[];
  defined(name: string): number;
}

/** Executes a warp instruction. By default all lanes are active and in the membermask. */
export function execute(row: WarpRowName, mods: Mods, { active = fullWarp, exited = 0, sources }: Setup): Outcome {
  const state: WarpState = {
    active,
    exited,
    sources: Object.fromEntries(
      Object.entries({ membermask: fullWarp, ...sources }).map(([name, values]) => [name, spreadAny(values)]),
    ),
  };
  const { results, defined }: WarpResult = warpFunctions[row](mods, state);
  const values = (name: string) => Array.from<number | bigint>(results[name] ?? []);
  return {
    values,
    distinct: (name, lanes = fullWarp) => [...new Set(values(name).filter((_, lane) => predicates(lanes)(lane) === 1))],
    defined: (name) => defined[name] ?? 0,
  };
}

function spreadAny(values: PerLane<number> | PerLane<bigint>): readonly number[] | readonly bigint[] {
  const lanes = spread<number | bigint>(values);
  const words = lanes.filter((value) => typeof value === 'number');
  return words.length === lanes.length ? words : lanes.map(BigInt);
}
