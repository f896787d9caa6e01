// Clusters of several blocks. One workgroup runs the threads of all blocks of a cluster: first those
// of block 0, then those of block 1, and so on. The shared memory of the blocks is one variable.
import { alignUp } from '../../base/align.ts';
import { countOf } from '../../base/dim3.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { Module, PtxFunction, Variable } from '../../ptx/ast.ts';
import { namedVariables, namesSpecial } from '../../ptx/named-operands.ts';
import type { Builder } from '../ir/builder.ts';
import type { Value } from '../ir/nodes.ts';
import type { ClusterShape } from './cluster.ts';
import { isOwnShared } from './cluster-places.ts';
import { buildClusterSpecial, buildRank } from './cluster-specials.ts';

const warpLanes = 32;
/** The alignments of a block's shared memory in bytes: of a small one, and of one with boxes. */
const [smallAlign, boxAlign] = [128, 1024];

/**
 * Lays out the shared memory of a cluster. `reserved` is a variable that no function declares, but
 * which threads may access.
 */
export function clusterShape(
  size: Dim3,
  block: Dim3,
  module: Module,
  entry: PtxFunction,
  dynamicBytes: number,
  reserved: Variable,
): ClusterShape {
  const functions = module.functions.filter((fn) => fn === entry || fn.kind === 'func');
  // No initializer matters here, because the image of variables rejects addresses of shared memory.
  const named = [...namedVariables(functions, [])].filter(({ space }) => space === 'shared');
  const offsets = new Map<Variable, number>();
  let end = 0;
  const fixed = named.filter(({ bytes }) => bytes > 0);
  if (namesSpecial(functions, '%reserved_smem')) fixed.push(reserved);
  for (const variable of fixed) {
    end = alignUp(end, variable.align);
    offsets.set(variable, end);
    end += variable.bytes;
  }
  end = alignUp(end, 16);
  // All dynamic variables are the same memory, after the static ones.
  const dynamic = named.filter(({ bytes }) => bytes === 0);
  for (const variable of dynamic) end = alignUp(end, variable.align);
  for (const variable of dynamic) offsets.set(variable, end);
  if (dynamic.length > 0) end += dynamicBytes;
  const align = Math.max(16, ...[...fixed, ...dynamic].map((variable) => variable.align));
  const stride = Math.max(smallAlign, alignUp(end, Math.max(align, end < boxAlign ? smallAlign : boxAlign)));
  const blocks = countOf(size);
  const memory: Variable = {
    ...reserved,
    name: 'cluster_shared',
    bytes: stride * blocks,
    align: Math.max(align, boxAlign),
  };
  const shape = { size, block, blocks, blockLanes: alignUp(countOf(block), warpLanes), memory, stride };
  /** Returns the address of an offset in the shared memory of the lane's block. */
  const ownAddress = (b: Builder, offset: number, hint: string): Value => {
    const first = b.value('symbol', { variable: memory, offset }, [], { hint });
    return b.iadd(first, b.resize(b.imul(buildRank(b, shape), b.i32(stride)), 'i64'));
  };
  const cluster: ClusterShape = {
    ...shape,
    special: (b, name) => buildClusterSpecial(b, shape, name),
    symbol: (b, variable, offset) => {
      const start = offsets.get(variable);
      if (start === undefined) return undefined;
      return ownAddress(b, start + offset, variable.name);
    },
    ownShared: (b) => b.resize(ownAddress(b, 0, memory.name), 'i32'),
    isOwn: (b, generic) => isOwnShared(b, cluster, generic),
  };
  return cluster;
}
