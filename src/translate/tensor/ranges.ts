// Code in PTX that sets the ranges of the coordinates that the rows of a box visit.
import { at } from '../../base/invariants.ts';
import { cornerFields, mapFields } from '../../base/tensor-map-fields.ts';
import { rowAxes } from './box.ts';
import { axesFrom, extract, mayBeSliced } from './map-fields.ts';

/** The registers of the corners and of the offsets of im2col mode. */
export const rangeRegisters = '.reg .b32 %lower<3>, %upper<3>, %offset<5>;';

/** Returns code that selects a value by whether channels are interleaved. */
const select = (register: string, sliced: string, plain: string): string =>
  sliced === plain ? `mov.b32 ${register}, ${plain};` : `selp.b32 ${register}, ${sliced}, ${plain}, %sliced;`;

/**
 * Returns code that sets `%p`, `%from` and `%extent` of each dimension, and `%allrows`, in tile mode.
 * A row contains the whole range of dimension 0, or a slice, of which a box has one.
 */
export function tileRanges(rank: number): string {
  const slices = rank - 2;
  const rangeOf = (d: number): string => {
    const first = d === 0 ? select('%p0', '%c0', '0') : `mov.b32 %p${d}, %c${d};`;
    const [sliced, plain] = [d === slices ? '1' : `%box${d}`, d === 0 ? '1' : `%box${d}`];
    const extent = mayBeSliced(rank) ? select(`%extent${d}`, sliced, plain) : `mov.b32 %extent${d}, ${plain};`;
    return `${first} mov.b32 %from${d}, %p${d}; ${extent}
add.u32 %x, %extent${d}, %step${d}; sub.u32 %x, %x, 1; div.u32 %x, %x, %step${d}; mul.lo.u32 %allrows, %allrows, %x;`;
  };
  return ['mov.b32 %allrows, 1;', ...rowAxes(rank).map(rangeOf)].join('\n');
}

/**
 * Returns code that sets the same registers in im2col mode. Rows are pixels of the bounding box, then
 * of the next image. `%offset` is the distance from the pixel to the element, if `hasOffsets`.
 */
export function pixelRanges(rank: number, hasOffsets: boolean): string {
  const spatial = rank - 2;
  const images = rank - 1;
  const { lower, upper } = cornerFields(spatial);
  const corners = axesFrom(0, spatial).flatMap((index) => [
    extract(`%lower${index}`, at(lower, index, 'a corner'), 's32'),
    extract(`%upper${index}`, at(upper, index, 'a corner'), 's32'),
  ]);
  const rangeOf = (d: number): string => {
    // The spatial dimension of dimension `d` with and without interleaved channels.
    const [sliced, plain] = [d < spatial ? d : undefined, d > 0 ? d - 1 : undefined];
    const corner = (name: string, otherSliced: string, otherPlain: string) =>
      [
        sliced === undefined ? otherSliced : `%${name}${sliced}`,
        plain === undefined ? otherPlain : `%${name}${plain}`,
      ] as const;
    const [slicedFrom, plainFrom] = corner('lower', `%c${d}`, '0');
    const [slicedUpper, plainUpper] = corner('upper', '0', '0');
    return [
      d === 0 ? select('%p0', '%c0', '0') : `mov.b32 %p${d}, %c${d};`,
      select(`%from${d}`, slicedFrom, plainFrom),
      select('%x', slicedUpper, plainUpper),
      // The bounding box of a tensor that fits in memory has less than 2^31 pixels in a dimension.
      `min.u32 %extent${d}, %last${d}, 0x3fffffff; add.s32 %extent${d}, %extent${d}, 1; add.s32 %extent${d}, %extent${d}, %x;
sub.s32 %extent${d}, %extent${d}, %from${d}; max.s32 %extent${d}, %extent${d}, 0;`,
      // Rows have one coordinate in the dimension of slices, or of channels.
      ...(sliced === undefined ? [`selp.b32 %extent${d}, 1, %extent${d}, %sliced;`] : []),
      ...(plain === undefined ? [`selp.b32 %extent${d}, %extent${d}, 1, %sliced;`] : []),
      ...(hasOffsets ? [select(`%offset${d}`, ...corner('o', '0', '0'))] : []),
    ].join('\n');
  };
  return [
    ...corners,
    ...axesFrom(0, images).map(rangeOf),
    `mov.b32 %p${images}, %c${images};`,
    `${extract('%allrows', mapFields.pixels)} add.u32 %allrows, %allrows, 1;`,
  ].join('\n');
}
