// The memories of a program as WGSL arrays.
import { at, get, InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { Root } from '../../ir/memory.ts';
import type { Granule } from '../../memory-plan.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';

/** A memory as an array of words or of vectors of words. */
export interface Memory {
  readonly array: Expr;
  readonly granule: Granule;
  readonly atomic: boolean;
  /** Whether accesses of two words are indivisible, because they use locks. */
  readonly cells: boolean;
  /** `private`: memory of one lane, in variables or in a buffer. */
  readonly space: 'storage' | 'workgroup' | 'private';
}

const shapeOf = ({ granule, atomic, cells }: Omit<Memory, 'array' | 'space'>) => ({ granule, atomic, cells });

/** The parts of an emitter that locate the memory of a lane. */
export type LaneOfProgram = Pick<Emitter, 'uses' | 'slot'>;

export function memoryOf({ uses, slot }: LaneOfProgram, root: Root): Memory {
  const { memory } = uses.options;
  switch (root.kind) {
    case 'heap':
      return { ...shapeOf(memory.heap), array: uses.use(uses.heap), space: 'storage' };
    case 'instructions':
      return { array: uses.use(uses.instructions), granule: 1, atomic: false, cells: false, space: 'storage' };
    case 'buffer': {
      const plan = get(memory.buffers, root.param, 'a buffer');
      const variable = get(uses.buffers, root.param, 'a buffer');
      return { ...shapeOf(plan), array: uses.use(variable), space: 'storage' };
    }
    case 'array': {
      const plan = at(memory.arrays, root.array, 'an array');
      const variable = at(uses.arrays, root.array, 'an array');
      if (plan.space === 'shared') return { ...shapeOf(plan), array: uses.use(variable), space: 'workgroup' };
      if (uses.localBuffer) {
        const buffered = uses.localBuffer.arrayOf(root.array, firstLane(uses), slot);
        return { ...shapeOf(plan), array: buffered, space: 'private' };
      }
      const whole = uses.use(variable);
      const array = uses.slots > 1 ? w.index(whole, slot) : whole;
      return { ...shapeOf(plan), array, space: 'private' };
    }
    default:
      throw new InternalError(`an access to ${root.kind} is not legal`);
  }
}

/** Returns the grid-wide number of the invocation's first lane. */
const firstLane = (uses: ProgramUses): Expr =>
  uses.invocationValue('first_lane', () => {
    const [block, blocks] = [uses.builtin('ctaid'), uses.builtin('nctaid')];
    const row = w.add(w.swizzle(block, 'y'), w.mul(w.swizzle(blocks, 'y'), w.swizzle(block, 'z')));
    const number = w.add(w.swizzle(block, 'x'), w.mul(w.swizzle(blocks, 'x'), row));
    const invocation = w.add(w.mul(number, w.u32(uses.options.workgroupSize)), uses.builtin('thread'));
    return uses.slots > 1 ? w.mul(invocation, w.u32(uses.slots)) : invocation;
  });

/** Returns a word of a memory, by its index. */
export function elementOf({ array, granule }: Memory, word: Expr): Expr {
  if (granule === 1) return w.index(array, word);
  const shift = w.u32(granule === 4 ? 2 : 1);
  return w.index(w.index(array, w.shr(word, shift)), w.and(word, w.u32(granule - 1)));
}

export function nameOfMemory({ arrays, buffers, heap }: ProgramUses, root: Root): string {
  if (root.kind === 'array') return at(arrays, root.array, 'an array').name.hint;
  if (root.kind === 'buffer') return get(buffers, root.param, 'a buffer').name.hint;
  return root.kind === 'heap' ? heap.name.hint : root.kind;
}
