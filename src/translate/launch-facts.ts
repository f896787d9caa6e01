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
    const all = new Set<bigint>();
    for (const [warp, lanes] of this.warps.entries()) {
      const inWarp = new Set(values.slice(32 * warp, 32 * warp + 32).filter((_, lane) => isIn(lanes & members, lane)));
      if (inWarp.size > 1) return 0;
      for (const value of inWarp) all.add(value);
    }
    return all.size > 1 ? 1 : 2;
  }
}

/// Whether a mask names a lane.
export function isIn(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) !== 0;
}
