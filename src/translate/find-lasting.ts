// Registers that are as good as names of values.
import { dominatorTree, immediateDominators } from './dominators.ts';
import { type Block, countDefinitions, definedRegisters, terminatorRegisters, usedRegisters } from './ir.ts';

/// Registers that one instruction without a guard writes, which every reading comes after; and those that nothing writes. What such a register was made of, if that lasts
/// too, still holds the same wherever the register is read: a path back to it passes by the register's own writing again.
export function findLasting(blocks: readonly Block[]): ReadonlySet<string> {
  const counts = countDefinitions(blocks);
  const written = new Map<string, { readonly block: number; readonly index: number }>();
  blocks.forEach(({ code }, block) => {
    code.forEach((instruction, index) => {
      if (instruction.guard) return;
      for (const { name } of definedRegisters(instruction))
        if (counts.get(name) === 1) written.set(name, { block, index });
    });
  });
  const dominates = dominatorTree(immediateDominators(blocks));
  const lasting = new Set(written.keys());
  blocks.forEach(({ code, end }, block) => {
    const read = (name: string, index: number) => {
      const at = written.get(name);
      // A fragment's inputs.
      if (!counts.has(name)) lasting.add(name);
      if (at && (at.block === block ? at.index >= index : !dominates(at.block, block))) lasting.delete(name);
    };
    code.forEach((instruction, index) => {
      for (const { name } of usedRegisters(instruction)) read(name, index);
    });
    for (const { name } of terminatorRegisters(end)) read(name, code.length);
  });
  return lasting;
}
