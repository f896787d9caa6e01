// Instructions about other blocks of a cluster. A cluster is always one block in this project, so
// every address belongs to the block itself, and the block's rank is 0.
import type { ClusterRowName } from '../../isa/index.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { EffectRow } from './row-slots.ts';
import { ptxType, typeOf } from './types.ts';

const mapAddress: EffectRow = (mods) => {
  const type = typeOf(ptxType(mods.type));
  return (registers, { operands, span }) => {
    const { d, a } = operands;
    if (a === undefined) return refuse(compileDiagnostics.notSupported('a place without an address'), span);
    registers.write(d, registers.read(a, type), false);
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
  getctarank:
    () =>
    (registers, { operands }) =>
      registers.write(operands.d, registers.b.i32(0), false),
  'barrier.cluster.arrive': barrier('cluster.arrive'),
  'barrier.cluster.wait': barrier('cluster.wait'),
};
