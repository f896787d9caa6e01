// Addresses in the shared memory of a cluster of several blocks.
import type { Value } from '../ir/nodes.ts';
import type { ClusterShape } from './cluster-shape.ts';
import type { Registers } from './registers.ts';
import { buildRank } from './specials.ts';

/** An address in the shared memory of a cluster. */
export class ClusterPlace {
  readonly registers: Registers;
  readonly cluster: ClusterShape;
  /** The address of the shared memory of block 0. */
  private readonly start: Value;
  private readonly address: Value;
  private readonly isGeneric: boolean;

  constructor(registers: Registers, cluster: ClusterShape, given: Value, isGeneric: boolean) {
    const { b, graph } = registers;
    this.registers = registers;
    this.cluster = cluster;
    this.isGeneric = isGeneric;
    graph.found.variables.add(cluster.memory);
    this.start = b.value('symbol', { variable: cluster.memory, offset: 0 }, [], { hint: 'cluster_shared' });
    const own = isGeneric ? b.value('cvta', { space: 'shared', direction: 'from-generic' }, [given]) : given;
    this.address = b.resize(own, 'i32');
  }

  private distance(): Value {
    const { b } = this.registers;
    return b.isub(this.address, b.resize(this.start, 'i32'));
  }

  /** Returns the rank of the block that owns the address. */
  rank(): Value {
    const { b } = this.registers;
    return b.div('udiv', this.distance(), b.i32(this.cluster.stride));
  }

  /** Returns the address of the same place in block `rank`. */
  inBlock(rank: Value): Value {
    const { b } = this.registers;
    const stride = b.i32(this.cluster.stride);
    const offset = b.iadd(b.div('urem', this.distance(), stride), b.imul(rank, stride));
    const mapped = b.iadd(this.start, b.resize(offset, 'i64'));
    return this.isGeneric ? b.value('cvta', { space: 'shared', direction: 'to-generic' }, [mapped]) : mapped;
  }
}

/** Builds the test whether a generic address in a cluster's shared memory belongs to the own block. */
export function isOwnShared(registers: Registers, cluster: ClusterShape, generic: Value): Value {
  const rank = new ClusterPlace(registers, cluster, generic, true).rank();
  return registers.b.icmp('eq', rank, buildRank(registers.b, cluster));
}
