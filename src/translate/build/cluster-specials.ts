// Special registers of a workgroup that runs a cluster of several blocks. The number of a lane in the
// workgroup determines its block and its position there.
import { at } from '../../base/invariants.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { Builder } from '../ir/builder.ts';
import type { Value } from '../ir/nodes.ts';
import type { ClusterShape } from './cluster.ts';

/** The parts of a cluster's shape that determine special registers. */
type Shape = Pick<ClusterShape, 'size' | 'blocks' | 'blockLanes' | 'stride' | 'block'>;

/** Builds the rank of the thread's block. */
export const buildRank = (b: Builder, cluster: Shape): Value => new Places(b, cluster).rank();

/** Builds a special register; undefined if its value is that of the workgroup. */
export const buildClusterSpecial = (b: Builder, cluster: Shape, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name]?.(new Places(b, cluster)) : undefined;

const ofWorkgroup = (b: Builder, name: string): Value => b.value('special', { name, type: 'i32' }, [], { hint: name });

class Places {
  readonly b: Builder;
  readonly cluster: Shape;

  constructor(b: Builder, cluster: Shape) {
    this.b = b;
    this.cluster = cluster;
  }

  /** The number of the thread in the workgroup. */
  private lane(): Value {
    return ofWorkgroup(this.b, '%tid.x');
  }

  rank(): Value {
    return this.divided(this.lane(), this.cluster.blockLanes);
  }

  /** The number of the thread in its block. */
  thread(): Value {
    return this.rest(this.lane(), this.cluster.blockLanes);
  }

  divided(value: Value, by: number): Value {
    return by === 1 ? value : this.b.div('udiv', value, this.b.i32(by));
  }

  rest(value: Value, by: number): Value {
    return by === 1 ? this.b.i32(0) : this.b.div('urem', value, this.b.i32(by));
  }

  /** The position along an axis of number `index` in a box of `size`. */
  axis(index: Value, [x, y]: Dim3, axis: number): Value {
    if (axis === 0) return this.rest(index, x);
    return axis === 1 ? this.rest(this.divided(index, x), y) : this.divided(index, x * y);
  }

  scaled(name: string, by: number): Value {
    return this.b.imul(ofWorkgroup(this.b, name), this.b.i32(by));
  }
}

const axes = ['x', 'y', 'z'] as const;

/** The number of a lane in its block, as a special register that PTX does not have. */
export const threadOfBlock = 'thread of block';

/** The special registers that differ between the blocks of a workgroup, or from the workgroup's. */
const table: Readonly<Record<string, (places: Places) => Value>> = {
  [threadOfBlock]: (places) => places.thread(),
  '%cluster_ctarank': (places) => places.rank(),
  '%cluster_nctarank': ({ b, cluster }) => b.i32(cluster.blocks),
  '%total_smem_size': ({ b, cluster }) => b.i32(cluster.stride),
  '%warpid': (places) => places.divided(places.thread(), 32),
  ...Object.fromEntries(
    axes.flatMap((letter, axis): [string, (places: Places) => Value][] => {
      const size = ({ cluster }: Places) => at(cluster.size, axis, 'the size of a cluster');
      const inCluster = (places: Places) => places.axis(places.rank(), places.cluster.size, axis);
      const inGrid = (places: Places) => {
        const own = inCluster(places);
        return places.b.iadd(places.scaled(`%ctaid.${letter}`, size(places)), own);
      };
      return [
        [`%tid.${letter}`, (places) => places.axis(places.thread(), places.cluster.block, axis)],
        [`%cluster_ctaid.${letter}`, inCluster],
        [`%cluster_nctaid.${letter}`, (places) => places.b.i32(size(places))],
        [`%ctaid.${letter}`, inGrid],
        [`%nctaid.${letter}`, (places) => places.scaled(`%nctaid.${letter}`, size(places))],
      ];
    }),
  ),
};
