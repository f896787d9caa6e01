// The values of special registers. If a workgroup runs a cluster of several blocks, the position of a
// thread in the workgroup determines its block and its position there.
import type { Dim3 } from '../../base/launch.ts';
import type { Builder } from '../ir/builder.ts';
import { constant, type Value } from '../ir/nodes.ts';
import type { Type } from '../ir/types.ts';
import type { ClusterShape } from './cluster-shape.ts';
import { type LaunchShape, specialConstant, specialName } from './launch-shape.ts';

/** Builds the value of a special register. */
export function buildSpecial(b: Builder, name: string, type: Type, launch: LaunchShape): Value {
  const known = specialConstant(name, launch);
  if (known !== undefined) return constant(type, known);
  const { cluster, block } = launch;
  const found = cluster && inCluster(new Places(b, cluster, block), name);
  return found ? b.resize(found, type) : ofWorkgroup(b, specialName(name), type, name);
}

/** Builds the rank of the thread's block. */
export const buildRank = (b: Builder, cluster: ClusterShape): Value => new Places(b, cluster, [1, 1, 1]).rank();

const ofWorkgroup = (b: Builder, name: string, type: Type, hint = name): Value =>
  b.value('special', { name, type }, [], { hint });

class Places {
  readonly b: Builder;
  readonly cluster: ClusterShape;
  readonly block: Dim3;

  constructor(b: Builder, cluster: ClusterShape, block: Dim3) {
    this.b = b;
    this.cluster = cluster;
    this.block = block;
  }

  /** The number of the thread in the workgroup. */
  private lane(): Value {
    return ofWorkgroup(this.b, '%tid.x', 'i32', 'lane_of_cluster');
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
    return this.b.imul(ofWorkgroup(this.b, name, 'i32'), this.b.i32(by));
  }
}

const axes = ['x', 'y', 'z'] as const;

/** The number of a lane in its block, as a special register that PTX does not have. */
export const threadOfBlock = 'thread of block';

/** The special registers that differ between the blocks of a workgroup, or from the workgroup's. */
const table: Readonly<Record<string, (places: Places) => Value>> = {
  [threadOfBlock]: (places) => places.thread(),
  '%cluster_ctarank': (places) => places.rank(),
  '%warpid': (places) => places.divided(places.thread(), 32),
  ...Object.fromEntries(
    axes.flatMap((letter, axis): [string, (places: Places) => Value][] => [
      [`%tid.${letter}`, (places) => places.axis(places.thread(), places.block, axis)],
      [`%cluster_ctaid.${letter}`, (places) => places.axis(places.rank(), places.cluster.size, axis)],
      [
        `%ctaid.${letter}`,
        (places) => {
          const size = places.cluster.size[axis] ?? 1;
          const own = places.axis(places.rank(), places.cluster.size, axis);
          return places.b.iadd(places.scaled(`%ctaid.${letter}`, size), own);
        },
      ],
      [`%nctaid.${letter}`, (places) => places.scaled(`%nctaid.${letter}`, places.cluster.size[axis] ?? 1)],
    ]),
  ),
};

const inCluster = (places: Places, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name]?.(places) : undefined;
