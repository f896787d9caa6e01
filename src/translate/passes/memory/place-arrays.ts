// Places the arrays of shared memory that exceed workgroup memory in a buffer, with one part for
// each workgroup. The arrays with the most accesses per byte stay in workgroup memory.

import { at } from '../../../base/invariants.ts';
import { countOf, getOrInsert } from '../../../base/maps.ts';
import { type Access, accessWords } from '../../analysis/accesses.ts';
import { type Loops, loopsIn } from '../../graph/index.ts';
import type { Func } from '../../ir/nodes.ts';
import { type MemoryPlan, workgroupBytesOf } from '../../memory-plan.ts';

/** The assumed number of iterations of a loop, relative to the code before the loop. */
const trips = 8;

/** Chooses the place of each shared array. `room`: the bytes of workgroup memory for all arrays. */
export function placeArrays(plan: MemoryPlan, arrayOf: ReadonlyMap<Access, number>, room: number): MemoryPlan {
  const uses = usesOf(arrayOf);
  const shared = plan.arrays.flatMap((array, index) => {
    const bytes = workgroupBytesOf(array);
    return array.space === 'shared' ? [{ index, bytes, density: countOf(uses, index) / bytes }] : [];
  });
  let free = room;
  const kept = new Set<number>();
  for (const { index, bytes } of shared.toSorted((a, b) => b.density - a.density)) {
    if (bytes > free) continue;
    free -= bytes;
    kept.add(index);
  }
  const arrays = plan.arrays.map((array, index) =>
    array.space === 'shared' ? { ...array, buffered: !kept.has(index) } : array,
  );
  const listOf = (isListed: (index: number) => boolean) =>
    shared
      .filter(({ index }) => isListed(index))
      .map(({ index, bytes }) => `${at(arrays, index, 'an array').hint} (${bytes} bytes)`)
      .join(', ');
  const total = shared.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest =
    kept.size === 0
      ? ''
      : ` Arrays with more accesses per byte stay in workgroup memory: ${listOf((index) => kept.has(index))}.`;
  const placementNote = `Shared memory has ${total} bytes, but ${room} bytes of workgroup memory are free. In a buffer: ${listOf((index) => !kept.has(index))}.${rest}`;
  return { ...plan, arrays, placementNote };
}

/** Returns the estimated number of words that a thread accesses in each array. */
function usesOf(arrayOf: ReadonlyMap<Access, number>): ReadonlyMap<number, number> {
  const loops = new Map<Func, Loops>();
  const uses = new Map<number, number>();
  for (const [access, array] of arrayOf) {
    const depth = getOrInsert(loops, access.func, () => loopsIn(access.func)).depthOf(access.block);
    uses.set(array, countOf(uses, array) + accessWords(access.inst) * trips ** depth);
  }
  return uses;
}
