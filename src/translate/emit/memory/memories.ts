// The memories of a program as WGSL arrays.
import { at, get, InternalError, missing } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import type { Root } from '../../ir/memory.ts';
import type { Elements, Granule } from '../../memory-plan.ts';
import { zeroOf } from '../program/ordered-accesses.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';

/** A memory as an array of words or of vectors of words. */
export interface Memory {
  readonly array: Expr;
  readonly granule: Granule;
  readonly atomic: boolean;
  /** Whether accesses of several words are indivisible, because they use locks. */
  readonly cells: boolean;
  /** Whether lanes load cells twice, because other lanes store single words of them. */
  readonly rereads: boolean;
  /** For ordered memory, a term of each index: the number 0, which depends on the lane's last wait. */
  readonly zero: Expr | undefined;
  /** Who accesses the memory. Memory of a workgroup or a lane is in variables or in a buffer. */
  readonly space: 'storage' | 'workgroup' | 'private';
}

const shapeOf = (uses: ProgramUses, { granule, atomic, cells, rereads, ordered }: Elements) => ({
  granule,
  atomic,
  cells,
  rereads,
  zero: ordered ? zeroOf(uses) : undefined,
});

/** The parts of an emitter that locate the memory of a lane. */
export type LaneOfProgram = Pick<Emitter, 'uses' | 'slot'>;

export function memoryOf({ uses, slot }: LaneOfProgram, root: Root): Memory {
  const { memory } = uses.options;
  switch (root.kind) {
    case 'heap':
      return { ...shapeOf(uses, memory.heap), array: uses.use(uses.heap), space: 'storage' };
    case 'instructions':
      return {
        array: uses.use(uses.instructions),
        granule: 1,
        atomic: false,
        cells: false,
        rereads: false,
        zero: undefined,
        space: 'storage',
      };
    case 'buffer': {
      const plan = get(memory.buffers, root.param, 'a buffer');
      const variable = get(uses.buffers, root.param, 'a buffer');
      return { ...shapeOf(uses, plan), array: uses.use(variable), space: 'storage' };
    }
    case 'array': {
      const plan = at(memory.arrays, root.array, 'an array');
      const variable = at(uses.arrays, root.array, 'an array');
      const { blockMemory } = uses;
      if (plan.space === 'shared') {
        const array = plan.buffered
          ? (blockMemory ?? missing('the memory of blocks')).sharedArray(root.array, blockNumber(uses))
          : uses.use(variable);
        return { ...shapeOf(uses, plan), array, space: 'workgroup' };
      }
      if (blockMemory?.isLocalBuffered) {
        const array = blockMemory.localArray(root.array, blockNumber(uses), laneNumber(uses, slot));
        return { ...shapeOf(uses, plan), array, space: 'private' };
      }
      const whole = uses.use(variable);
      const array = uses.slots > 1 ? w.index(whole, slot) : whole;
      return { ...shapeOf(uses, plan), array, space: 'private' };
    }
    default:
      throw new InternalError(`an access to ${root.kind} is not legal`);
  }
}

/** Returns the number of the workgroup in the grid. */
const blockNumber = (uses: ProgramUses): Expr =>
  uses.invocationValue('block_number', () => {
    const [block, blocks] = [uses.builtin('ctaid'), uses.builtin('nctaid')];
    const row = w.add(w.swizzle(block, 'y'), w.mul(w.swizzle(blocks, 'y'), w.swizzle(block, 'z')));
    return w.add(w.swizzle(block, 'x'), w.mul(w.swizzle(blocks, 'x'), row));
  });

/** Returns the number of a lane in its workgroup. */
function laneNumber(uses: ProgramUses, slot: Expr): Expr {
  if (uses.slots === 1) return uses.invocationValue('thread_number', () => uses.builtin('thread'));
  const first = uses.invocationValue('first_lane', () => w.mul(uses.builtin('thread'), w.u32(uses.slots)));
  return w.add(first, slot);
}

/** Returns a word of a memory, by its index. */
export function elementOf({ array, granule, zero }: Memory, word: Expr): Expr {
  if (granule === 1) return w.index(array, zero ? w.add(word, zero) : word);
  const shift = w.u32(granule === 4 ? 2 : 1);
  return w.index(w.index(array, w.shr(word, shift)), w.and(word, w.u32(granule - 1)));
}

export function nameOfMemory({ arrays, buffers, heap }: ProgramUses, root: Root): string {
  if (root.kind === 'array') return at(arrays, root.array, 'an array').name.hint;
  if (root.kind === 'buffer') return get(buffers, root.param, 'a buffer').name.hint;
  return root.kind === 'heap' ? heap.name.hint : root.kind;
}
