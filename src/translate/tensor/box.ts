// Loops in PTX over the rows of a box, and over the bytes of a row.
import { axesFrom, mayBeSliced } from './map-fields.ts';

/** The sizes of the accesses of a row, in bytes, the largest first. */
const units = [16, 4, 2, 1] as const;
export type Unit = (typeof units)[number];

const wordsOf = (unit: Unit): readonly string[] =>
  Array.from({ length: unit === 16 ? 4 : 1 }, (_, index) => `%w${index}`);

/** Returns the type of an access and its registers. */
function accessOf(unit: Unit): { readonly type: string; readonly registers: string } {
  if (unit === 16) return { type: 'v4.b32', registers: `{${wordsOf(unit).join(', ')}}` };
  return { type: `b${8 * unit}`, registers: unit === 4 ? '%w0' : '%h0' };
}

export const boxRegisters = `.reg .pred %inside, %also, %more, %ok; .reg .b64 %place, %wide; .reg .b16 %h0;
.reg .b32 %p<5>, %from<5>, %extent<5>, %x, %row, %at, %q, %first, %limit, %low, %s, %allrows, %left, %w<4>;`;

/** The dimensions of the coordinates of rows. Dimension 0 is one of them if channels may be interleaved. */
export const rowAxes = (rank: number): readonly number[] => axesFrom(mayBeSliced(rank) ? 0 : 1, rank);

/**
 * Returns code that executes `rowText` for each row of a box. In each dimension, `%p` is the
 * coordinate, and `%from` and `%extent` the first coordinate and the size of the range that rows
 * visit. `offsetOf` returns the register that is added to a coordinate. In `rowText`, `%row` is the
 * address of the row in shared memory before swizzling, `%place` is the address of coordinate 0 of
 * the row, and `%inside` says whether the row is in the tensor.
 */
export function rowLoops(rank: number, rowText: string, offsetOf: (d: number) => string | undefined): string {
  const axes = rowAxes(rank);
  const isLast = (d: number): boolean => d === rank - 1;
  const coordinate = (d: number): string => {
    const offset = offsetOf(d);
    return offset === undefined ? `mov.b32 %x, %p${d};` : `add.u32 %x, %p${d}, ${offset};`;
  };
  return [
    // The clamped sizes and coordinates have the same box, because boxes are smaller.
    'min.s32 %x, %c0, 0x4000000; max.s32 %x, %x, -0x4000000; shl.b32 %first, %x, %log;',
    'min.u32 %x, %last0, 0x3ffffff; add.u32 %x, %x, 1; shl.b32 %limit, %x, %log;',
    ...(mayBeSliced(rank) ? ['selp.b32 %first, 0, %first, %sliced; selp.b32 %limit, %slice, %limit, %sliced;'] : []),
    // The launch of a faulty copy fails. Its map may have billions of rows.
    'mov.b32 %row, %shared; setp.ne.u32 %more, %fault, 0; selp.b32 %left, 1, %allrows, %more;',
    'or.b32 %low, %first, %limit;',
    'NEXT_ROW:',
    'setp.ne.u32 %inside, %allrows, 0; mov.b64 %place, %base;',
    ...axes.map(
      (d) => `${coordinate(d)} setp.le.u32 %also, %x, %last${d}; and.pred %inside, %inside, %also;
setp.ge.s32 %also, %x, 0; and.pred %inside, %inside, %also;
cvt.u64.u32 %wide, %x; mul.lo.u64 %wide, %wide, %stride${d}; add.u64 %place, %place, %wide;`,
    ),
    'mov.b32 %at, 0;',
    rowText,
    'add.u32 %row, %row, %pitch; sub.u32 %left, %left, 1; setp.eq.u32 %more, %left, 0;\n@%more bra ROWS_DONE;',
    ...axes.map((d) =>
      isLast(d)
        ? `add.u32 %p${d}, %p${d}, %step${d};\nbra NEXT_ROW;`
        : `add.u32 %p${d}, %p${d}, %step${d}; sub.u32 %x, %p${d}, %from${d}; setp.lt.u32 %more, %x, %extent${d};
@%more bra NEXT_ROW;
mov.b32 %p${d}, %from${d};`,
    ),
    'ROWS_DONE:',
  ].join('\n');
}

/**
 * Code that computes the places of `%at` bytes into a row: `%wide` in the tensor and `%s` in shared
 * memory. `%ok` says whether the byte is in the tensor.
 */
const placesText = `add.s32 %q, %first, %at; setp.lt.u32 %ok, %q, %limit; and.pred %ok, %ok, %inside;
cvt.s64.s32 %wide, %q; add.s64 %wide, %place, %wide;
add.u32 %s, %row, %at; shr.u32 %x, %s, 7; and.b32 %x, %x, %swizzle; shl.b32 %x, %x, 4; xor.b32 %s, %s, %x;`;

/** Returns code that executes `unitText` for each unit of a row, with the largest possible units. */
export const unitLoops = (unitText: (unit: Unit) => string): string =>
  [
    ...units.flatMap((unit) => [
      ...(unit === 1 ? [] : [`and.b32 %x, %low, ${unit - 1}; setp.ne.u32 %more, %x, 0;\n@%more bra BELOW_${unit};`]),
      `UNIT_${unit}:`,
      placesText,
      unitText(unit),
      `add.u32 %at, %at, ${unit}; setp.lt.u32 %more, %at, %rowbytes;\n@%more bra UNIT_${unit};\nbra ROW_DONE;`,
      ...(unit === 1 ? [] : [`BELOW_${unit}:`]),
    ]),
    'ROW_DONE:',
  ].join('\n');

/** Returns code that executes `elementText` for each element of a row. */
export const elementLoop = (elementText: string): string =>
  `ELEMENT:
${placesText}
@!%ok bra NEXT_ELEMENT;
${elementText}
NEXT_ELEMENT:
mov.b32 %x, 1; shl.b32 %x, %x, %log; add.u32 %at, %at, %x; setp.lt.u32 %more, %at, %rowbytes;
@%more bra ELEMENT;`;

/** Returns code that rounds a word to TF32: to the nearest number, or to the NaN that hardware stores. */
const roundText = (word: string): string =>
  `and.b32 %x, ${word}, 0x7fffffff; setp.gt.u32 %also, %x, 0x7f800000; shr.u32 %x, ${word}, 13; and.b32 %x, %x, 1;
add.u32 %x, %x, 0xfff; add.u32 %x, ${word}, %x; and.b32 %x, %x, 0xffffe000; selp.b32 ${word}, 0x7fffe000, %x, %also;`;

/** Returns code that loads a unit of the tensor, or the fill, and stores it in shared memory. */
export function loadUnit(unit: Unit): string {
  const { type, registers } = accessOf(unit);
  const words = wordsOf(unit);
  const fill = unit < 4 ? 'cvt.u16.u32 %h0, %fill;' : words.map((word) => `mov.b32 ${word}, %fill;`).join(' ');
  const round = `and.pred %more, %ok, %tf32;
@!%more bra LOADED_${unit};
${words.map(roundText).join('\n')}
LOADED_${unit}:`;
  return `${fill}
@%ok ld.global.${type} ${registers}, [%wide];
${unit < 4 ? '' : round}
st.shared.${type} [%s], ${registers};`;
}

/** Returns code that stores a unit of shared memory in the tensor. */
export function storeUnit(unit: Unit): string {
  const { type, registers } = accessOf(unit);
  return `@%ok ld.shared.${type} ${registers}, [%s];
@%ok st.global.${type} [%wide], ${registers};`;
}
