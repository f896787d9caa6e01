// The launch of a kernel with clusters, whose size is an attribute of the launch.
import { countOf } from '../../base/dim3.ts';
import type { Dim3, Launch } from '../../base/launch.ts';
import type { CudaDriver } from './driver.ts';

/** Values of the driver's CUlaunchAttributeID. */
const attributeIds = { cooperative: 2, clusterDimension: 4 } as const;
/** A value of the driver's CUfunction_attribute. */
const nonPortableClusterSize = 14;
/** The maximum number of blocks of a cluster that every device supports. */
const portableBlocks = 8;
/** The sizes of CUlaunchConfig and CUlaunchAttribute in bytes, and the places of their members. */
const config = { bytes: 56, attributes: 40, count: 48 } as const;
const attribute = { bytes: 72, value: 8 } as const;

type Shape = Pick<Launch, 'grid' | 'block' | 'sharedBytes' | 'cooperative'> & { readonly cluster: Dim3 };

/**
 * Starts a kernel with `cuLaunchKernelEx` on the default stream. `params` are the addresses of its
 * parameters.
 */
export function launchClusters(driver: CudaDriver, kernel: bigint, shape: Shape, params: BigUint64Array | null): void {
  const { grid, block, cluster, sharedBytes, cooperative = false } = shape;
  if (countOf(cluster) > portableBlocks) driver.call('cuFuncSetAttribute', kernel, nonPortableClusterSize, 1);
  const attributes = new DataView(new ArrayBuffer(attribute.bytes * (cooperative ? 2 : 1)));
  attributes.setUint32(0, attributeIds.clusterDimension, true);
  for (const [axis, blocks] of cluster.entries()) attributes.setUint32(attribute.value + 4 * axis, blocks, true);
  if (cooperative) {
    attributes.setUint32(attribute.bytes, attributeIds.cooperative, true);
    attributes.setUint32(attribute.bytes + attribute.value, 1, true);
  }
  const launch = new DataView(new ArrayBuffer(config.bytes));
  for (const [at, value] of [...grid, ...block, sharedBytes].entries()) launch.setUint32(4 * at, value, true);
  launch.setBigUint64(config.attributes, driver.addressOf(attributes), true);
  launch.setUint32(config.count, cooperative ? 2 : 1, true);
  driver.call('cuLaunchKernelEx', launch, kernel, params, null);
}
