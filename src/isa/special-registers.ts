// Special registers, and the predefined constant WARP_SZ.
import type { PtxType } from './row.ts';

/** A special register, such as `%laneid`, with its type and requirements. */
export interface SpecialRegister {
  /** The name, without `%`. */
  readonly name: string;
  /** The type. */
  readonly type: PtxType;
  /** The first PTX version with the register. */
  readonly ptx: string;
  /** The first target with the register. */
  readonly target: string;
  /** A description in one sentence. */
  readonly doc: string;
}

const axes = ['x', 'y', 'z'] as const;
const vectors = [
  { name: '%tid', doc: 'Thread index in the block' },
  { name: '%ntid', doc: 'Block size' },
  { name: '%ctaid', doc: 'Block index in the grid' },
  { name: '%nctaid', doc: 'Grid size in blocks' },
] as const;

const clusterVectors = [
  { name: '%clusterid', doc: 'Cluster index in the grid' },
  { name: '%nclusterid', doc: 'Grid size in clusters' },
  { name: '%cluster_ctaid', doc: 'Block index in the cluster' },
  { name: '%cluster_nctaid', doc: 'Cluster size in blocks' },
] as const;

const cluster = { type: 'u32', ptx: '7.8', target: 'sm_90' } as const;

const masks = [
  { name: '%lanemask_eq', doc: 'Bit of this lane' },
  { name: '%lanemask_le', doc: 'Bits of the lanes up to this one' },
  { name: '%lanemask_lt', doc: 'Bits of the lanes before this one' },
  { name: '%lanemask_ge', doc: 'Bits of the lanes from this one on' },
  { name: '%lanemask_gt', doc: 'Bits of the lanes after this one' },
] as const;

const driverRegisters: Readonly<Record<number, string>> = {
  1: "High half of the address of the grid's barrier; 0 where the launch is not cooperative.",
  2: "Low half of the address of the grid's barrier; 0 where the launch is not cooperative.",
};

/** The number of bytes of shared memory that the CUDA runtime reserves, as on hardware. */
export const reservedSharedBytes = 1024;

/** The offset of each part of the reserved shared memory. The entry `cap` contains its size. */
export const reservedSharedOffsets: Readonly<Record<string, number>> = {
  '%reserved_smem_offset_begin': 0,
  '%reserved_smem_offset_0': 0,
  '%reserved_smem_offset_1': 256,
  '%reserved_smem_offset_end': reservedSharedBytes,
};

/** The number of bytes of the grid barrier. These bytes are zero before a launch. */
export const gridBarrierBytes = 16;

/** The supported special registers, such as `%laneid`. */
export const specialRegisters: readonly SpecialRegister[] = [
  ...vectors.flatMap(({ name, doc }) =>
    axes.map(
      (axis): SpecialRegister => ({
        name: `${name}.${axis}`,
        type: 'u32',
        ptx: '1.0',
        target: 'sm_10',
        doc: `${doc}, ${axis}.`,
      }),
    ),
  ),
  ...clusterVectors.flatMap(({ name, doc }) => axes.map((axis): SpecialRegister => ({ ...cluster, name: `${name}.${axis}`, doc: `${doc}, ${axis}.` }))),
  { ...cluster, name: '%cluster_ctarank', doc: 'Rank of the block in the cluster.' },
  { ...cluster, name: '%cluster_nctarank', doc: 'Blocks of the cluster.' },
  { ...cluster, name: '%is_explicit_cluster', type: 'pred', doc: 'Whether the kernel or the launch sets the size of clusters.' },
  { name: '%laneid', type: 'u32', ptx: '1.3', target: 'sm_10', doc: 'Lane in the warp, 0 to 31.' },
  { name: '%warpid', type: 'u32', ptx: '1.3', target: 'sm_10', doc: 'Warp in the block.' },
  { name: '%nwarpid', type: 'u32', ptx: '2.0', target: 'sm_20', doc: 'Warps in the block.' },
  ...masks.map(({ name, doc }): SpecialRegister => ({ name, type: 'u32', ptx: '2.0', target: 'sm_20', doc: `${doc}.` })),
  { name: '%smid', type: 'u32', ptx: '1.3', target: 'sm_10', doc: 'Multiprocessor; always 0 here.' },
  { name: '%nsmid', type: 'u32', ptx: '2.0', target: 'sm_20', doc: 'Multiprocessors; always 1 here.' },
  { name: '%gridid', type: 'u64', ptx: '1.0', target: 'sm_10', doc: 'Grid launch; always 0 here.' },
  {
    name: '%clock',
    type: 'u32',
    ptx: '1.0',
    target: 'sm_10',
    doc: 'A counter that grows with every reading of a thread.',
  },
  { name: '%clock_hi', type: 'u32', ptx: '5.0', target: 'sm_20', doc: 'High half of %clock64.' },
  {
    name: '%clock64',
    type: 'u64',
    ptx: '2.0',
    target: 'sm_20',
    doc: 'A counter that grows with every reading of a thread.',
  },
  {
    name: '%globaltimer',
    type: 'u64',
    ptx: '3.1',
    target: 'sm_30',
    doc: 'A counter that grows with every reading of a thread.',
  },
  { name: '%globaltimer_lo', type: 'u32', ptx: '3.1', target: 'sm_30', doc: 'Low half of %globaltimer.' },
  { name: '%globaltimer_hi', type: 'u32', ptx: '3.1', target: 'sm_30', doc: 'High half of %globaltimer.' },
  { name: '%dynamic_smem_size', type: 'u32', ptx: '4.1', target: 'sm_20', doc: 'Bytes of dynamic shared memory.' },
  { name: '%total_smem_size', type: 'u32', ptx: '4.1', target: 'sm_20', doc: 'Bytes of shared memory.' },
  ...[
    ['begin', 'Start of the shared memory that the run-time has for itself.'],
    ['end', 'End of the shared memory that the run-time has for itself.'],
    ['cap', 'Bytes of the shared memory that the run-time has for itself.'],
    ['0', 'The first place in the shared memory that the run-time has for itself.'],
    ['1', 'The place in it of cooperative groups.'],
  ].map(
    ([part, doc = '']): SpecialRegister => ({
      name: `%reserved_smem_offset_${part}`,
      type: 'b32',
      ptx: '7.6',
      target: 'sm_80',
      doc,
    }),
  ),
  ...Array.from(
    { length: 32 },
    (_, number): SpecialRegister => ({
      name: `%envreg${number}`,
      type: 'b32',
      ptx: '2.1',
      target: 'sm_10',
      doc: driverRegisters[number] ?? "The driver's; 0 here.",
    }),
  ),
];

/** The number of lanes of a warp on every target: PTX's WARP_SZ. */
export const warpSize = 32;
