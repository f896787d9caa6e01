// Collects instructions to insert after a value's definition, before an instruction, or at the
// start or end of a block.

import { getOrInsert } from '../../../base/maps.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Block, Definition, Func, Inst } from '../../ir/nodes.ts';

export class Insertions {
  private readonly after = new IdMap<Inst, Inst[]>();
  private readonly before = new IdMap<Inst, Inst[]>();
  private readonly starts = new IdMap<Block, Inst[]>();
  private readonly ends = new IdMap<Block, Inst[]>();

  afterDefinition(value: Definition): Inst[] {
    return value.kind === 'result' ? listOf(this.after, value.inst) : listOf(this.starts, value.block);
  }

  atStart(block: Block): Inst[] {
    return listOf(this.starts, block);
  }

  beforeInst(inst: Inst): Inst[] {
    return listOf(this.before, inst);
  }

  atEnd(block: Block): Inst[] {
    return listOf(this.ends, block);
  }

  /**
   * Inserts the collected instructions. An instruction may also be inserted after another inserted
   * instruction.
   */
  apply(func: Func): void {
    if (this.after.size + this.before.size + this.starts.size + this.ends.size === 0) return;
    for (const block of func.blocks) {
      const starts = this.starts.get(block);
      const ends = this.ends.get(block);
      if (!starts && !ends && !block.insts.some((inst) => this.after.has(inst) || this.before.has(inst))) continue;
      const insts: Inst[] = [];
      const stack: Inst[] = [];
      const pushReversed = (list: readonly Inst[] | undefined) => {
        if (list !== undefined) for (const inst of [...list].reverse()) stack.push(inst);
      };
      const add = (list: readonly Inst[] | undefined) => {
        pushReversed(list);
        for (let inst = stack.pop(); inst !== undefined; inst = stack.pop()) {
          insts.push(inst);
          pushReversed(this.after.get(inst));
        }
      };
      add(starts);
      for (const inst of block.insts) {
        add(this.before.get(inst));
        insts.push(inst);
        add(this.after.get(inst));
      }
      add(ends);
      block.insts = insts;
    }
  }
}

function listOf<Key extends Inst | Block>(lists: IdMap<Key, Inst[]>, key: Key): Inst[] {
  return getOrInsert(lists, key, () => []);
}
