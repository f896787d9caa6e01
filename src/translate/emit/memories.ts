// The memories of a program as WGSL arrays.
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import type { Root } from '../ir/memory.ts';
import type { Granule } from '../memory-plan.ts';
import type { Emitter } from './emitter.ts';

/// One memory as an array of words or of vectors of words.
export interface Memory {
  readonly array: Expr;
  readonly granule: Granule;
  readonly atomic: boolean;
}

/// What of a function tells where its lanes' memory is.
export type LaneOfProgram = Pick<Emitter, 'uses' | 'slots' | 'slot'>;

/// The memory of a root that has one.
export function memoryOf({ uses, slots, slot }: LaneOfProgram, root: Root): Memory {
  const { memory } = uses.options;
  switch (root.kind) {
    case 'heap':
      return { array: uses.use(uses.heap), granule: memory.heap.granule, atomic: memory.heap.atomic };
    case 'buffer': {
      const [plan, variable] = [memory.buffers.get(root.param), uses.buffers.get(root.param)];
      if (plan === undefined || variable === undefined) throw new Error(`parameter ${root.param} has no buffer`);
      return { array: uses.use(variable), granule: plan.granule, atomic: plan.atomic };
    }
    case 'array': {
      const [plan, variable] = [memory.arrays[root.array], uses.arrays[root.array]];
      if (plan === undefined || variable === undefined) throw new Error(`no array ${root.array}`);
      const whole = uses.use(variable);
      const array = plan.space === 'local' && slots > 1 ? w.index(whole, slot) : whole;
      return { array, granule: plan.granule, atomic: plan.atomic };
    }
    default:
      throw new Error(`an access to ${root.kind} is not legal`);
  }
}

/// A word of a memory by its number.
export function elementOf({ array, granule }: Memory, word: Expr): Expr {
  if (granule === 1) return w.index(array, word);
  const shift = w.u32(granule === 4 ? 2 : 1);
  return w.index(w.index(array, w.shr(word, shift)), w.and(word, w.u32(granule - 1)));
}
