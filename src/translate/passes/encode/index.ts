// Encodes a large kernel as data. Drivers inline every function and compile every instruction, so a
// kernel with many instructions compiles for minutes. The encoded kernel is a loop that reads one
// instruction after another from a buffer, and executes it on registers in an array. The size of
// this loop depends on the number of different operations, and not on the number of instructions.
//
// An encoded instruction costs tens of instructions. So this applies only to kernels that drivers
// would not compile in a reasonable time.
import type { Builder } from '../../ir/builder.ts';
import type { Program } from '../../ir/nodes.ts';
import type { ArrayPlan, MemoryPlan } from '../../memory-plan.ts';
import { Encoder } from './encoder.ts';
import { Machine } from './machine.ts';

/** Encodes the kernel in place. Returns the plan of memory with the code and the registers. */
export function encode(program: Program, builder: Builder, memory: MemoryPlan): MemoryPlan {
  const { arrays } = memory;
  const start = arrays.reduce(
    (end, array) => (array.space === 'local' ? Math.max(end, array.start + 4 * array.words) : end),
    0,
  );
  const machine = new Machine(builder, arrays.length);
  const { code, registers } = new Encoder(machine, program).encode();
  program.kernel.blocks = machine.finish();
  program.functions = [];
  const array: ArrayPlan = {
    hint: 'registers',
    space: 'local',
    start,
    words: registers,
    granule: 1,
    atomic: false,
    cells: false,
    rereads: false,
    ordered: false,
    buffered: false,
  };
  return { ...memory, arrays: [...arrays, array], instructions: code };
}
