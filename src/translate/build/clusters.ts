// Instructions about other blocks of a cluster. In a cluster of one block, every address belongs to
// the block itself, whose rank is 0. In a larger one, the shared memory of the blocks is one variable.
import { missing } from '../../base/invariants.ts';
import type { ClusterRowName, Mods } from '../../isa/index.ts';
import { ClusterPlace } from './cluster-places.ts';
import type { EffectRow } from './row-slots.ts';
import { ptxType, typeOf } from './types.ts';

const isGeneric = ({ space }: Mods): boolean => space === undefined;

const mapAddress: EffectRow = (mods) => {
  const type = typeOf(ptxType(mods.type));
  return (registers, { operands }) => {
    const { d, a = missing('an address'), b: block = missing('a block rank') } = operands;
    const { cluster } = registers.launch;
    const address = registers.read(a, type);
    const rank = cluster && registers.read(block, 'i32');
    const mapped = cluster && rank && new ClusterPlace(registers.b, cluster, address, isGeneric(mods)).inBlock(rank);
    registers.write(d, mapped ?? address, false);
  };
};

const blockRank: EffectRow = (mods) => {
  const type = typeOf(ptxType(mods.type));
  return (registers, { operands }) => {
    const { d, a = missing('an address') } = operands;
    const { cluster } = registers.launch;
    const rank = cluster && new ClusterPlace(registers.b, cluster, registers.read(a, type), isGeneric(mods)).rank();
    registers.write(d, rank ?? registers.b.i32(0), false);
  };
};

const barrier =
  (kind: 'cluster.arrive' | 'cluster.wait'): EffectRow =>
  () =>
  (registers) => {
    registers.b.emit('barrier', { kind, counted: false }, []);
  };

export const clusterBuilds: Readonly<Record<ClusterRowName, EffectRow>> = {
  mapa: mapAddress,
  getctarank: blockRank,
  'barrier.cluster.arrive': barrier('cluster.arrive'),
  'barrier.cluster.wait': barrier('cluster.wait'),
};
