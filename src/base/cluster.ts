// The clusters of a launch: blocks that run together and access each other's shared memory.
import { countOf } from './dim3.ts';
import type { Dim3, Launch } from './launch.ts';

/** The size of clusters that have one block. */
export const oneBlock: Dim3 = [1, 1, 1];

/**
 * The maximum number of blocks of a cluster, with
 * `cudaFuncAttributeNonPortableClusterSizeAllowed`.
 */
export const maxClusterBlocks = 16;

/** The size of clusters that a launch sets, if it sets one. */
interface ClusterChoice {
  readonly cluster?: Dim3 | undefined;
}

/**
 * Returns the size of a launch's clusters in blocks. `declared` is the size that the kernel declares
 * (`.reqnctapercluster`).
 */
export const clusterOf = (declared: Dim3 | undefined, launch: ClusterChoice): Dim3 =>
  launch.cluster ?? declared ?? oneBlock;

/** Returns the reason why a launch cannot have its clusters, or undefined if it can. */
export function clusterProblem(
  declared: Dim3 | undefined,
  launch: ClusterChoice & Pick<Launch, 'grid'>,
): string | undefined {
  const cluster = clusterOf(declared, launch);
  const size = cluster.join(' x ');
  if (declared?.some((blocks, axis) => blocks !== cluster[axis]))
    return `the kernel requires clusters of ${declared.join(' x ')} blocks (.reqnctapercluster), but the launch has clusters of ${size}`;
  if (countOf(cluster) > maxClusterBlocks)
    return `a cluster of ${size} blocks has ${countOf(cluster)} blocks: expected at most ${maxClusterBlocks}`;
  if (launch.grid.some((blocks, axis) => blocks % (cluster[axis] ?? 1) !== 0))
    return `a grid of ${launch.grid.join(' x ')} blocks is not a multiple of clusters of ${size} blocks`;
  return undefined;
}

/** Returns the number of blocks of a cluster in words. */
export const blocksText = (blocks: number): string => (blocks === 1 ? 'one block' : `${blocks} blocks`);

/** Returns the number of clusters of a grid in each dimension. */
export const clusterGrid = ([x, y, z]: Dim3, [cx, cy, cz]: Dim3): Dim3 => [x / cx, y / cy, z / cz];
