// Special registers, and the predefined constant WARP_SZ.
import type { PtxType } from './row.ts';

export interface SpecialRegister {
  readonly name: string;
  readonly type: PtxType;
  readonly ptx: string;
  readonly target: string;
  readonly doc: string;
}

const axes = ['x', 'y', 'z'] as const;
const vectors = [
  { name: '%tid', doc: 'Thread index in the block' },
  { name: '%ntid', doc: 'Block size' },
  { name: '%ctaid', doc: 'Block index in the grid' },
  { name: '%nctaid', doc: 'Grid size in blocks' },
] as const;

const masks = [
  { name: '%lanemask_eq', doc: 'Bit of this lane' },
  { name: '%lanemask_le', doc: 'Bits of the lanes up to this one' },
  { name: '%lanemask_lt', doc: 'Bits of the lanes before this one' },
  { name: '%lanemask_ge', doc: 'Bits of the lanes from this one on' },
  { name: '%lanemask_gt', doc: 'Bits of the lanes after this one' },
] as const;

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
];

/// Lanes of a warp, on every target; PTX calls it WARP_SZ.
export const warpSize = 32;
