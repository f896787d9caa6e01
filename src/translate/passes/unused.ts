// Finds instructions that lose their last reader when terminators change.

import { countOf } from '../../base/maps.ts';
import { forEachOperand, useCounts } from '../graph/users.ts';
import { type Block, type Func, type Inst, isDefinition, type Terminator, type Value, valuesOf } from '../ir/nodes.ts';
import { isRemovable } from './remove-dead-code.ts';

/**
 * Counts the readers of each value, so that a block that only computed a removed condition becomes
 * empty immediately.
 */
export class Unused {
  private readonly func: Func;
  private counts: ReturnType<typeof useCounts> | undefined;
  private readonly insts = new Set<Inst>();

  constructor(func: Func) {
    this.func = func;
  }

  hasOnly({ insts }: Block): boolean {
    return insts.length === 0 || (this.insts.size > 0 && insts.every((inst) => this.insts.has(inst)));
  }

  replaceEnd(block: Block, end: Terminator): void {
    const before = block.end;
    if (before === end) return;
    // Start counting when the first condition is removed.
    if (before.kind !== end.kind) this.counts ??= useCounts(this.func);
    block.end = end;
    if (this.counts === undefined) return;
    for (const value of valuesOf(end)) this.add(value, 1);
    for (const value of valuesOf(before)) this.drop(value);
  }

  /** Adds the readers in instructions that were built after the first count. */
  addInsts(insts: readonly Inst[]): void {
    if (this.counts === undefined) return;
    for (const inst of insts) forEachOperand(inst, (operand) => this.add(operand, 1));
  }

  private add(value: Value, by: number): number {
    if (!isDefinition(value) || this.counts === undefined) return 1;
    const count = countOf(this.counts, value) + by;
    this.counts.set(value, count);
    return count;
  }

  private drop(value: Value): void {
    const queue = [value];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (this.add(next, -1) > 0 || next.kind !== 'result') continue;
      const { inst } = next;
      if (!isRemovable(inst) || this.insts.has(inst) || inst.results.some((result) => this.counts?.get(result)))
        continue;
      this.insts.add(inst);
      forEachOperand(inst, (operand) => queue.push(operand));
    }
  }
}
