// The values of special registers that the launch determines.
import { reservedSharedBytes, reservedSharedOffsets } from '../../isa/special-registers.ts';
import type { Variable } from '../../ptx/ast.ts';
import type { VariableAddress } from '../ir/memory.ts';
import { gridBarrier } from '../layout.ts';
import type { ClusterShape } from './cluster.ts';

/** The shared memory that the run-time reserves, which no module declares. */
export const reservedShared: Variable = {
  name: 'reserved_shared',
  space: 'shared',
  type: 'b8',
  bytes: reservedSharedBytes,
  align: 16,
  array: true,
  external: false,
  initializers: [],
  span: { start: 0, end: 0 },
};

/** Returns the variable that a special register points to. */
export function specialAddress(name: string): VariableAddress | undefined {
  const offset = Object.hasOwn(reservedSharedOffsets, name) ? reservedSharedOffsets[name] : undefined;
  return offset === undefined ? undefined : { variable: reservedShared, offset };
}

/** Whether a special register is used to wait for the other blocks of a launch. */
export const namesGridBarrier = (name: string, { cooperative = false }: LaunchShape): boolean =>
  cooperative && name === '%envreg2';

export interface LaunchShape {
  /** The dimensions of a block, in threads. */
  readonly block: readonly [number, number, number];
  /** Bytes of dynamic shared memory. */
  readonly dynamicShared: number;
  /** The parameters, by index, for which the launch passes pointers. */
  readonly pointerParams?: readonly number[] | undefined;
  /** Whether blocks may wait for each other. */
  readonly cooperative?: boolean;
  /** Whether traps report their thread. */
  readonly reportTraps?: boolean;
  /** Whether the kernel or the launch sets the cluster size. */
  readonly explicitCluster?: boolean;
  /** The cluster, if a workgroup runs several blocks. */
  readonly cluster?: ClusterShape | undefined;
}

const alone = (threads: number): number | undefined => (threads === 1 ? 0 : undefined);

const constants: Readonly<Record<string, (launch: LaunchShape) => number | undefined>> = {
  '%ntid.x': ({ block: [x] }) => x,
  '%ntid.y': ({ block: [, y] }) => y,
  '%ntid.z': ({ block: [, , z] }) => z,
  '%tid.x': ({ block: [x] }) => alone(x),
  '%tid.y': ({ block: [, y] }) => alone(y),
  '%tid.z': ({ block: [, , z] }) => alone(z),
  '%nwarpid': ({ block: [x, y, z] }) => Math.ceil((x * y * z) / 32),
  '%cluster_ctaid.x': () => 0,
  '%cluster_ctaid.y': () => 0,
  '%cluster_ctaid.z': () => 0,
  '%cluster_nctaid.x': () => 1,
  '%cluster_nctaid.y': () => 1,
  '%cluster_nctaid.z': () => 1,
  '%cluster_ctarank': () => 0,
  '%cluster_nctarank': () => 1,
  '%is_explicit_cluster': ({ explicitCluster }) => (explicitCluster ? 1 : 0),
  '%smid': () => 0,
  '%nsmid': () => 1,
  '%gridid': () => 0,
  '%dynamic_smem_size': ({ dynamicShared }) => dynamicShared,
  '%reserved_smem_offset_cap': () => reservedSharedBytes,
  ...Object.fromEntries(Array.from({ length: 32 }, (_, number) => [`%envreg${number}`, () => 0])),
  '%envreg2': ({ cooperative }) => (cooperative ? gridBarrier : 0),
};

/**
 * For each special register of a cluster, the register of the workgroups with the same value,
 * because a workgroup runs a cluster.
 */
const ofBlock: Readonly<Record<string, string>> = {
  '%clusterid.x': '%ctaid.x',
  '%clusterid.y': '%ctaid.y',
  '%clusterid.z': '%ctaid.z',
  '%nclusterid.x': '%nctaid.x',
  '%nclusterid.y': '%nctaid.y',
  '%nclusterid.z': '%nctaid.z',
};

/** Returns the name of a special register in the IR. */
export const specialName = (name: string): string => ofBlock[name] ?? name;

/**
 * Returns the value of a special register, if it is the same in every thread and every launch of
 * this shape.
 */
export function specialConstant(name: string, launch: LaunchShape): number | undefined {
  return Object.hasOwn(constants, name) ? constants[name]?.(launch) : undefined;
}
