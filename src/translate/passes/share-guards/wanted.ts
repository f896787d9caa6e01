// Merges the requirements of several guards on one value: the first guard tests for the strongest,
// and later ones need no test.
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
 * The exponent of the largest size that a guard tests on behalf of others. Tests for more would
 * fail too often.
 */
const highestForOthers = -16;

/** Whether a group can establish these requirements on behalf of others. */
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

  /** Adds a group. Call it for later groups first. */
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
   * Returns the quantum that later groups require of a value known in the block. Returns nothing if
   * a test in this block would execute more often than in those groups.
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
   * Returns a group's requirements, raised to those of later groups on the same values. Values that
   * loops pass on have a bit for the least requirement.
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
