// The size of a run of a litmus test: how many instances run in parallel, and where.
import type { LitmusTest } from '../../memory-model/index.ts';

/**
 * The sizes of a launch. A team is a set of blocks, one for each block of the test. Each team runs
 * `slots` instances at the same time, in `iterations` rounds. All sizes are powers of two.
 */
export interface LaunchSize {
  readonly teams: number;
  readonly slots: number;
  readonly iterations: number;
  /** The number of blocks that only access other memory, to disturb the test. */
  readonly stressBlocks: number;
}

export const hardwareSize: LaunchSize = { teams: 64, slots: 128, iterations: 64, stressBlocks: 32 };
export const softwareSize: LaunchSize = { teams: 4, slots: 32, iterations: 4, stressBlocks: 0 };

export const instancesOf = ({ teams, slots, iterations }: LaunchSize): number => teams * slots * iterations;

/** The threads of a test by block. */
export interface Layout {
  /** For each block of the test, the numbers of its threads. */
  readonly blocks: readonly (readonly number[])[];
  /** The maximum number of threads of a block. */
  readonly width: number;
}

export function layoutOf({ threads }: LitmusTest): Layout {
  const numbers = [...new Set(threads.map(({ placement }) => placement.block))];
  const blocks = numbers.map((block) =>
    threads.flatMap(({ placement }, index) => (placement.block === block ? [index] : [])),
  );
  return { blocks, width: Math.max(...blocks.map((own) => own.length)) };
}

/** The bytes of a location of each instance. */
export const locationBytes = 8;
/** The bytes of an observed value. */
export const valueBytes = 8;
