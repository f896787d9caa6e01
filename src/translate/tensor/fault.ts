// Code in PTX that finds the fault of a copy: an invalid or unsupported map, or a box that does not
// fit the map.
import { at } from '../../base/invariants.ts';
import { type TensorFault, tensorFaults } from '../../base/tensor-faults.ts';
import { tensorInterleaves } from '../../base/tensor-map.ts';
import {
  cornerBits,
  type MapMode,
  mapFields,
  mapModes,
  strideUnit,
  typeNumbers,
} from '../../base/tensor-map-fields.ts';
import { axesFrom, extract, mayBeSliced } from './map-fields.ts';

/** The alignment of a box in shared memory, in bytes. */
const boxAlign = 128;
const unitMask = strideUnit - 1;
const lastType = Math.max(...Object.values(typeNumbers));

/** Returns code that sets the fault if `%is` is true. Later checks replace the fault of earlier ones. */
const fault = (name: TensorFault): string => `selp.b32 %fault, ${tensorFaults[name].number}, %fault, %is;`;
/** Returns code that sets the fault if the word `%x` is not 0. */
const faultUnlessZero = (name: TensorFault): string => `setp.ne.u32 %is, %x, 0; ${fault(name)}`;

/**
 * Returns code that finds an address or a stride that is not a multiple of a slice. Strides are
 * multiples of 16 bytes.
 */
const sliceFault = (rank: number): string =>
  `mov.b32 %x, %m0;
${axesFrom(1, rank)
  .map((d) => `mov.b64 {%q, %s}, %stride${d}; or.b32 %x, %x, %q;`)
  .join(' ')}
sub.u32 %q, %slice, 1; and.b32 %x, %x, %q; selp.b32 %x, %x, 0, %sliced; ${faultUnlessZero('map')}`;

/** Returns code that finds a bounding box that exceeds the tensor. */
const cornerFault = (rank: number): string =>
  `mov.b32 %x, 0; ${axesFrom(0, rank - 2)
    .map((index) => `or.b32 %x, %x, %lower${index}; neg.s32 %q, %upper${index}; or.b32 %x, %x, %q;`)
    .join(' ')}
setp.lt.s32 %is, %x, 0; ${fault('corners')}`;

/** Returns code that finds an offset with more bits than a coordinate of a corner. */
const offsetFault = (rank: number): string =>
  `${axesFrom(0, rank - 1)
    .map((d) => (d === 0 ? 'mov.b32 %x, %offset0;' : `or.b32 %x, %x, %offset${d};`))
    .join(' ')}
setp.ge.u32 %is, %x, ${2 ** at(cornerBits, rank - 3, 'the bits of an offset')}; ${fault('offset')}`;

/** Returns code that finds the faults of a copy of pixels. */
const pixelFaults = (rank: number, isStore: boolean): readonly string[] => [
  ...axesFrom(0, rank - 1).map(
    (d) => `sub.u32 %x, %p${d}, %from${d}; setp.ge.u32 %is, %x, %extent${d}; ${fault('pixel')}`,
  ),
  isStore ? cornerFault(rank) : offsetFault(rank),
];

/**
 * Returns code that sets `%fault` to the number of the fault of a copy, or to 0. It follows the
 * code that reads the map's fields and sets the ranges of coordinates. `types`: the numbers of the
 * types that a reduction supports.
 */
export const faultText = (rank: number, mode: MapMode, isStore: boolean, types?: readonly number[]): string =>
  [
    'mov.b32 %fault, 0;',
    ...(types === undefined
      ? []
      : [
          `mov.b32 %x, ${types.reduce((set, type) => set | (1 << type), 0)}; shr.u32 %x, %x, %type; and.b32 %x, %x, 1;`,
          `setp.eq.u32 %is, %x, 0; ${fault('type')}`,
        ]),
    ...(isStore
      ? [
          'mov.b32 %x, 0;',
          ...axesFrom(0, rank).map((d) => `or.b32 %x, %x, %c${d};`),
          `setp.lt.s32 %is, %x, 0; ${fault('negative')}`,
        ]
      : []),
    ...(mode === 'im2col' ? pixelFaults(rank, isStore) : []),
    `shl.b32 %x, %c0, %log; and.b32 %x, %x, ${unitMask};`,
    ...(mayBeSliced(rank) ? ['selp.b32 %x, 0, %x, %sliced;'] : []),
    faultUnlessZero('first'),
    `and.b32 %x, %shared, ${boxAlign - 1}; ${faultUnlessZero('shared')}`,
    `${extract('%x', mapFields.rank)} setp.ne.u32 %is, %x, ${rank - 1}; ${fault('rank')}`,
    `${extract('%x', mapFields.mode)} setp.ne.u32 %is, %x, ${mapModes.indexOf(mode)}; ${fault('mode')}`,
    `${extract('%x', mapFields.interleave)} setp.gt.u32 %is, %x, ${mayBeSliced(rank) ? tensorInterleaves.length - 1 : 0}; ${fault('map')}`,
    // TF32 is a flag of two types only.
    `setp.gt.u32 %is, %type, ${lastType}; ${fault('map')}`,
    `sub.u32 %x, %type, ${typeNumbers.tf32}; setp.gt.u32 %is, %x, 1; and.pred %is, %is, %tf32; ${fault('map')}`,
    `and.b32 %x, %m0, ${unitMask}; ${faultUnlessZero('map')}`,
    ...(mayBeSliced(rank) ? [sliceFault(rank)] : []),
    `and.b32 %x, %rowbytes, ${unitMask}; ${faultUnlessZero('map')}`,
    // Swizzling exchanges bytes within a span, which a row must not exceed. The mask is 0 without.
    `setp.ne.u32 %is, %swizzle, 0; mad.lo.u32 %x, %swizzle, ${strideUnit}, ${strideUnit};
setp.gt.and.u32 %is, %rowbytes, %x, %is; ${fault('map')}`,
  ].join('\n');
