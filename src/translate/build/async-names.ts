// The names of the rows of asynchronous copies, mbarriers and clusters.
import {
  type AsyncUpdateRowName,
  asyncUpdateRows,
  type ClusterRowName,
  type CopyRowName,
  clusterRows,
  copyRows,
  type MbarrierRowName,
  mbarrierRows,
} from '../../isa/index.ts';

type AsyncRowName = AsyncUpdateRowName | ClusterRowName | CopyRowName | MbarrierRowName;

const names: ReadonlySet<string> = new Set(
  [asyncUpdateRows, clusterRows, copyRows, mbarrierRows].flatMap((rows) => rows.map(({ name }) => name)),
);

export const isAsyncRow = (name: string): name is AsyncRowName => names.has(name);
