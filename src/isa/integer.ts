// Integer arithmetic, logic and bit manipulation.
import { type RowNames, rows } from './row.ts';

const integers = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const words = ['u32', 's32', 'u64', 's64'] as const;
const section = (name: string) => `integer-arithmetic-instructions-${name}`;
const logic = (name: string) => `logic-and-shift-instructions-${name}`;
const extended = (name: string) => `extended-precision-arithmetic-instructions-${name}`;
const ab = { d: '.type', a: '.type', b: '.type' } as const;
const abc = { ...ab, c: '.type' } as const;
const da = { d: '.type', a: '.type' } as const;
const base = { kind: 'lane', writes: ['d'], ptx: '1.0', target: 'sm_10' } as const;

export const integerRows = rows([
  { ...base, name: 'add', syntax: 'add{.sat}.type d, a, b', where: { type: integers }, types: ab, section: section('add'), doc: 'Adds; `.sat` clamps s32.' },
  { ...base, name: 'sub', syntax: 'sub{.sat}.type d, a, b', where: { type: integers }, types: ab, section: section('sub'), doc: 'Subtracts; `.sat` clamps s32.' },
  { ...base, name: 'mul', syntax: 'mul.half.type d, a, b', where: { half: ['lo', 'hi'], type: integers }, types: ab, section: section('mul'), doc: 'Low or high half of the product.' },
  { ...base, name: 'mul.wide', syntax: 'mul.wide.type d, a, b', where: { type: ['u16', 's16', 'u32', 's32'] }, types: { d: '.type*2', a: '.type', b: '.type' }, section: section('mul'), doc: 'Whole product, twice as wide.' },
  { ...base, name: 'mad', syntax: 'mad.half{.sat}.type d, a, b, c', where: { half: ['lo', 'hi'], type: integers }, types: abc, section: section('mad'), doc: 'Low or high half of the product, plus `c`.' },
  { ...base, name: 'mad.wide', syntax: 'mad.wide.type d, a, b, c', where: { type: ['u16', 's16', 'u32', 's32'] }, types: { d: '.type*2', a: '.type', b: '.type', c: '.type*2' }, section: section('mad'), doc: 'Whole product plus `c`.' },
  { ...base, name: 'mul24', syntax: 'mul24.half.type d, a, b', where: { half: ['lo', 'hi'], type: ['u32', 's32'] }, types: ab, section: section('mul24'), doc: 'Product of 24-bit operands: bits 31..0 or 47..16.' },
  { ...base, name: 'mad24', syntax: 'mad24.half{.sat}.type d, a, b, c', where: { half: ['lo', 'hi'], type: ['u32', 's32'] }, types: abc, section: section('mad24'), doc: 'As mul24, plus `c`.' },
  { ...base, name: 'sad', syntax: 'sad.type d, a, b, c', where: { type: integers }, types: abc, section: section('sad'), doc: '`c` plus the absolute difference of `a` and `b`.' },
  { ...base, name: 'div', syntax: 'div.type d, a, b', where: { type: integers }, types: ab, section: section('div'), doc: 'Quotient, rounded towards zero.' },
  { ...base, name: 'rem', syntax: 'rem.type d, a, b', where: { type: integers }, types: ab, section: section('rem'), doc: 'Remainder of the division rounded towards zero.' },
  { ...base, name: 'abs', syntax: 'abs.type d, a', where: { type: ['s16', 's32', 's64'] }, types: da, section: section('abs'), doc: 'Absolute value.' },
  { ...base, name: 'neg', syntax: 'neg.type d, a', where: { type: ['s16', 's32', 's64'] }, types: da, section: section('neg'), doc: 'Negation.' },
  { ...base, name: 'min', syntax: 'min{.relu}.type d, a, b', where: { type: integers }, types: ab, since: [{ slot: 'relu', values: ['relu'], ptx: '8.0', target: 'sm_90' }], section: section('min'), doc: 'Minimum; `.relu` clamps s32 to 0 from below.' },
  { ...base, name: 'max', syntax: 'max{.relu}.type d, a, b', where: { type: integers }, types: ab, since: [{ slot: 'relu', values: ['relu'], ptx: '8.0', target: 'sm_90' }], section: section('max'), doc: 'Maximum; `.relu` clamps s32 to 0 from below.' },
  { ...base, name: 'popc', syntax: 'popc.type d, a', where: { type: ['b32', 'b64'] }, types: { d: 'u32', a: '.type' }, ptx: '2.0', target: 'sm_20', section: section('popc'), doc: 'Number of one bits.' },
  { ...base, name: 'clz', syntax: 'clz.type d, a', where: { type: ['b32', 'b64'] }, types: { d: 'u32', a: '.type' }, ptx: '2.0', target: 'sm_20', section: section('clz'), doc: 'Number of leading zero bits.' },
  { ...base, name: 'bfind', syntax: 'bfind{.shiftamt}.type d, a', where: { type: words }, types: { d: 'u32', a: '.type' }, ptx: '2.0', target: 'sm_20', section: section('bfind'), doc: 'Position of the most significant non-sign bit, or the shift that brings it to the top; 0xffffffff if none.' },
  { ...base, name: 'fns', syntax: 'fns.b32 d, mask, base, offset', types: { d: 'b32', mask: 'b32', base: 'b32', offset: 's32' }, ptx: '6.0', target: 'sm_30', section: section('fns'), doc: 'Position of the n-th set bit from `base`; 0xffffffff if none.' },
  { ...base, name: 'brev', syntax: 'brev.type d, a', where: { type: ['b32', 'b64'] }, types: da, ptx: '2.0', target: 'sm_20', section: section('brev'), doc: 'Bits in reverse order.' },
  { ...base, name: 'bfe', syntax: 'bfe.type d, a, b, c', where: { type: words }, types: { d: '.type', a: '.type', b: 'u32', c: 'u32' }, ptx: '2.0', target: 'sm_20', section: section('bfe'), doc: 'Bit field of `a` from position `b` of length `c`, sign-extended for signed types.' },
  { ...base, writes: ['f'], name: 'bfi', syntax: 'bfi.type f, a, b, c, d', where: { type: ['b32', 'b64'] }, types: { f: '.type', a: '.type', b: '.type', c: 'u32', d: 'u32' }, ptx: '2.0', target: 'sm_20', section: section('bfi'), doc: 'Bit field `a` inserted into `b` at position `c` with length `d`.' },
  { ...base, name: 'szext', syntax: 'szext.mode.type d, a, b', where: { mode: ['clamp', 'wrap'], type: ['u32', 's32'] }, types: { d: '.type', a: '.type', b: 'u32' }, ptx: '7.6', target: 'sm_70', section: section('szext'), doc: 'Sign- or zero-extends the low `b` bits.' },
  { ...base, name: 'bmsk', syntax: 'bmsk.mode.b32 d, a, b', where: { mode: ['clamp', 'wrap'] }, types: { d: 'b32', a: 'b32', b: 'b32' }, ptx: '7.6', target: 'sm_70', section: section('bmsk'), doc: 'Mask of `b` bits from position `a`.' },
  { ...base, name: 'dp4a', syntax: 'dp4a.atype.btype d, a, b, c', where: { atype: ['u32', 's32'], btype: ['u32', 's32'] }, types: { d: 'b32', a: 'b32', b: 'b32', c: 'b32' }, ptx: '5.0', target: 'sm_61', section: section('dp4a'), doc: 'Four-way byte dot product, plus `c`.' },
  { ...base, name: 'dp2a', syntax: 'dp2a.half.atype.btype d, a, b, c', where: { half: ['lo', 'hi'], atype: ['u32', 's32'], btype: ['u32', 's32'] }, types: { d: 'b32', a: 'b32', b: 'b32', c: 'b32' }, ptx: '5.0', target: 'sm_61', section: section('dp2a'), doc: 'Two-way dot product of halves with bytes, plus `c`.' },
  { ...base, name: 'add.cc', syntax: 'add.cc.type d, a, b', where: { type: words }, types: ab, carry: { in: false, out: true }, ptx: '1.2', section: extended('add-cc'), doc: 'Adds, and writes the carry flag.' },
  { ...base, name: 'addc', syntax: 'addc{.cc}.type d, a, b', where: { type: words }, types: ab, carry: { in: true, out: 'cc' }, ptx: '1.2', section: extended('addc'), doc: 'Adds with the carry flag.' },
  { ...base, name: 'sub.cc', syntax: 'sub.cc.type d, a, b', where: { type: words }, types: ab, carry: { in: false, out: true }, ptx: '1.2', section: extended('sub-cc'), doc: 'Adds `a + ~b + 1`, and writes the carry flag: the inverse of the borrow.' },
  { ...base, name: 'subc', syntax: 'subc{.cc}.type d, a, b', where: { type: words }, types: ab, carry: { in: true, out: 'cc' }, ptx: '3.0', section: extended('subc'), doc: 'Adds `a + ~b` and the carry flag: subtracts with borrow.' },
  { ...base, name: 'mad.cc', syntax: 'mad.half.cc.type d, a, b, c', where: { half: ['lo', 'hi'], type: words }, types: abc, carry: { in: false, out: true }, ptx: '3.0', target: 'sm_20', section: extended('mad-cc'), doc: 'Multiplies and adds, and writes the carry flag.' },
  { ...base, name: 'madc', syntax: 'madc.half{.cc}.type d, a, b, c', where: { half: ['lo', 'hi'], type: words }, types: abc, carry: { in: true, out: 'cc' }, ptx: '3.0', target: 'sm_20', section: extended('madc'), doc: 'Multiplies and adds with the carry flag.' },
  { ...base, name: 'and', syntax: 'and.type d, a, b', where: { type: ['pred', 'b16', 'b32', 'b64'] }, types: ab, section: logic('and'), doc: 'Bitwise and.' },
  { ...base, name: 'or', syntax: 'or.type d, a, b', where: { type: ['pred', 'b16', 'b32', 'b64'] }, types: ab, section: logic('or'), doc: 'Bitwise or.' },
  { ...base, name: 'xor', syntax: 'xor.type d, a, b', where: { type: ['pred', 'b16', 'b32', 'b64'] }, types: ab, section: logic('xor'), doc: 'Bitwise exclusive or.' },
  { ...base, name: 'not', syntax: 'not.type d, a', where: { type: ['pred', 'b16', 'b32', 'b64'] }, types: da, section: logic('not'), doc: 'Bitwise complement.' },
  { ...base, name: 'cnot', syntax: 'cnot.type d, a', where: { type: ['b16', 'b32', 'b64'] }, types: da, section: logic('cnot'), doc: '1 where `a` is zero, else 0.' },
  { ...base, name: 'lop3', sinks: ['d'], immediates: { lut: 'b8' }, syntax: 'lop3.b32 d, a, b, c, lut', types: { d: 'b32', a: 'b32', b: 'b32', c: 'b32', lut: 'immediate' }, ptx: '4.3', target: 'sm_50', section: logic('lop3'), doc: 'Any logical function of three inputs, by its truth table.' },
  {
    ...base,
    writes: ['d', 'p'],
    name: 'lop3.bool',
    sinks: ['d'],
    immediates: { lut: 'b8' },
    syntax: 'lop3.bool.b32 d|p, a, b, c, lut, {!}q',
    where: { bool: ['or', 'and'] },
    types: { d: 'b32', p: 'pred', a: 'b32', b: 'b32', c: 'b32', lut: 'immediate', q: 'pred' },
    ptx: '8.2',
    target: 'sm_70',
    section: logic('lop3'),
    doc: 'As lop3; `p` says whether the result is not 0, combined with `q`.',
  },
  { ...base, name: 'shl', syntax: 'shl.type d, a, b', where: { type: ['b16', 'b32', 'b64'] }, types: { d: '.type', a: '.type', b: 'u32' }, section: logic('shl'), doc: 'Shift left; amounts over the width give 0.' },
  { ...base, name: 'shr', syntax: 'shr.type d, a, b', where: { type: ['b16', 'b32', 'b64', ...integers] }, types: { d: '.type', a: '.type', b: 'u32' }, section: logic('shr'), doc: 'Shift right; amounts over the width give 0 or the sign.' },
  { ...base, name: 'shf', syntax: 'shf.dir.mode.b32 d, a, b, c', where: { dir: ['l', 'r'], mode: ['clamp', 'wrap'] }, types: { d: 'b32', a: 'b32', b: 'b32', c: 'u32' }, ptx: '3.1', target: 'sm_32', section: logic('shf'), doc: 'Funnel shift of the 64 bits `b:a`.' },
  { ...base, name: 'prmt', syntax: 'prmt.b32{.mode} d, a, b, c', where: { mode: ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16'] }, types: { d: 'b32', a: 'b32', b: 'b32', c: 'b32' }, ptx: '2.0', target: 'sm_20', section: 'data-movement-and-conversion-instructions-prmt', doc: 'Picks four bytes of `b:a`.' },
]);

export type IntegerRowName = RowNames<typeof integerRows>;
