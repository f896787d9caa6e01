// 16-bit floating point: f16 and bf16, as single values and as pairs in a word. The elements of
// f16x2 and bf16x2 have the same rules; the low element is first.
import { type RowNames, rows } from './row.ts';

const rnd = ['rn'] as const;
const anyRnd = ['rn', 'rz', 'rm', 'rp'] as const;
const cmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'] as const;
const anyCmp = [...cmp, 'lo', 'ls', 'hi', 'hs'] as const;
const bool = ['and', 'or', 'xor'] as const;
const f16 = ['f16', 'f16x2'] as const;
const bf16 = ['bf16', 'bf16x2'] as const;
const bits = ['b16', 'b32', 'b64', 'u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const flags = ['u16', 's16', 'u32', 's32'] as const;
const packedFlags = ['u32', 's32'] as const;
const section = (name: string) => `half-precision-floating-point-instructions-${name}`;
const mixedSection = (name: string) => `mixed-precision-floating-point-instructions-${name}`;
const compare = (name: string) => `half-precision-comparison-instructions-${name}`;
const da = { d: '.type', a: '.type' } as const;
const dab = { ...da, b: '.type' } as const;
const dabc = { ...dab, c: '.type' } as const;
const predicate = { p: 'pred', a: '.type', b: '.type' } as const;
const pair = { p: 'pred', q: 'pred', a: '.type', b: '.type' } as const;
const result = { d: '.dtype', a: '.type', b: '.type' } as const;
const base = { kind: 'lane', writes: ['d'], ptx: '4.2', target: 'sm_53' } as const;
const ampere = { kind: 'lane', writes: ['d'], ptx: '7.0', target: 'sm_80' } as const;
const hopper = { kind: 'lane', writes: ['d'], ptx: '7.8', target: 'sm_90' } as const;
const mixed = { kind: 'lane', writes: ['d'], constants: 'bits', ptx: '8.6', target: 'sm_100' } as const;
const xorsign = [{ slot: 'xorsign', values: ['xorsign'], ptx: '7.2', target: 'sm_86' }] as const;
const relu = [{ slot: 'relu', values: ['relu'], ptx: '7.0', target: 'sm_80' }] as const;
const toIntegers = { slot: 'dtype', values: flags, ptx: '6.5', target: 'sm_53' } as const;
const toBf16 = [toIntegers, { slot: 'dtype', values: ['bf16'], ptx: '7.8', target: 'sm_90' }] as const;

export const halfRows = rows([
  { ...base, name: 'add.f16', syntax: 'add{.rnd}{.ftz}{.sat}.type d, a, b', where: { rnd, type: f16 }, types: dab, section: section('add'), doc: 'Sum of f16 values, correctly rounded.' },
  { ...base, name: 'sub.f16', syntax: 'sub{.rnd}{.ftz}{.sat}.type d, a, b', where: { rnd, type: f16 }, types: dab, section: section('sub'), doc: 'Difference of f16 values, correctly rounded.' },
  { ...base, name: 'mul.f16', syntax: 'mul{.rnd}{.ftz}{.sat}.type d, a, b', where: { rnd, type: f16 }, types: dab, section: section('mul'), doc: 'Product of f16 values, correctly rounded.' },
  { ...base, name: 'fma.f16', syntax: 'fma.rnd{.ftz}{.sat}{.relu}.type d, a, b, c', where: { rnd, type: f16 }, types: dabc, since: relu, section: section('fma'), doc: 'Fused multiply-add of f16 values, rounded once.' },
  { ...hopper, name: 'add.bf16', syntax: 'add{.rnd}.type d, a, b', where: { rnd, type: bf16 }, types: dab, section: section('add'), doc: 'Sum of bf16 values, correctly rounded.' },
  { ...hopper, name: 'sub.bf16', syntax: 'sub{.rnd}.type d, a, b', where: { rnd, type: bf16 }, types: dab, section: section('sub'), doc: 'Difference of bf16 values, correctly rounded.' },
  { ...hopper, name: 'mul.bf16', syntax: 'mul{.rnd}.type d, a, b', where: { rnd, type: bf16 }, types: dab, section: section('mul'), doc: 'Product of bf16 values, correctly rounded.' },
  { ...ampere, name: 'fma.bf16', syntax: 'fma.rnd{.relu}.type d, a, b, c', where: { rnd, type: bf16 }, types: dabc, section: section('fma'), doc: 'Fused multiply-add of bf16 values, rounded once.' },
  { ...base, name: 'neg.f16', syntax: 'neg{.ftz}.type d, a', where: { type: f16 }, types: da, ptx: '6.0', section: section('neg'), doc: 'Negation of f16 values.' },
  { ...base, name: 'abs.f16', syntax: 'abs{.ftz}.type d, a', where: { type: f16 }, types: da, ptx: '6.5', section: section('abs'), doc: 'Absolute value of f16 values.' },
  { ...ampere, name: 'neg.bf16', syntax: 'neg.type d, a', where: { type: bf16 }, types: da, section: section('neg'), doc: 'Negation of bf16 values.' },
  { ...ampere, name: 'abs.bf16', syntax: 'abs.type d, a', where: { type: bf16 }, types: da, section: section('abs'), doc: 'Absolute value of bf16 values.' },
  { ...ampere, name: 'min.f16', syntax: 'min{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b', where: { type: f16 }, types: dab, since: xorsign, section: section('min'), doc: 'Minimum of f16 values; -0 is less than +0; a NaN loses unless `.NaN`.' },
  { ...ampere, name: 'max.f16', syntax: 'max{.ftz}{.NaN}{.xorsign}{.abs}.type d, a, b', where: { type: f16 }, types: dab, since: xorsign, section: section('max'), doc: 'Maximum of f16 values; +0 is greater than -0; a NaN loses unless `.NaN`.' },
  { ...ampere, name: 'min.bf16', syntax: 'min{.NaN}{.xorsign}{.abs}.type d, a, b', where: { type: bf16 }, types: dab, since: xorsign, section: section('min'), doc: 'Minimum of bf16 values; -0 is less than +0; a NaN loses unless `.NaN`.' },
  { ...ampere, name: 'max.bf16', syntax: 'max{.NaN}{.xorsign}{.abs}.type d, a, b', where: { type: bf16 }, types: dab, since: xorsign, section: section('max'), doc: 'Maximum of bf16 values; +0 is greater than -0; a NaN loses unless `.NaN`.' },
  { ...base, name: 'tanh.approx.f16', syntax: 'tanh.approx.type d, a', where: { type: f16 }, types: da, ptx: '7.0', target: 'sm_75', section: section('tanh'), doc: 'Hyperbolic tangent of f16 values, approximated.' },
  { ...hopper, name: 'tanh.approx.bf16', syntax: 'tanh.approx.type d, a', where: { type: bf16 }, types: da, section: section('tanh'), doc: 'Hyperbolic tangent of bf16 values, approximated.' },
  { ...base, name: 'ex2.approx.f16', syntax: 'ex2.approx.type d, a', where: { type: f16 }, types: da, ptx: '7.0', target: 'sm_75', section: section('ex2'), doc: 'Power of two of f16 values, approximated.' },
  { ...hopper, name: 'ex2.approx.bf16', syntax: 'ex2.approx.ftz.type d, a', where: { type: bf16 }, types: da, section: section('ex2'), doc: 'Power of two of bf16 values, approximated.' },

  { ...mixed, name: 'add.f32.half', syntax: 'add{.rnd}{.sat}.f32.atype d, a, c', where: { rnd: anyRnd, atype: ['f16', 'bf16'] }, types: { d: 'f32', a: '.atype', c: 'f32' }, section: mixedSection('add'), doc: 'Sum of a value of 16 bits and an f32, correctly rounded.' },
  { ...mixed, name: 'sub.f32.half', syntax: 'sub{.rnd}{.sat}.f32.atype d, a, c', where: { rnd: anyRnd, atype: ['f16', 'bf16'] }, types: { d: 'f32', a: '.atype', c: 'f32' }, section: mixedSection('sub'), doc: 'Difference of a value of 16 bits and an f32, correctly rounded.' },
  { ...mixed, name: 'fma.f32.half', syntax: 'fma.rnd{.sat}.f32.abtype d, a, b, c', where: { rnd: anyRnd, abtype: ['f16', 'bf16'] }, types: { d: 'f32', a: '.abtype', b: '.abtype', c: 'f32' }, section: mixedSection('fma'), doc: 'Product of values of 16 bits, added to an f32, rounded once.' },

  { ...base, writes: ['p'], name: 'setp.f16', sinks: ['p'], syntax: 'setp.cmp{.ftz}.type p, a, b', where: { cmp, type: ['f16'] }, types: predicate, section: compare('setp'), doc: 'Compares f16 values, ordered or unordered.' },
  { ...base, writes: ['p'], name: 'setp.bool.f16', sinks: ['p'], syntax: 'setp.cmp.bool{.ftz}.type p, a, b, {!}c', where: { cmp, bool, type: ['f16'] }, types: { ...predicate, c: 'pred' }, section: compare('setp'), doc: 'Compares f16 values, and combines with `c`.' },
  { ...base, writes: ['p', 'q'], name: 'setp.f16x2', sinks: ['p', 'q'], syntax: 'setp.cmp{.ftz}.type p[|q], a, b', where: { cmp, type: ['f16x2'] }, types: pair, section: compare('setp'), doc: 'Compares f16 values in pairs: the low ones to `p`, the high ones to `q`.' },
  { ...base, writes: ['p', 'q'], name: 'setp.bool.f16x2', sinks: ['p', 'q'], syntax: 'setp.cmp.bool{.ftz}.type p[|q], a, b, {!}c', where: { cmp, bool, type: ['f16x2'] }, types: { ...pair, c: 'pred' }, section: compare('setp'), doc: 'As setp on pairs of f16 values, combined with `c`.' },
  { ...hopper, writes: ['p'], name: 'setp.bf16', sinks: ['p'], syntax: 'setp.cmp.type p, a, b', where: { cmp, type: ['bf16'] }, types: predicate, section: compare('setp'), doc: 'Compares bf16 values, ordered or unordered.' },
  { ...hopper, writes: ['p'], name: 'setp.bool.bf16', sinks: ['p'], constants: 'none', syntax: 'setp.cmp.bool.type p, a, b, {!}c', where: { cmp, bool, type: ['bf16'] }, types: { ...predicate, c: 'pred' }, section: compare('setp'), doc: 'Compares bf16 values, and combines with `c`.' },
  { ...hopper, writes: ['p', 'q'], name: 'setp.bf16x2', sinks: ['p', 'q'], syntax: 'setp.cmp.type p[|q], a, b', where: { cmp, type: ['bf16x2'] }, types: pair, section: compare('setp'), doc: 'Compares bf16 values in pairs: the low ones to `p`, the high ones to `q`.' },
  { ...hopper, writes: ['p', 'q'], name: 'setp.bool.bf16x2', sinks: ['p', 'q'], constants: 'none', syntax: 'setp.cmp.bool.type p[|q], a, b, {!}c', where: { cmp, bool, type: ['bf16x2'] }, types: { ...pair, c: 'pred' }, section: compare('setp'), doc: 'As setp on pairs of bf16 values, combined with `c`.' },

  { ...base, name: 'set.f16', syntax: 'set.cmp{.ftz}.dtype.type d, a, b', where: { cmp, dtype: ['f16', 'bf16', ...flags], type: ['f16'] }, types: result, since: toBf16, section: compare('set'), doc: 'Compares f16 values to all ones or 1.0.' },
  { ...base, name: 'set.bool.f16', syntax: 'set.cmp.bool{.ftz}.dtype.type d, a, b, {!}c', where: { cmp, bool, dtype: ['f16', 'bf16', ...flags], type: ['f16'] }, types: { ...result, c: 'pred' }, since: toBf16, section: compare('set'), doc: 'As set on f16 values, combined with `c`.' },
  { ...base, name: 'set.f16x2', syntax: 'set.cmp{.ftz}.dtype.type d, a, b', where: { cmp, dtype: ['f16x2', ...packedFlags], type: ['f16x2'] }, types: result, since: [toIntegers], section: compare('set'), doc: 'Compares f16 values in pairs to all ones in 16 bits, or 1.0.' },
  { ...base, name: 'set.bool.f16x2', syntax: 'set.cmp.bool{.ftz}.dtype.type d, a, b, {!}c', where: { cmp, bool, dtype: ['f16x2', ...packedFlags], type: ['f16x2'] }, types: { ...result, c: 'pred' }, since: [toIntegers], section: compare('set'), doc: 'As set on pairs of f16 values, combined with `c`.' },
  { ...hopper, name: 'set.bf16', syntax: 'set.cmp.dtype.type d, a, b', where: { cmp, dtype: ['bf16', ...flags], type: ['bf16'] }, types: result, section: compare('set'), doc: 'Compares bf16 values to all ones or 1.0.' },
  { ...hopper, name: 'set.bool.bf16', constants: 'none', syntax: 'set.cmp.bool.dtype.type d, a, b, {!}c', where: { cmp, bool, dtype: ['bf16', ...flags], type: ['bf16'] }, types: { ...result, c: 'pred' }, section: compare('set'), doc: 'As set on bf16 values, combined with `c`.' },
  { ...hopper, name: 'set.bf16x2', syntax: 'set.cmp.dtype.type d, a, b', where: { cmp, dtype: ['bf16x2', ...packedFlags], type: ['bf16x2'] }, types: result, section: compare('set'), doc: 'Compares bf16 values in pairs to all ones in 16 bits, or 1.0.' },
  { ...hopper, name: 'set.bool.bf16x2', constants: 'none', syntax: 'set.cmp.bool.dtype.type d, a, b, {!}c', where: { cmp, bool, dtype: ['bf16x2', ...packedFlags], type: ['bf16x2'] }, types: { ...result, c: 'pred' }, section: compare('set'), doc: 'As set on pairs of bf16 values, combined with `c`.' },
  { ...base, name: 'set.half', syntax: 'set.cmp{.ftz}.dtype.type d, a, b', where: { cmp: anyCmp, dtype: ['f16', 'bf16'], type: [...bits, 'f32', 'f64'] }, types: result, since: toBf16, section: compare('set'), doc: 'Compares integers, f32 or f64 values to 1.0 in 16 bits.' },
  { ...base, name: 'set.bool.half', syntax: 'set.cmp.bool{.ftz}.dtype.type d, a, b, {!}c', where: { cmp: anyCmp, bool, dtype: ['f16', 'bf16'], type: [...bits, 'f32', 'f64'] }, types: { ...result, c: 'pred' }, since: toBf16, section: compare('set'), doc: 'As set to 16 bits, combined with `c`.' },
]);

export type HalfRowName = RowNames<typeof halfRows>;
