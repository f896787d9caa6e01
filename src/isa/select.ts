// Comparison, selection, moves and conversions.
import { type RowNames, rows } from './row.ts';

const cmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs'] as const;
const floatCmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'] as const;
const boolOp = ['and', 'or', 'xor'] as const;
const bits = ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const values = [...bits, 'f32', 'f64'] as const;
const numbers = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'f32'] as const;
const section = (name: string) => `comparison-and-selection-instructions-${name}`;
const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const base = { kind: 'lane', writes: ['d'], ptx: '1.0', target: 'sm_10' } as const;

export const selectRows = rows([
  { ...base, writes: ['p', 'q'], name: 'setp', sinks: ['p', 'q'], syntax: 'setp.cmp.type p[|q], a, b', where: { cmp, type: bits }, types: { p: 'pred', q: 'pred', a: '.type', b: '.type' }, section: section('setp'), doc: 'Compares; `q` is the complement of `p`.' },
  {
    ...base,
    writes: ['p', 'q'],
    name: 'setp.bool',
    sinks: ['p', 'q'],
    syntax: 'setp.cmp.bool.type p[|q], a, b, {!}c',
    where: { cmp, bool: boolOp, type: bits },
    types: { p: 'pred', q: 'pred', a: '.type', b: '.type', c: 'pred' },
    section: section('setp'),
    doc: 'Compares, and combines the result and its complement with `c`.',
  },
  { ...base, writes: ['p', 'q'], name: 'setp.f32', sinks: ['p', 'q'], syntax: 'setp.cmp{.ftz}.f32 p[|q], a, b', where: { cmp: floatCmp }, types: { p: 'pred', q: 'pred', a: 'f32', b: 'f32' }, section: section('setp'), doc: 'Compares f32 values, ordered or unordered.' },
  { ...base, writes: ['p', 'q'], name: 'setp.bool.f32', sinks: ['p', 'q'], syntax: 'setp.cmp.bool{.ftz}.f32 p[|q], a, b, {!}c', where: { cmp: floatCmp, bool: boolOp }, types: { p: 'pred', q: 'pred', a: 'f32', b: 'f32', c: 'pred' }, section: section('setp'), doc: 'Compares f32 values, and combines with `c`.' },
  { ...base, name: 'set', syntax: 'set.cmp.dtype.type d, a, b', where: { cmp, dtype: ['u32', 's32', 'f32'], type: bits }, types: { d: '.dtype', a: '.type', b: '.type' }, section: section('set'), doc: 'Compares to all ones (integers) or 1.0.' },
  { ...base, name: 'set.bool', syntax: 'set.cmp.bool.dtype.type d, a, b, {!}c', where: { cmp, bool: boolOp, dtype: ['u32', 's32', 'f32'], type: bits }, types: { d: '.dtype', a: '.type', b: '.type', c: 'pred' }, section: section('set'), doc: 'As set, combined with `c`.' },
  { ...base, name: 'set.f32', syntax: 'set.cmp{.ftz}.dtype.f32 d, a, b', where: { cmp: floatCmp, dtype: ['u32', 's32', 'f32'] }, types: { d: '.dtype', a: 'f32', b: 'f32' }, section: section('set'), doc: 'Compares f32 values to all ones or 1.0.' },
  { ...base, name: 'set.bool.f32', syntax: 'set.cmp.bool{.ftz}.dtype.f32 d, a, b, {!}c', where: { cmp: floatCmp, bool: boolOp, dtype: ['u32', 's32', 'f32'] }, types: { d: '.dtype', a: 'f32', b: 'f32', c: 'pred' }, section: section('set'), doc: 'As set on f32 values, combined with `c`.' },
  { ...base, name: 'selp', syntax: 'selp.type d, a, b, {!}c', where: { type: values }, types: { d: '.type', a: '.type', b: '.type', c: 'pred' }, section: section('selp'), doc: '`a` where `c` is true, else `b`.' },
  { ...base, name: 'slct', syntax: 'slct.type.s32 d, a, b, c', where: { type: values }, types: { d: '.type', a: '.type', b: '.type', c: 's32' }, section: section('slct'), doc: '`a` where `c` is not negative, else `b`.' },
  { ...base, name: 'slct.f32', syntax: 'slct{.ftz}.type.f32 d, a, b, c', where: { type: values }, types: { d: '.type', a: '.type', b: '.type', c: 'f32' }, section: section('slct'), doc: '`a` where `c` is at least 0 (-0 is), else `b`; NaN takes `b`.' },
  { ...base, name: 'mov', names: 'anything', packs: true, syntax: 'mov.type d, a', where: { type: ['pred', ...values] }, types: { d: '.type', a: '.type' }, section: move('mov'), doc: 'Copies a register, constant, special register or address; packs and unpacks vectors.' },
  {
    ...base,
    name: 'cvt',
    registers: 'wider',
    names: 'special',
    syntax: 'cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a',
    where: { rnd: ['rn', 'rz', 'rm', 'rp', 'rni', 'rzi', 'rmi', 'rpi'], dtype: numbers, atype: numbers },
    types: { d: '.dtype', a: '.atype' },
    section: move('cvt'),
    doc: 'Converts between types, with rounding and saturation.',
  },
  { ...base, name: 'cvt.pack', syntax: 'cvt.pack.sat.dtype.s32 d, a, b', where: { dtype: ['u16', 's16'] }, types: { d: 'b32', a: 's32', b: 's32' }, ptx: '6.5', target: 'sm_72', section: move('cvt-pack'), doc: 'Saturates two values and packs them.' },
  {
    ...base,
    name: 'cvt.pack.b32',
    syntax: 'cvt.pack.sat.dtype.s32.b32 d, a, b, c',
    where: { dtype: ['u8', 's8', 'u4', 's4', 'u2', 's2'] },
    types: { d: 'b32', a: 's32', b: 's32', c: 'b32' },
    ptx: '6.5',
    target: 'sm_72',
    since: [{ slot: 'dtype', values: ['u4', 's4', 'u2', 's2'], ptx: '6.5', target: 'sm_75' }],
    section: move('cvt-pack'),
    doc: 'Saturates two values and packs them below the low bits of a third.',
  },
]);

export type SelectRowName = RowNames<typeof selectRows>;
