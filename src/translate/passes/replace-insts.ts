// Replaces some instructions with others.
import type { Builder } from '../ir/builder.ts';
import type { Func, Inst } from '../ir/nodes.ts';

/**
 * Replaces each instruction for which `isChanged` holds with the instructions that `write` builds.
 */
export function replaceInsts(
  func: Func,
  builder: Builder,
  isChanged: (inst: Inst) => boolean,
  write: (inst: Inst) => void,
): void {
  for (const block of func.blocks) {
    const { insts } = block;
    if (!insts.some(isChanged)) continue;
    block.insts = [];
    builder.into(block.insts);
    for (const inst of insts) {
      builder.span = inst.span;
      if (isChanged(inst)) write(inst);
      else block.insts.push(inst);
    }
  }
}
