// Video instructions: arithmetic on one byte or half of a register, or on all parts of a word at
// once.
import { type RowNames, rows } from './row.ts';

const type = ['u32', 's32'] as const;
const types = { dtype: type, atype: type, btype: type } as const;
const op2 = ['add', 'min', 'max'] as const;
const cmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;
const dabc = { d: '.dtype', a: '.atype', b: '.btype', c: '.dtype' } as const;
const compares = { d: 'u32', a: '.atype', b: '.btype', c: 'u32' } as const;
const scalar = (name: string) => `scalar-video-instructions-${name}`;
const simd = (name: string) => `simd-video-instructions-${name}`;

const base = { kind: 'lane', writes: ['d'], types: dabc, ptx: '2.0', target: 'sm_20' } as const;
const part = { ...base, selectors: { dsel: 'part', asel: 'part', bsel: 'part' } } as const;
const arithmetic = { ...part, where: { ...types, op2 }, section: scalar('vadd-vsub-vabsdiff-vmin-vmax') } as const;
const shift = { ...part, where: { dtype: type, atype: type, mode: ['clamp', 'wrap'], op2 }, types: { ...dabc, b: 'u32' }, section: scalar('vshl-vshr') } as const; // biome-ignore format: one line

const kepler = { ...base, constants: 'none', ptx: '3.0', target: 'sm_30' } as const;
const halves = { ...kepler, where: types, selectors: { mask: 'halfMask', asel: 'halves', bsel: 'halves' }, section: simd('vadd2-vsub2-vavrg2-vabsdiff2-vmin2-vmax2') } as const; // biome-ignore format: one line
const bytes = { ...kepler, where: types, selectors: { mask: 'byteMask', asel: 'bytes', bsel: 'bytes' }, section: simd('vadd4-vsub4-vavrg4-vabsdiff4-vmin4-vmax4') } as const; // biome-ignore format: one line
const compared = { atype: type, btype: type, cmp } as const;

export const videoRows = rows([
  { ...arithmetic, name: 'vadd', syntax: 'vadd.dtype.atype.btype{.sat}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Sum of bytes, halves or words; then a second operation with `c`, or part of `c` replaced.' },
  { ...arithmetic, name: 'vsub', syntax: 'vsub.dtype.atype.btype{.sat}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Difference of bytes, halves or words; then a second operation with `c`, or part of `c` replaced.' },
  { ...arithmetic, name: 'vabsdiff', syntax: 'vabsdiff.dtype.atype.btype{.sat}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Absolute difference of bytes, halves or words; then a second operation with `c`, or part of `c` replaced.' },
  { ...arithmetic, name: 'vmin', syntax: 'vmin.dtype.atype.btype{.sat}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Minimum of bytes, halves or words; then a second operation with `c`, or part of `c` replaced.' },
  { ...arithmetic, name: 'vmax', syntax: 'vmax.dtype.atype.btype{.sat}{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Maximum of bytes, halves or words; then a second operation with `c`, or part of `c` replaced.' },
  { ...shift, name: 'vshl', syntax: 'vshl.dtype.atype.u32{.sat}.mode{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Byte, half or word shifted left; then a second operation with `c`, or part of `c` replaced.' },
  { ...shift, name: 'vshr', syntax: 'vshr.dtype.atype.u32{.sat}.mode{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', doc: 'Byte, half or word shifted right; then a second operation with `c`, or part of `c` replaced.' },
  {
    ...base,
    name: 'vmad',
    syntax: 'vmad.dtype.atype.btype{.po}{.sat}{.scale} d, {-aneg}a{.asel}, {-bneg}b{.bsel}, {-cneg}c',
    where: { ...types, scale: ['shr7', 'shr15'] },
    selectors: { aneg: 'sign', asel: 'part', bneg: 'sign', bsel: 'part', cneg: 'sign' },
    section: scalar('vmad'),
    doc: 'Product of bytes, halves or words plus `c`, shifted right.',
  },
  { ...part, name: 'vset', syntax: 'vset.atype.btype.cmp{.op2} d{.dsel}, a{.asel}, b{.bsel}{, c}', where: { ...compared, op2 }, types: compares, section: scalar('vset'), doc: 'Compares bytes, halves or words to 1 or 0; then a second operation with `c`, or part of `c` replaced.' },

  { ...halves, name: 'vadd2', syntax: 'vadd2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Sums of two halves, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vsub2', syntax: 'vsub2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Differences of two halves, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vavrg2', syntax: 'vavrg2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Averages of two halves, rounded away from zero, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vabsdiff2', syntax: 'vabsdiff2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Absolute differences of two halves, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vmin2', syntax: 'vmin2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Minima of two halves, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vmax2', syntax: 'vmax2.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Maxima of two halves, in the place of those of `c` or added to it.' },
  { ...halves, name: 'vset2', syntax: 'vset2.atype.btype.cmp{.add} d{.mask}, a{.asel}, b{.bsel}, c', where: compared, types: compares, section: simd('vset2'), doc: 'Compares two halves to 1 or 0, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vadd4', syntax: 'vadd4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Sums of four bytes, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vsub4', syntax: 'vsub4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Differences of four bytes, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vavrg4', syntax: 'vavrg4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Averages of four bytes, rounded away from zero, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vabsdiff4', syntax: 'vabsdiff4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Absolute differences of four bytes, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vmin4', syntax: 'vmin4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Minima of four bytes, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vmax4', syntax: 'vmax4.dtype.atype.btype{.sat}{.add} d{.mask}, a{.asel}, b{.bsel}, c', doc: 'Maxima of four bytes, in the place of those of `c` or added to it.' },
  { ...bytes, name: 'vset4', syntax: 'vset4.atype.btype.cmp{.add} d{.mask}, a{.asel}, b{.bsel}, c', where: compared, types: compares, section: simd('vset4'), doc: 'Compares four bytes to 1 or 0, in the place of those of `c` or added to it.' },
]);

export type VideoRowName = RowNames<typeof videoRows>;

const pair = { ...base, constants: 'none', where: { type: ['u16x2', 's16x2'] }, types: { d: 'b32', a: 'b32', b: 'b32' }, ptx: '8.0', target: 'sm_90' } as const; // biome-ignore format: one line
const integer = (name: string) => `integer-arithmetic-instructions-${name}`;

export const packedIntegerRows = rows([
  { ...pair, name: 'add.16x2', syntax: 'add.type d, a, b', section: integer('add'), doc: 'Sums of two halves.' },
  { ...pair, name: 'min.16x2', syntax: 'min{.relu}.type d, a, b', section: integer('min'), doc: 'Minima of two halves; `.relu` clamps s16x2 to 0 from below.' },
  { ...pair, name: 'max.16x2', syntax: 'max{.relu}.type d, a, b', section: integer('max'), doc: 'Maxima of two halves; `.relu` clamps s16x2 to 0 from below.' },
]);

export type PackedIntegerRowName = RowNames<typeof packedIntegerRows>;
