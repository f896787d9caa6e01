import type { Lanes, Machine } from './machine.ts';
import { allLanes, noLanes } from './machine.ts';
import type { Program } from './program.ts';

export interface MachineOptions {
  readonly size: number;
  /** The number of existing lanes. */
  readonly lanes: number;
  readonly memories: readonly Uint32Array[];
  readonly budget: { steps: number };
  readonly uniformSubgroups: boolean;
  readonly races: (name: string) => boolean;
}

/**
 * Creates a subgroup whose registers hold the program's literals. The caller must then run
 * `program.initial`.
 */
export function createMachine(program: Program, options: MachineOptions): Machine {
  const { size } = options;
  const registers = new Uint32Array(program.registers * size);
  for (const [bits, register] of program.literals) registers.fill(bits, register * size, (register + 1) * size);
  return {
    size,
    registers,
    memories: options.memories,
    unseen: options.memories.map(() => new Map()),
    looked: program.memories.map(({ space, name }) =>
      space === 'workgroup' && options.races(name)
        ? { reads: new Set<number>(), atomics: new Map<number, number>() }
        : undefined,
    ),
    parked: Array.from({ length: program.slots }, (): Lanes => noLanes),
    all: allLanes(options.lanes),
    budget: options.budget,
    uniformSubgroups: options.uniformSubgroups,
  };
}
