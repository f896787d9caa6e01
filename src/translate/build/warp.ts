// Warp instructions: one operation each, with the arguments and results of the row's syntax.
import type { Mods, WarpRowName } from '../../isa/index.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { Value } from '../ir/nodes.ts';
import type { Registers } from './registers.ts';
import type { InstructionBuild, RowSlots } from './row-slots.ts';

export function warpRow(row: WarpRowName, mods: Mods, { sources, results }: RowSlots): InstructionBuild {
  const attrs = { row, mods };
  return (registers: Registers, { operands }: Instruction) => {
    const args: Value[] = [];
    for (const { name, type } of sources) {
      const operand = operands[name];
      if (operand !== undefined) args.push(registers.read(operand, type));
    }
    const values = registers.b.emit('warp', attrs, args);
    results.forEach(({ name, signed }, index) => {
      const value = values[index];
      if (value) registers.write(operands[name], value, signed);
    });
  };
}
