// Addresses in the shared memory of a cluster of several blocks.
import type { Builder } from '../ir/builder.ts';
import type { Value } from '../ir/nodes.ts';
import type { ClusterShape } from './cluster.ts';
import { buildRank } from './cluster-specials.ts';

/** An address in the shared memory of a cluster. */
export class ClusterPlace {
  private readonly b: Builder;
  private readonly cluster: ClusterShape;
  /** The address of the shared memory of block 0. */
  private readonly start: Value;
  private readonly address: Value;
  private readonly isGeneric: boolean;

  constructor(b: Builder, cluster: ClusterShape, given: Value, isGeneric: boolean) {
    this.b = b;
    this.cluster = cluster;
    this.isGeneric = isGeneric;
    this.start = b.value('symbol', { variable: cluster.memory, offset: 0 }, [], { hint: 'cluster_shared' });
    const own = isGeneric ? b.value('cvta', { space: 'shared', direction: 'from-generic' }, [given]) : given;
    this.address = b.resize(own, 'i32');
  }

  private distance(): Value {
    const { b } = this;
    return b.isub(this.address, b.resize(this.start, 'i32'));
  }

  /** Returns the rank of the block that owns the address. */
  rank(): Value {
    const { b } = this;
    return b.div('udiv', this.distance(), b.i32(this.cluster.stride));
  }

  /** Returns the address of the same place in block `rank`. */
  inBlock(rank: Value): Value {
    const { b } = this;
    const stride = b.i32(this.cluster.stride);
    const offset = b.iadd(b.div('urem', this.distance(), stride), b.imul(rank, stride));
    const mapped = b.iadd(this.start, b.resize(offset, 'i64'));
    return this.isGeneric ? b.value('cvta', { space: 'shared', direction: 'to-generic' }, [mapped]) : mapped;
  }
}

/** Builds the test whether a generic address in a cluster's shared memory belongs to the own block. */
export function isOwnShared(b: Builder, cluster: ClusterShape, generic: Value): Value {
  const rank = new ClusterPlace(b, cluster, generic, true).rank();
  return b.icmp('eq', rank, buildRank(b, cluster));
}
