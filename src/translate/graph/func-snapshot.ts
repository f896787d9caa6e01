// Detects changes to a function, for analyses that keep their results.
import { at } from '../../base/invariants.ts';
import type { Func } from '../ir/nodes.ts';

/**
 * A snapshot of the parts of a function that passes may replace. Passes never modify attributes, or
 * lists of arguments, results or parameters, in place. So comparing references is enough.
 */
export class FuncSnapshot {
  private readonly func: Func;
  private readonly parts: unknown[] = [];

  constructor(func: Func) {
    this.func = func;
    everyPart(func, (part) => this.parts.push(part) > 0);
  }

  /** Whether no pass has changed the function since the snapshot. */
  isCurrent(): boolean {
    let index = 0;
    return everyPart(this.func, (part) => part === this.parts[index++]) && index === this.parts.length;
  }
}

/**
 * Whether `test` holds for every part. A function has many parts, and a callback is faster than a
 * generator.
 */
function everyPart({ blocks }: Func, test: (part: unknown) => boolean): boolean {
  for (const block of blocks) {
    const { params, insts, end } = block;
    if (!test(block) || !test(params) || !test(end)) return false;
    for (let index = 0; index < insts.length; index++) {
      const inst = at(insts, index, 'an instruction');
      if (!test(inst) || !test(inst.attrs) || !test(inst.args) || !test(inst.results)) return false;
      if (!test(inst.when) || !test(inst.otherwise)) return false;
    }
  }
  return true;
}
