// What guards ask of one value in several places: the first of them asks for all, and those behind it need not look again.
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

/** Values that are asked to be larger than 2^this for others' sake would miss too often. */
const highestForOthers = -16;

/** Whether a group can see to this for the sake of others. */
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

  /** A group that comes later than those which will ask. */
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

  /** The quantum that those behind a block want of a value that is known there, unless that would be asked more often than they do. */
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

  /** What a group needs, with what others will need of the same values. What loops pass on has a bit for the least that can be asked. */
  raised(needs: ReadonlyMap<Definition, number>, block: Block): ReadonlyMap<Definition, number> {
    return new Map(
      [...needs].map(([value, quantum]) => [
        value,
        value.kind === 'param' ? quantum : Math.max(quantum, this.of(value, block)),
      ]),
    );
  }
}
