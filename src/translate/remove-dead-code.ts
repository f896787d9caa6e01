// Drops instructions whose results nobody reads: the predicates nvcc asks of every shuffle, and what folding has left behind.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { type Block, definedRegisters, isDestination, terminatorRegisters, usedRegisters } from './ir.ts';

/// A result nobody reads can go unless the instruction does something else: memory, barriers, other lanes' waiting.
function hasEffect(instruction: Instruction): boolean {
  const { row } = instruction;
  if (row.kind === 'atomic' || row.kind === 'barrier' || row.kind === 'control') return true;
  if (row.kind === 'warp') return true;
  return row.name === 'st' || row.name === 'st.volatile' || row.name === 'ld.volatile';
}

export function removeDeadCode(blocks: readonly Block[]): Block[] {
  let current = blocks.map((block) => ({ ...block }));
  for (;;) {
    const used = new Set<string>();
    for (const { code, end } of current) {
      for (const instruction of code) {
        for (const { name } of usedRegisters(instruction)) used.add(name);
        if (instruction.row.carry?.in) used.add(carryFlag);
      }
      for (const { name } of terminatorRegisters(end)) used.add(name);
    }
    let removed = 0;
    current = current.map(({ code, end }) => ({
      end,
      code: code.flatMap((instruction) => {
        const results = definedRegisters(instruction);
        const setsCarry = writesCarry(instruction) && used.has(carryFlag);
        if (!hasEffect(instruction) && !setsCarry && results.every(({ name }) => !used.has(name))) {
          removed += 1;
          return [];
        }
        return [dropUnusedResults(instruction, used)];
      }),
    }));
    if (removed === 0) return current;
  }
}

/// Name of the implicit carry register among a lane's registers.
export const carryFlag = '%CC.CF';

export function writesCarry(instruction: Instruction): boolean {
  const out = instruction.row.carry?.out;
  return out === true || (out === 'cc' && instruction.mods.cc !== undefined);
}

/// Removes the destinations of a warp or atomic instruction that nobody reads.
function dropUnusedResults(instruction: Instruction, used: ReadonlySet<string>): Instruction {
  if (instruction.row.kind !== 'warp' && instruction.row.kind !== 'atomic' && !instruction.row.name.startsWith('setp'))
    return instruction;
  const unused = ([name, operand]: [string, Operand]) =>
    isDestination(instruction, name) && operand.kind === 'register' && !used.has(operand.register.name);
  const entries = Object.entries(instruction.operands);
  if (!entries.some(unused)) return instruction;
  const operands = entries.map(([name, operand]): [string, Operand] =>
    unused([name, operand]) ? [name, { kind: 'sink', span: operand.span }] : [name, operand],
  );
  return { ...instruction, operands: Object.fromEntries(operands) };
}
