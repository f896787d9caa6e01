// What the size of a block and the kernel's variables tell of values: which threads exist, and where each of them has its own.
import type { Instruction } from '../ptx/ast.ts';
import type { Kernel } from './ir.ts';
import type { Level } from './levels.ts';
import { specialValues, type ThreadValues, threadValues } from './thread-values.ts';

export class LaunchFacts {
  /// Of registers that follow from the thread's place in its block.
  readonly values: ReadonlyMap<string, ThreadValues>;
  /// The lanes of each warp that exist.
  readonly warps: readonly number[];
  private readonly block: readonly [number, number, number];
  private readonly hasLocals: boolean;
  private readonly found = new Map<string, Level>();

  constructor({ blocks, variables }: Kernel, block: readonly [number, number, number]) {
    this.block = block;
    const threads = block[0] * block[1] * block[2];
    this.warps = Array.from({ length: Math.ceil(threads / 32) }, (_, warp) =>
      threads - 32 * warp >= 32 ? 0xffffffff : (1 << (threads % 32)) - 1,
    );
    this.values = threadValues(blocks, block);
    this.hasLocals = variables.some(({ space }) => space === 'local');
  }

  /// Level of a register among `members` of each warp, as far as the thread's place tells it.
  register(name: string, members: number): Level {
    const values = this.values.get(name);
    if (values === undefined) return 0;
    const key = `${members} ${name}`;
    const level = this.found.get(key) ?? this.sameness(values, members);
    this.found.set(key, level);
    return level;
  }

  special(name: string, members: number): Level {
    if (name === '%warpid') return 1;
    const values = specialValues(name, this.block);
    if (values) return this.sameness(values, members);
    return name.startsWith('%clock') || name.startsWith('%globaltimer') ? 0 : 3;
  }

  /// Whether a load may read local memory, of which every thread has its own at the same address.
  mayBeLocal({ mods }: Instruction): boolean {
    return mods.space === 'local' || (mods.space === undefined && this.hasLocals);
  }

  private sameness(values: ThreadValues, members: number): Level {
    let level: Level = 2;
    let first: bigint | undefined;
    for (const [warp, lanes] of this.warps.entries()) {
      let own: bigint | undefined;
      for (let lane = 0; lane < 32; lane++) {
        if (!isIn(lanes & members, lane)) continue;
        const value = values[32 * warp + lane];
        own ??= value;
        if (value !== own) return 0;
      }
      first ??= own;
      if (own !== undefined && own !== first) level = 1;
    }
    return level;
  }
}

/// Whether a mask names a lane.
export function isIn(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) !== 0;
}
