// Races in workgroup memory: accesses of two subgroups to one word between the same barriers, if
// the result depends on their order.
import { WgslError } from './error.ts';
import { atomicKinds, type Machine } from './machine.ts';
import type { MemoryVariable } from './program.ts';

/**
 * Checks the accesses to a variable since the last barrier, and clears them. Stores of equal values
 * are not a race. Throws `WgslError` for a race.
 */
export function checkRaces(machines: readonly Machine[], slot: number, variable: MemoryVariable, line: number): void {
  const fail = (word: number, what: string, a: number, b: number): never => {
    throw new WgslError(line, `a race for word ${word} of ${variable.name}: subgroups ${a} and ${b} ${what}`);
  };
  const writers = new Map<number, { readonly id: number; readonly value: number }>();
  machines.forEach(({ unseen }, id) => {
    for (const [word, value] of unseen[slot] ?? []) {
      const other = writers.get(word);
      if (other !== undefined && other.value !== value) fail(word, 'store other values', other.id, id);
      writers.set(word, { id, value });
    }
  });
  const atomics = new Map<number, { readonly id: number; readonly kinds: number }>();
  machines.forEach(({ looked }, id) => {
    const own = looked[slot];
    if (own === undefined) return;
    for (const word of own.reads) {
      const writer = writers.get(word);
      if (writer !== undefined && writer.id !== id) fail(word, 'store and load', writer.id, id);
    }
    for (const [word, kinds] of own.atomics) {
      const other = atomics.get(word);
      const all = kinds | (other?.kinds ?? 0);
      if (other !== undefined && dependsOnOrder(all)) fail(word, 'execute atomics whose order matters', other.id, id);
      atomics.set(word, { id, kinds: all });
    }
    own.reads.clear();
    own.atomics.clear();
  });
}

/**
 * Whether the result of atomic accesses depends on their order. Updates commute if no lane reads
 * the old value. Loads commute too.
 */
const dependsOnOrder = (kinds: number): boolean => kinds !== atomicKinds.change && kinds !== atomicKinds.load;
