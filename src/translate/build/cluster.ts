// A cluster of several blocks, which one workgroup runs: first the threads of block 0, then those of
// block 1, and so on. The shared memory of the blocks is one variable.
import type { Dim3 } from '../../base/launch.ts';
import type { Variable } from '../../ptx/ast.ts';
import type { Builder } from '../ir/builder.ts';
import type { Value } from '../ir/nodes.ts';

export interface ClusterShape {
  /** The size of a cluster in blocks. */
  readonly size: Dim3;
  /** The dimensions of a block, in threads. */
  readonly block: Dim3;
  readonly blocks: number;
  /** The number of lanes of a block's warps: its threads, rounded up to whole warps. */
  readonly blockLanes: number;
  /** The shared memory of all blocks, and the size of one block's part in bytes. */
  readonly memory: Variable;
  readonly stride: number;
  /** Builds a special register; undefined if its value is that of the workgroup. */
  readonly special: (b: Builder, name: string) => Value | undefined;
  /** Builds the address of a variable in the shared memory of the thread's block; undefined for others. */
  readonly symbol: (b: Builder, variable: Variable, offset: number) => Value | undefined;
  /** Builds the address of the shared memory of the thread's block, as a word. */
  readonly ownShared: (b: Builder) => Value;
  /** Builds the test whether a generic address in shared memory belongs to the thread's block. */
  readonly isOwn: (b: Builder, generic: Value) => Value;
}
