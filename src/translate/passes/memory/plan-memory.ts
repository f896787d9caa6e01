// Determines the properties of each memory from all its accesses: whether it is written, and
// whether its elements are atomic or vectors.
import { at, get } from '../../../base/invariants.ts';
import {
  type Access,
  type AccessInst,
  accessWords,
  type FoundAccesses,
  isWide,
  needsAtomics,
  races,
  updatesApart,
} from '../../analysis/accesses.ts';
import { synchronizedAccesses } from '../../analysis/synchronized-accesses.ts';
import { threadOrders } from '../../analysis/thread-orders.ts';
import type { Program } from '../../ir/nodes.ts';
import type { BufferPlan, Elements, Granule, MemoryPlan } from '../../memory-plan.ts';
import type { SplitArrays } from './split-arrays.ts';

interface Facts {
  granule: Granule;
  atomic: boolean;
  read: boolean;
  written: boolean;
  /** Whether lanes read values of several words while other lanes may change them. */
  raced: boolean;
  /** Whether lanes change such values in one access, and by accesses of single words. */
  updated: boolean;
  updatedByWords: boolean;
  /** Whether a thread may synchronize after an access, and before an access. */
  released: boolean;
  acquired: boolean;
  /** Whether an update must change all words of a value in one step. */
  cells: boolean;
}

const noFacts = (): Facts => ({
  granule: 1,
  atomic: false,
  read: false,
  written: false,
  raced: false,
  updated: false,
  updatedByWords: false,
  released: false,
  acquired: false,
  cells: false,
});

/**
 * Whether elements need locks, and whether lanes store single words of values that others read as a
 * whole. Elements need locks if a lane reads several words in one access while another lane may be
 * changing them, or if updates depend on all words.
 */
function cellsOf({ raced, updated, updatedByWords, cells }: Facts): Pick<Elements, 'cells' | 'rereads'> {
  const rereads = raced && updatedByWords;
  return { cells: cells || rereads || (raced && updated), rereads };
}

export function planMemory(
  program: Program,
  { accesses, bound, unclear, moved }: FoundAccesses,
  { layout, arrayOf, hasGeneric }: SplitArrays,
  toRaces: ReadonlySet<AccessInst>,
): MemoryPlan {
  const heap = noFacts();
  const buffers = new Map([...bound].map((param): [number, Facts] => [param, noFacts()]));
  const arrays = layout.arrays.map(noFacts);
  const orders = threadOrders(program);
  const { preceded, followed } = synchronizedAccesses(program);
  for (const access of accesses) {
    const { inst, target } = access;
    for (const facts of reached(access)) {
      facts.released ||= followed(inst);
      facts.acquired ||= preceded(inst);
      facts.atomic ||= needsAtomics(inst);
      facts.read ||= inst.op !== 'store';
      facts.written ||= inst.op !== 'load';
      facts.raced ||= races(inst);
      if (inst.op !== 'load' && toRaces.has(inst)) {
        if (isWide(inst)) facts.updated = true;
        else facts.updatedByWords = true;
      }
      facts.cells ||= isWide(inst) && inst.op === 'atomic' && (target.kind === 'generic' || !updatesApart(inst));
      // Generic accesses always use words.
      if (target.kind !== 'generic') facts.granule = widest(facts.granule, accessWords(inst));
    }
  }
  function reached(access: Access): readonly Facts[] {
    const { target } = access;
    if (target.kind === 'buffer') return [get(buffers, target.param, 'the buffer of a parameter')];
    if (target.kind === 'heap') return [heap];
    if (target.kind === 'generic') return [heap, ...arrays];
    const array = arrayOf.get(access);
    return array === undefined ? [] : [at(arrays, array, 'an array')];
  }
  const crosses = ({ released, acquired }: Facts): boolean => released && acquired && orders.threads !== 'none';
  // Within a block, the order of stores is visible only to threads that read the memory.
  const isOrdered = (facts: Facts): boolean =>
    crosses(facts) && facts.written && (orders.threads === 'grid' || facts.read);
  for (const facts of [heap, ...buffers.values()]) facts.atomic ||= isOrdered(facts);
  const isShared = (index: number) => layout.arrays[index]?.space === 'shared';
  // WGSL orders accesses of a warp's lanes only if the accesses are atomic. A fence may order
  // accesses to different arrays.
  const allAtomic = orders.warp || (orders.fence && arrays.some(({ atomic }, index) => atomic && isShared(index)));
  return {
    buffers: new Map(
      [...buffers].map(([param, facts]): [number, BufferPlan] => {
        const hint = at(program.params, param, 'a parameter').name;
        const { granule, atomic, read, written, released, acquired } = facts;
        const exchanged = written && released && acquired;
        const elements = {
          granule: atomic ? 1 : granule,
          atomic,
          ...cellsOf(facts),
          ordered: isOrdered(facts),
        } as const;
        return [param, { param, hint, ...elements, read, written, exchanged, moved: moved.has(param) }];
      }),
    ),
    unclear,
    heap: {
      hint: 'heap',
      granule: 1,
      atomic: heap.atomic,
      read: heap.read,
      written: heap.written,
      ...cellsOf(heap),
      ordered: isOrdered(heap),
    },
    arrays: layout.arrays.map(({ hint, space, start, bytes }, index) => {
      const facts = at(arrays, index, 'an array');
      const atomic = space === 'shared' && (facts.atomic || allAtomic);
      const isWordwise = atomic || hasGeneric || space === 'local';
      return {
        hint,
        space,
        start,
        words: Math.max(Math.ceil(bytes / 4), 1),
        atomic,
        // Lanes race only for atomic elements.
        ...cellsOf(atomic ? facts : noFacts()),
        ordered: atomic && crosses(facts),
        granule: isWordwise ? 1 : facts.granule,
        buffered: false,
      };
    }),
    sharedBytes: layout.sharedBytes,
    placementNote: undefined,
    heapImage: layout.heapImage,
  };
}

const widest = (a: Granule, b: Granule): Granule => (a > b ? a : b);
