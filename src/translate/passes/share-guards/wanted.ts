// Merges the requirements of several guards on one value. The first guard tests for the strongest
// requirement, so later guards need no test.
import { allOf, getOrInsert } from '../../../base/maps.ts';
import { testedDigits } from '../../analysis/quanta.ts';
import { type Loops, loopsIn } from '../../graph/index.ts';
import { IdMap } from '../../ir/id-map.ts';
import type { Block, Definition, Func } from '../../ir/nodes.ts';
import { dominanceIn, shuffled } from './facts.ts';

interface Wish {
  readonly quantum: number;
  readonly block: Block;
}

/**
 * The binary logarithm of the largest threshold that a guard tests on behalf of other guards.
 * Values would often fail a test with a larger threshold.
 */
const highestForOthers = -16;

/** Whether a group can establish these requirements on behalf of other groups. */
export const isModest = (needs: ReadonlyMap<Definition, number>): boolean =>
  [...needs.values()].every((quantum) => quantum + testedDigits <= highestForOthers);

export class Wanted {
  private readonly wishes = new IdMap<Definition, Wish[]>();
  private readonly dominates: (a: Block, b: Block) => boolean;
  private readonly loops: Loops;

  constructor(func: Func) {
    this.dominates = dominanceIn(func);
    this.loops = loopsIn(func);
  }

  /** Adds the requirements of a group. Must be called for later groups first. */
  add({ needs, block }: { readonly needs: ReadonlyMap<Definition, number>; readonly block: Block }): void {
    for (const [value, quantum] of needs) {
      if (quantum + testedDigits > highestForOthers) continue;
      const wish = { quantum, block };
      for (const each of [value, shuffled(value)?.source]) {
        if (each === undefined) continue;
        getOrInsert(this.wishes, each, () => []).push(wish);
      }
    }
  }

  /**
   * Returns the quantum that later groups require of a value known in the block. Ignores groups
   * that execute less often than a test in this block would.
   */
  of(value: Definition, block: Block): number {
    const loop = this.loops.loopOf(block);
    return allOf(this.wishes, value).reduce(
      (most, wish) =>
        wish.quantum > most && this.dominates(block, wish.block) && (loop === undefined || loop.contains(wish.block))
          ? wish.quantum
          : most,
      Number.NEGATIVE_INFINITY,
    );
  }

  /**
   * Returns a group's requirements, raised to the requirements of later groups on the same values.
   * For values that loops pass on, a bit already states the least requirement.
   */
  raised(needs: ReadonlyMap<Definition, number>, block: Block): ReadonlyMap<Definition, number> {
    return new Map(
      [...needs].map(([value, quantum]) => [
        value,
        value.kind === 'param' ? quantum : Math.max(quantum, this.of(value, block)),
      ]),
    );
  }
}
