// The workarounds: changes to generated code that avoid a bug or a slow form in a driver or in a
// WGSL compiler. The code that applies a workaround contains its id:
// `workarounds.has('part-bit-tests')`. `workaround-registry.ts` describes each of them. A page loads
// this file only.

import { type AdapterFacts, type Compiler, compilerOf, type Driver, driverOf } from './adapter-facts.ts';

/**
 * The drivers and the compilers that have a problem. If a field is missing, the problem is not
 * limited to certain drivers or compilers.
 */
export interface Concerned {
  readonly drivers?: readonly Driver[];
  readonly compilers?: readonly Compiler[];
}

const concerned = {
  'hide-negative-zeros': {},
  'hide-group-constants': {},
  'hide-known-operands': {},
  'check-zero-factors': {},
  'hide-matrix-zeros': {},
  'hide-matrix-subnormals': {},
  'part-bit-tests': { drivers: ['nvidia'] },
  'shift-before-extract': { drivers: ['nvidia'] },
  'ballot-for-any': { drivers: ['nvidia'] },
  'run-time-literals': { compilers: ['naga'] },
  'select-by-votes': { drivers: ['nvidia'] },
  'sink-rest': { drivers: ['nvidia'] },
  'bound-thread-number': { compilers: ['tint'] },
  'clamp-array-bases': { compilers: ['tint'] },
  'clamp-matrix-starts': { compilers: ['tint'] },
} as const satisfies Readonly<Record<string, Concerned>>;

export type WorkaroundId = keyof typeof concerned;

/** The workarounds that a translation applies. */
export type Workarounds = ReadonlySet<WorkaroundId>;

/** The adapters that each workaround is for. */
export const workarounds = Object.entries(concerned) as readonly (readonly [WorkaroundId, Concerned])[];

/** All workarounds, for an unknown adapter. No workaround makes a result wrong. */
export const allWorkarounds: Workarounds = new Set(workarounds.map(([id]) => id));

/** Returns the workarounds whose drivers and compilers the adapter may have. */
export function workaroundsFor(facts: AdapterFacts): Workarounds {
  const [driver, compiler] = [driverOf(facts), compilerOf(facts)];
  const needed = workarounds.filter(
    ([, { drivers, compilers }]) => mayBeIn(drivers, driver) && mayBeIn(compilers, compiler),
  );
  return new Set(needed.map(([id]) => id));
}

const mayBeIn = <Name>(names: readonly Name[] | undefined, name: Name | undefined): boolean =>
  names === undefined || name === undefined || names.includes(name);
