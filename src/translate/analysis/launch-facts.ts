// Facts that follow from the block size: which threads exist, and the values that depend only on a
// thread's position in its block.

import { getOrInsert } from '../../base/maps.ts';
import type { Definition } from '../ir/nodes.ts';
import type { ControlGraph } from './control-dependence.ts';
import { isIn, rank } from './levels.ts';
import { specialValues, type ThreadPart, type ThreadValues, threadValues } from './thread-values.ts';

/**
 * The levels of special registers that do not depend on the thread's position in its block. Others
 * count as divergent.
 */
const others: Readonly<Record<string, number>> = {
  '%warpid': rank.warp,
  '%nwarpid': rank.provable,
  '%ntid.x': rank.provable,
  '%ntid.y': rank.provable,
  '%ntid.z': rank.provable,
  '%ctaid.x': rank.provable,
  '%ctaid.y': rank.provable,
  '%ctaid.z': rank.provable,
  '%nctaid.x': rank.provable,
  '%nctaid.y': rank.provable,
  '%nctaid.z': rank.provable,
  '%smid': rank.provable,
  '%nsmid': rank.provable,
  '%gridid': rank.provable,
  '%dynamic_smem_size': rank.provable,
  '%total_smem_size': rank.provable,
};

const nothing: readonly Definition[] = [];

export class LaunchFacts {
  /** The values that depend only on the thread's position in its block. */
  readonly values: ReadonlyMap<Definition, ThreadValues>;
  private readonly parts: ReadonlyMap<Definition, ThreadPart>;
  /** The lanes of each warp that have a thread. */
  readonly warps: readonly number[];
  private readonly block: readonly [number, number, number];
  private readonly found = new Map<number, Map<Definition | string, number>>();

  constructor(control: ControlGraph, block: readonly [number, number, number]) {
    this.block = block;
    const threads = block[0] * block[1] * block[2];
    this.warps = Array.from({ length: Math.ceil(threads / 32) }, (_, warp) =>
      threads - 32 * warp >= 32 ? 0xffffffff : (1 << (threads % 32)) - 1,
    );
    const { values, parts } = threadValues(control, block);
    this.values = values;
    this.parts = parts;
  }

  /**
   * Returns the level of a value among `members` of each warp, as far as the thread's position
   * determines it.
   */
  value(value: Definition, members: number): number {
    const values = this.values.get(value) ?? this.parts.get(value)?.bits;
    return values === undefined ? rank.divergent : this.once(members, value, () => this.sameness(values, members));
  }

  /** Returns the values on which a value depends in addition to the thread's position. */
  restOf(value: Definition): readonly Definition[] {
    return this.parts.get(value)?.rest ?? nothing;
  }

  special(name: string, members: number): number {
    return this.once(members, name, () => {
      const values = specialValues(name, this.block);
      return values ? this.sameness(values, members) : (others[name] ?? rank.divergent);
    });
  }

  private once(members: number, key: Definition | string, compute: () => number): number {
    const known = getOrInsert(this.found, members, () => new Map<Definition | string, number>());
    return getOrInsert(known, key, () => compute());
  }

  private sameness(values: ThreadValues, members: number): number {
    let level = rank.block;
    let first: bigint | undefined;
    for (const [warp, lanes] of this.warps.entries()) {
      let own: bigint | undefined;
      for (let lane = 0; lane < 32; lane++) {
        if (!isIn(lanes & members, lane)) continue;
        const value = values[32 * warp + lane];
        own ??= value;
        if (value !== own) return rank.divergent;
      }
      first ??= own;
      if (own !== undefined && own !== first) level = rank.warp;
    }
    return level;
  }
}
