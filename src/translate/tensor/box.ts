// Loops in PTX over the rows of a box, and over the bytes of a row. Several threads may share a copy:
// then each of them copies some units of some rows.
import { axesFrom, mayBeSliced } from './map-fields.ts';

/** The number of bytes that a thread copies at a time. Rows of a box are multiples of it. */
const unitBytes = 16;
/** The number of rows whose loads a thread starts together. */
const rowsTogether = 4;
const wordsPerUnit = [0, 1, 2, 3] as const;

export const boxRegisters = `.reg .pred %inside<${rowsTogether}>, %live<${rowsTogether}>, %also, %more, %ok<${rowsTogether}>, %part, %within;
.reg .b64 %place<${rowsTogether}>, %wide; .reg .b16 %h0; .reg .b32 %p<5>, %from<5>, %extent<5>, %pass<5>, %start<5>,
%x, %row<${rowsTogether}>, %at, %q, %first, %limit, %s<${rowsTogether}>, %s, %e, %allrows, %left, %i, %r, %lanes, %rowstep, %column, %atstep, %w<${4 * rowsTogether}>;`;

/** Code that copies a unit of each of some rows. */
export interface UnitCode {
  readonly text: string;
  /** The number of rows. */
  readonly together: number;
}

/**
 * The dimensions of the coordinates of rows. Dimension 0 is one of them if channels may be
 * interleaved.
 */
export const rowAxes = (rank: number): readonly number[] => axesFrom(mayBeSliced(rank) ? 0 : 1, rank);

/**
 * Returns code that executes `text` for all units that thread `%me` of `%threads` copies. In each
 * dimension, `%p` is the first coordinate, and `%from` and `%extent` the range that rows visit.
 * `offsetOf` returns the register that is added to a coordinate. In `text`, `%live` says whether a
 * row exists, `%row` is its address in shared memory before swizzling, `%place` is the address of its
 * coordinate 0, and `%inside` says whether it is in the tensor.
 */
export function rowLoops(
  rank: number,
  { text, together }: UnitCode,
  offsetOf: (d: number) => string | undefined,
): string {
  const axes = rowAxes(rank);
  const inner = axes.filter((d) => d < rank - 1);
  const rows = Array.from({ length: together }, (_, index) => index);
  return [
    // The clamped sizes and coordinates have the same box, because boxes are smaller.
    'min.s32 %x, %c0, 0x4000000; max.s32 %x, %x, -0x4000000; shl.b32 %first, %x, %log;',
    'min.u32 %x, %last0, 0x3ffffff; add.u32 %x, %x, 1; shl.b32 %limit, %x, %log;',
    ...(mayBeSliced(rank) ? ['selp.b32 %first, 0, %first, %sliced; selp.b32 %limit, %slice, %limit, %sliced;'] : []),
    // The launch of a faulty copy fails. Its map may have billions of rows.
    'setp.ne.u32 %more, %fault, 0; selp.b32 %left, 0, %allrows, %more;',
    // Neighboring threads copy neighboring units of a row.
    `shr.u32 %lanes, %rowbytes, ${Math.log2(unitBytes)}; max.u32 %lanes, %lanes, 1; min.u32 %lanes, %lanes, %threads;
div.u32 %rowstep, %threads, %lanes; div.u32 %r, %me, %lanes; mul.lo.u32 %x, %r, %lanes; sub.u32 %column, %me, %x;
shl.b32 %column, %column, ${Math.log2(unitBytes)}; shl.b32 %atstep, %lanes, ${Math.log2(unitBytes)};
setp.ge.u32 %more, %r, %rowstep; selp.b32 %left, 0, %left, %more;`,
    // The number of rows until a coordinate first returns to its range's start, and later.
    ...inner.map(
      (d) => `add.u32 %pass${d}, %extent${d}, %step${d}; sub.u32 %pass${d}, %pass${d}, 1; sub.u32 %x, %p${d}, %from${d};
sub.u32 %start${d}, %pass${d}, %x; div.u32 %start${d}, %start${d}, %step${d}; div.u32 %pass${d}, %pass${d}, %step${d};`,
    ),
    'NEXT_ROWS:',
    'setp.ge.u32 %more, %r, %left;\n@%more bra ROWS_DONE;',
    ...rows.map((row) => rowText(row, axes, rank, offsetOf)),
    'mov.b32 %at, %column;',
    'NEXT_UNIT:',
    `add.s32 %q, %first, %at; setp.lt.u32 %within, %q, %limit; add.s32 %x, %q, ${unitBytes}; setp.gt.s32 %part, %x, %limit;
and.pred %part, %part, %within;`,
    ...rows.map(
      (row) => `and.pred %ok${row}, %within, %inside${row};
add.u32 %s${row}, %row${row}, %at; shr.u32 %x, %s${row}, 7; and.b32 %x, %x, %swizzle; shl.b32 %x, %x, 4; xor.b32 %s${row}, %s${row}, %x;`,
    ),
    text,
    'add.u32 %at, %at, %atstep; setp.lt.u32 %more, %at, %rowbytes;\n@%more bra NEXT_UNIT;',
    `mad.lo.u32 %r, %rowstep, ${together}, %r;\nbra NEXT_ROWS;`,
    'ROWS_DONE:',
  ].join('\n');
}

