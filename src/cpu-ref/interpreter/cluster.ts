// A running cluster: blocks that run together, share a barrier, and access each other's shared
// memory. Most clusters have one block.
import { clusterGrid } from '../../base/cluster.ts';
import { countOf, positionIn } from '../../base/dim3.ts';
import { RunningBlock } from './block.ts';
import { ClusterBarrier } from './cluster-barrier.ts';
import { reportDeadlock } from './deadlock.ts';
import type { Cluster, Machine } from './state/state.ts';

/** The number of steps that a warp executes before the next warp continues. */
const warpTurn = 1 << 14;

export class RunningCluster implements Cluster {
  readonly blocks: readonly RunningBlock[];
  readonly barrier: ClusterBarrier;
  readonly #machine: Machine;

  /** `index` is the number of the cluster in the grid. */
  constructor(machine: Machine, index: number) {
    this.#machine = machine;
    const { cluster } = machine.program;
    const [cx, cy, cz] = cluster;
    const at = positionIn(clusterGrid(machine.launch.grid, cluster), index);
    this.blocks = Array.from({ length: countOf(cluster) }, (_, rank) => {
      const [x, y, z] = positionIn(cluster, rank);
      const position = [at[0] * cx + x, at[1] * cy + y, at[2] * cz + z] as const;
      return new RunningBlock(machine, this, rank, position);
    });
    this.barrier = new ClusterBarrier(this.blocks);
  }

  get done(): boolean {
    return this.blocks.every(({ done }) => done);
  }

  /**
   * Runs until all threads have exited or about `budget` steps have been executed. If `othersWait`,
   * the cluster also stops if its threads only poll memory. Throws `Halt` on a deadlock.
   */
  run(budget: number, othersWait: boolean): void {
    const turn = this.#machine.stepsPerTurn ?? warpTurn;
    let used = 0;
    while (used < budget) {
      let moved = 0;
      for (const index of this.#machine.order(this.blocks.length)) moved += this.blocks[index]?.run(turn) ?? 0;
      used += moved;
      const stuck = moved === 0 ? this.blocks.find(({ done }) => !done) : undefined;
      if (stuck !== undefined) reportDeadlock(stuck);
      if (this.done || (othersWait && this.blocks.every(({ isPolling }) => isPolling))) return;
    }
  }
}
