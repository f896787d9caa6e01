// Gives each value of a reused register a name of its own. Hand-written PTX loads every address into the same register; apart, each has
// one known buffer, constants fold, and what is used in one place only needs no variable.
import type { Instruction, Register } from '../ptx/ast.ts';
import { renameInstruction } from './inline-calls.ts';
import { type Block, definedRegisters, isDestination, successors, terminatorRegisters, usedRegisters } from './ir.ts';

/// Renames within blocks: every value that does not leave its block, of registers written more than once.
export function splitRanges(blocks: readonly Block[]): Block[] {
  const counts = new Map<string, number>();
  for (const { code } of blocks) {
    for (const instruction of code) {
      for (const { name } of definedRegisters(instruction)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const reused = new Set([...counts].flatMap(([name, count]) => (count > 1 ? [name] : [])));
  if (reused.size === 0) return [...blocks];
  const live = liveAtEnd(blocks);
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
          copies += 1;
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
  return renameWhere(instruction, register, (name) => !isDestination(instruction, name), true);
}

function renameDestinations(instruction: Instruction, register: (register: Register) => Register): Instruction {
  return renameWhere(instruction, register, (name) => isDestination(instruction, name), false);
}

function renameWhere(
  instruction: Instruction,
  register: (register: Register) => Register,
  which: (name: string) => boolean,
  guard: boolean,
): Instruction {
  const all = renameInstruction(instruction, { register, ...identity });
  const operands = Object.fromEntries(
    Object.entries(instruction.operands).map(([name, operand]) => [
      name,
      which(name) ? (all.operands[name] ?? operand) : operand,
    ]),
  );
  return { ...instruction, operands, guard: guard ? all.guard : instruction.guard };
}

/// Registers whose value some later block reads, by block.
function liveAtEnd(blocks: readonly Block[]): ReadonlySet<string>[] {
  const reads = blocks.map(({ code, end }) => {
    const used = new Set<string>();
    const defined = new Set<string>();
    for (const instruction of code) {
      for (const { name } of usedRegisters(instruction)) if (!defined.has(name)) used.add(name);
      // A guarded write keeps the old value in some lanes.
      for (const { name } of definedRegisters(instruction)) {
        if (!instruction.guard) defined.add(name);
        else if (!defined.has(name)) used.add(name);
      }
    }
    for (const { name } of terminatorRegisters(end)) if (!defined.has(name)) used.add(name);
    return { used, defined };
  });
  const atStart: Set<string>[] = reads.map(({ used }) => new Set(used));
  const atEnd: Set<string>[] = blocks.map(() => new Set());
  for (let changed = true; changed; ) {
    changed = false;
    for (let id = blocks.length - 1; id >= 0; id--) {
      const [end, start, block] = [atEnd[id], atStart[id], blocks[id]];
      if (end === undefined || start === undefined || block === undefined) continue;
      for (const to of successors(block.end)) {
        for (const name of atStart[to] ?? []) {
          if (end.has(name)) continue;
          end.add(name);
          changed = true;
          if (!reads[id]?.defined.has(name)) start.add(name);
        }
      }
    }
  }
  return atEnd;
}