/** Returns code that computes the place of row `%r`, or of one of the next rows of the thread. */
function rowText(
  row: number,
  axes: readonly number[],
  rank: number,
  offsetOf: (d: number) => string | undefined,
): string {
  const coordinate = (d: number): string => {
    if (d === rank - 1) return `mad.lo.u32 %x, %i, %step${d}, %p${d};`;
    return `setp.lt.u32 %also, %i, %start${d}; sub.u32 %q, %i, %start${d}; rem.u32 %x, %q, %pass${d}; selp.b32 %x, %i, %x, %also;
div.u32 %q, %q, %pass${d}; add.u32 %q, %q, 1; selp.b32 %i, 0, %q, %also; selp.b32 %q, %p${d}, %from${d}, %also;
mad.lo.u32 %x, %x, %step${d}, %q;`;
  };
  return [
    `mad.lo.u32 %i, %rowstep, ${row}, %r; setp.lt.u32 %live${row}, %i, %left; mov.pred %inside${row}, %live${row};
mad.lo.u32 %row${row}, %i, %pitch, %shared; mov.b64 %place${row}, %base;`,
    ...axes.map((d) => {
      const offset = offsetOf(d);
      return `${coordinate(d)} ${offset === undefined ? '' : `add.u32 %x, %x, ${offset};`}
setp.le.u32 %also, %x, %last${d}; and.pred %inside${row}, %inside${row}, %also;
setp.ge.s32 %also, %x, 0; and.pred %inside${row}, %inside${row}, %also;
cvt.u64.u32 %wide, %x; mul.lo.u64 %wide, %wide, %stride${d}; add.u64 %place${row}, %place${row}, %wide;`;
    }),
  ].join('\n');
}

const words = (row: number): readonly string[] => wordsPerUnit.map((word) => `%w${wordsPerUnit.length * row + word}`);
const unit = (row: number): string => `{${words(row).join(', ')}}`;
/** Returns code that sets `%wide` to the address of the unit in the tensor. */
const wideText = (row: number): string => `cvt.s64.s32 %wide, %q; add.s64 %wide, %place${row}, %wide;`;
/**
 * Returns code that sets `%x` to the number of bytes from a word of the unit to the end of the
 * tensor's row.
 */
const leftText = (word: number): string => `sub.s32 %x, %limit, %q; sub.s32 %x, %x, ${4 * word};`;
/** Code that sets `%x` to the mask of the bytes inside the tensor, of which there are `%x`. */
const maskText =
  'max.s32 %x, %x, 0; shl.b32 %x, %x, 3; mov.b32 %s, 1; shl.b32 %s, %s, %x; sub.u32 %x, %s, 1; not.b32 %s, %x;';

