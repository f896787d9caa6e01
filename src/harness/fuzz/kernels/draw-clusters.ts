// Draws clusters of several blocks, and accesses of other blocks' shared memory.
import { alignUp } from '../../../base/align.ts';
import { countOf } from '../../../base/dim3.ts';
import type { Random } from '../../suites/random.ts';
import { dialectsOfLines } from './dialects.ts';
import { mayEnd } from './draw-waits.ts';
import { remotes } from './remotes.ts';
import type { ClusterStatement, FuzzKernel, Statement } from './tree.ts';

const possibleDialects = dialectsOfLines(['barrier.cluster.arrive']);

/** The maximum number of threads of a cluster: software adapters have no larger workgroups. */
const maxThreads = 256;

/** Whether a kernel may have larger clusters. Some templates name the block of rank 0. */
const mayHaveClusters = (body: readonly Statement[]): boolean =>
  !mayEnd(body) && !/\bmapa\./.test(JSON.stringify(body));

export const drawRemote = (rng: Random): ClusterStatement => ({
  kind: 'cluster', how: rng.pick(remotes), d: rng.below(64), a: rng.below(64), from: rng.below(64), form: rng.u32(),
}); // biome-ignore format: one record

/** Puts the statement into a loop of all blocks. */
function around(rng: Random, statement: ClusterStatement): Statement {
  if (!rng.chance(0.2)) return statement;
  const trips = { kind: 'constant', count: 2 } as const;
  return { kind: 'loop', trips, testLast: rng.chance(0.5), quiet: false, body: [statement], rest: [] };
}

/**
 * Gives some kernels clusters, and adds statements that access other blocks. They have a separate
 * random stream, so that the other kernels do not change.
 */
export function withClusters(rng: Random, kernel: FuzzKernel, chance: number): FuzzKernel {
  const { dialect, block } = kernel;
  if (!rng.chance(chance) || !possibleDialects.includes(dialect) || !mayHaveClusters(kernel.body)) return kernel;
  const lanes = alignUp(countOf(block), 32);
  const cluster = Math.min(rng.pick([2, 2, 3, 4]), Math.floor(maxThreads / lanes));
  let { body } = kernel;
  for (let count = 1 + rng.below(3); count > 0; count--)
    body = body.toSpliced(rng.below(body.length + 1), 0, around(rng, drawRemote(rng)));
  return { ...kernel, cluster, blocks: cluster * rng.pick([1, 1, 2]), body };
}
