// Gives each value of a reused register a name of its own. Hand-written PTX loads every address into the same register; apart, each has
// one known buffer, constants fold, and what is used in one place only needs no variable.
import type { Instruction, Register } from '../ptx/ast.ts';
import { renameOperand } from './inline-calls.ts';
import { type Block, countDefinitions, definedRegisters, isDestination, liveness, mapOperands } from './ir.ts';

/// Renames within blocks: every value that does not leave its block, of registers written more than once.
export function splitRanges(blocks: readonly Block[]): Block[] {
  const definitions = countDefinitions(blocks);
  const reused = new Set([...definitions].flatMap(([name, count]) => (count > 1 ? [name] : [])));
  if (reused.size === 0) return [...blocks];
  const live = liveness(blocks, reused).atEnd;
  let copies = 0;
  return blocks.map((block, id) => {
    // Where each value of a register is last replaced: values before that do not leave the block.
    const final = new Map<string, number>();
    block.code.forEach((instruction, index) => {
      for (const { name } of definedRegisters(instruction)) if (!instruction.guard) final.set(name, index);
    });
    const current = new Map<string, string>();
    const renamed = (register: Register): Register => {
      const name = current.get(register.name);
      return name === undefined ? register : { ...register, name };
    };
    const code = block.code.map((instruction, index): Instruction => {
      const sources = renameSources(instruction, renamed);
      if (instruction.guard) return renameDestinations(sources, renamed);
      for (const { name } of definedRegisters(instruction)) {
        if (!reused.has(name)) continue;
        const leaves = final.get(name) === index && live[id]?.has(name);
        // A guarded write later merges with this value, under the same name.
        if (leaves) {
          current.delete(name);
        } else {
          do copies += 1;
          while (definitions.has(`${name}$${copies}`));
          current.set(name, `${name}$${copies}`);
        }
      }
      return renameDestinations(sources, renamed);
    });
    const { end } = block;
    if (end.kind === 'branch')
      return { code, end: { ...end, guard: { ...end.guard, register: renamed(end.guard.register) } } };
    if (end.kind !== 'switch' || end.selector.kind !== 'register') return { code, end };
    return { code, end: { ...end, selector: { ...end.selector, register: renamed(end.selector.register) } } };
  });
}

const identity = {
  variable: <T>(variable: T) => variable,
  label: (label: string) => label,
};

function renameSources(instruction: Instruction, register: (register: Register) => Register): Instruction {
  const renamed = renameWhere(instruction, register, (name) => !isDestination(instruction, name));
  const { guard } = instruction;
  const own = guard && register(guard.register);
  return guard && own && own !== guard.register ? { ...renamed, guard: { ...guard, register: own } } : renamed;
}

function renameDestinations(instruction: Instruction, register: (register: Register) => Register): Instruction {
  return renameWhere(instruction, register, (name) => isDestination(instruction, name));
}

function renameWhere(
  instruction: Instruction,
  register: (register: Register) => Register,
  which: (name: string) => boolean,
): Instruction {
  return mapOperands(instruction, (operand, name) => {
    if (!which(name)) return operand;
    // Most operands are registers, and most of those keep their names.
    if (operand.kind === 'register' && register(operand.register) === operand.register) return operand;
    return operand.kind === 'immediate' ? operand : renameOperand(operand, { register, ...identity });
  });
}