/**
 * Returns code that rounds a word to TF32, if `ok` is true: to the nearest number, or to the NaN that
 * hardware stores.
 */
const roundText = (word: string, ok: string): string =>
  `and.b32 %x, ${word}, 0x7fffffff; setp.gt.u32 %also, %x, 0x7f800000; shr.u32 %x, ${word}, 13; and.b32 %x, %x, 1;
add.u32 %x, %x, 0xfff; add.u32 %x, ${word}, %x; and.b32 %x, %x, 0xffffe000; selp.b32 %x, 0x7fffe000, %x, %also;
selp.b32 ${word}, %x, ${word}, ${ok};`;

const allRows = Array.from({ length: rowsTogether }, (_, row) => row);

/**
 * Loads units of the tensor, or the fill, and stores them in shared memory. A unit at the end of a
 * row is loaded as a whole: rows of the tensor start at multiples of units.
 */
export const loadUnits: UnitCode = {
  together: rowsTogether,
  text: [
    // Without branches, the loads of all rows are in flight at the same time.
    ...allRows.map(
      (row) => `${wideText(row)} selp.b64 %wide, %wide, %base, %ok${row}; ld.global.v4.b32 ${unit(row)}, [%wide];`,
    ),
    ...allRows.flatMap((row) => words(row).map((word) => `selp.b32 ${word}, ${word}, %fill, %ok${row};`)),
    '@!%tf32 bra ROUNDED;',
    ...allRows.flatMap((row) => words(row).map((word) => roundText(word, `%ok${row}`))),
    'ROUNDED:\n@!%part bra WHOLE;',
    ...wordsPerUnit.flatMap((word) => [
      `${leftText(word)} ${maskText} and.b32 %s, %s, %fill;`,
      ...allRows.map((row) => {
        const own = `%w${wordsPerUnit.length * row + word}`;
        return `and.b32 ${own}, ${own}, %x; or.b32 ${own}, ${own}, %s;`;
      }),
    ]),
    'WHOLE:',
    ...allRows.map((row) => `@%live${row} st.shared.v4.b32 [%s${row}], ${unit(row)};`),
  ].join('\n'),
};

/**
 * Stores a unit of shared memory in the tensor. At the end of a row, it keeps the bytes after the
 * row. Hardware overwrites them, so no other thread stores them at the same time.
 */
export const storeUnit: UnitCode = {
  together: 1,
  text: [
    `@!%ok0 bra STORED;\nld.shared.v4.b32 ${unit(0)}, [%s0]; ${wideText(0)}\n@%part bra PART;`,
    `st.global.v4.b32 [%wide], ${unit(0)};\nbra STORED;\nPART:`,
    ...words(0).map(
      (own, word) => `${leftText(word)} setp.gt.s32 %also, %x, 0; ${maskText}
@%also ld.global.b32 %e, [%wide + ${4 * word}];
and.b32 ${own}, ${own}, %x; and.b32 %e, %e, %s; or.b32 %e, %e, ${own};
@%also st.global.b32 [%wide + ${4 * word}], %e;`,
    ),
    'STORED:',
  ].join('\n'),
};

/**
 * Returns code that executes `text` for each element of a unit: at `%s` in shared memory and `%wide`
 * in the tensor.
 */
export const eachElement = (text: string): UnitCode => ({
  together: 1,
  text: `mov.b32 %e, 0;
ELEMENT:
add.s32 %x, %q, %e; setp.lt.u32 %also, %x, %limit; and.pred %also, %also, %inside0;
@!%also bra NEXT_ELEMENT;
cvt.s64.s32 %wide, %x; add.s64 %wide, %place0, %wide; add.u32 %s, %s0, %e;
${text}
NEXT_ELEMENT:
mov.b32 %x, 1; shl.b32 %x, %x, %log; add.u32 %e, %e, %x; setp.lt.u32 %more, %e, ${unitBytes};
@%more bra ELEMENT;`,
});
