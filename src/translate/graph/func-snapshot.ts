// Detects changes to a function, for analyses that keep their results.
import { at } from '../../base/invariants.ts';
import type { Func } from '../ir/nodes.ts';

/**
 * A snapshot of the parts of a function that passes may replace. Passes never modify attributes, or
 * lists of arguments, results or parameters, in place. So comparing references is enough.
 */
export class FuncSnapshot {
  private readonly func: Func;
  private readonly parts: readonly unknown[];

  constructor(func: Func) {
    this.func = func;
    this.parts = [...partsOf(func)];
  }

  /** Whether no pass has changed the function since the snapshot. */
  isCurrent(): boolean {
    let index = 0;
    for (const part of partsOf(this.func)) if (part !== this.parts[index++]) return false;
    return index === this.parts.length;
  }
}

function* partsOf({ blocks }: Func): Generator<unknown> {
  for (const block of blocks) {
    const { params, insts, end } = block;
    yield block;
    yield params;
    yield end;
    for (let index = 0; index < insts.length; index++) {
      const inst = at(insts, index, 'an instruction');
      yield inst;
      yield inst.attrs;
      yield inst.args;
      yield inst.results;
      yield inst.when;
      yield inst.otherwise;
    }
  }
}
