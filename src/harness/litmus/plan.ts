// The size of a run of a litmus test: how many instances run in parallel, and where.
import type { LitmusTest, TestVariable } from '../../memory-model/index.ts';

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

/** The sizes of the launches on hardware, in turn: different sizes show different outcomes. */
export const hardwareSizes: readonly LaunchSize[] = [
  { teams: 64, slots: 128, iterations: 64, stressBlocks: 32 },
  { teams: 256, slots: 32, iterations: 64, stressBlocks: 128 },
  { teams: 128, slots: 128, iterations: 32, stressBlocks: 256 },
  { teams: 16, slots: 128, iterations: 64, stressBlocks: 128 },
];
export const softwareSizes: readonly LaunchSize[] = [{ teams: 4, slots: 32, iterations: 4, stressBlocks: 0 }];

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

/** The bytes of a location of each instance: 8, or 16 for a vector. */
export const locationBytes = ({ variable }: TestVariable): 8 | 16 => (variable.bytes > 8 ? 16 : 8);
/** The bytes of an observed value. */
export const valueBytes = 8;
/** The number of 32-bit words of the memory that stress accesses; a power of two. */
export const scratchWords = 1 << 20;
/** The maximum number of outcomes that PTX forbids of which a run keeps the values. */
export const maxSamples = 64;

/** The variables of a test, once each: `.shared` variables have an entry for each block. */
export function variablesOf({ variables }: LitmusTest): readonly TestVariable[] {
  return variables.filter(
    ({ variable }, index) => variables.findIndex((other) => other.variable.name === variable.name) === index,
  );
}

export const isShared = ({ variable }: TestVariable): boolean => variable.space === 'shared';

/** The variables in global memory. Each has a buffer, so shaders cannot treat them alike. */
export const globalsOf = (test: LitmusTest): readonly TestVariable[] =>
  variablesOf(test).filter((variable) => !isShared(variable));

/** The buffers of the kernel, after those of the variables. */
const bufferNames = ['out', 'sync', 'scratch', 'settings'] as const;

/** The name of a variable's buffer. */
export const memoryOf = (variable: string): string => `mem_${variable}`;

/** The buffers of the variables. */
export const memoriesOf = (test: LitmusTest): readonly string[] =>
  globalsOf(test).map(({ variable }) => memoryOf(variable.name));

/** The buffers of the kernel of the test, in order. */
export const testBuffers = (test: LitmusTest): readonly string[] => [...memoriesOf(test), ...bufferNames];
