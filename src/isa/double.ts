// Double-precision floating point: arithmetic, comparisons and conversions.
import { type RowNames, rows } from './row.ts';

const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const cmp = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan'] as const;
const boolOp = ['and', 'or', 'xor'] as const;
const dtype = ['u32', 's32', 'f32'] as const;
const anyRnd = [...rnd, 'rni', 'rzi', 'rmi', 'rpi'] as const;
const narrower = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'f32'] as const;
const section = (name: string) => `floating-point-instructions-${name}`;
const selection = (name: string) => `comparison-and-selection-instructions-${name}`;
const conversion = 'data-movement-and-conversion-instructions-cvt';
const ab = { d: 'f64', a: 'f64', b: 'f64' } as const;
const abc = { ...ab, c: 'f64' } as const;
const da = { d: 'f64', a: 'f64' } as const;
const base = { kind: 'lane', writes: ['d'], ptx: '1.0', target: 'sm_13' } as const;
const predicates = { writes: ['p', 'q'], sinks: ['p', 'q'] } as const;

export const doubleRows = rows([
  { ...base, name: 'add.f64', syntax: 'add{.rnd}.f64 d, a, b', where: { rnd }, types: ab, section: section('add'), doc: 'Sum, correctly rounded.' },
  { ...base, name: 'sub.f64', syntax: 'sub{.rnd}.f64 d, a, b', where: { rnd }, types: ab, section: section('sub'), doc: 'Difference, correctly rounded.' },
  { ...base, name: 'mul.f64', syntax: 'mul{.rnd}.f64 d, a, b', where: { rnd }, types: ab, section: section('mul'), doc: 'Product, correctly rounded.' },
  { ...base, name: 'fma.f64', syntax: 'fma.rnd.f64 d, a, b, c', where: { rnd }, types: abc, ptx: '1.4', section: section('fma'), doc: 'Fused multiply-add, rounded once.' },
  { ...base, name: 'mad.f64', syntax: 'mad.rnd.f64 d, a, b, c', where: { rnd }, types: abc, section: section('mad'), doc: 'The same as fma.' },
  { ...base, name: 'div.f64', syntax: 'div.rnd.f64 d, a, b', where: { rnd }, types: ab, section: section('div'), doc: 'Quotient, correctly rounded.' },
  { ...base, name: 'abs.f64', syntax: 'abs.f64 d, a', types: da, section: section('abs'), doc: 'Absolute value.' },
  { ...base, name: 'neg.f64', syntax: 'neg.f64 d, a', types: da, section: section('neg'), doc: 'Negation.' },
  { ...base, name: 'min.f64', syntax: 'min.f64 d, a, b', types: ab, section: section('min'), doc: 'Minimum; -0 is less than +0; a NaN loses.' },
  { ...base, name: 'max.f64', syntax: 'max.f64 d, a, b', types: ab, section: section('max'), doc: 'Maximum; +0 is greater than -0; a NaN loses.' },
  { ...base, name: 'rcp.f64', syntax: 'rcp.rnd.f64 d, a', where: { rnd }, types: da, ptx: '1.4', section: section('rcp'), doc: 'Reciprocal, correctly rounded.' },
  { ...base, name: 'rcp.approx.ftz.f64', syntax: 'rcp.approx.ftz.f64 d, a', types: da, ptx: '2.1', target: 'sm_20', section: section('rcp-approx-ftz-f64'), doc: 'Reciprocal of the upper word, approximated; the lower word of the result is 0.' },
  { ...base, name: 'sqrt.f64', syntax: 'sqrt.rnd.f64 d, a', where: { rnd }, types: da, ptx: '1.4', section: section('sqrt'), doc: 'Square root, correctly rounded.' },
  { ...base, name: 'rsqrt.approx.f64', syntax: 'rsqrt.approx.f64 d, a', types: da, section: section('rsqrt'), doc: 'Reciprocal square root, approximated.' },
  { ...base, name: 'rsqrt.approx.ftz.f64', syntax: 'rsqrt.approx.ftz.f64 d, a', types: da, ptx: '4.0', target: 'sm_20', section: section('rsqrt-approx-ftz-f64'), doc: 'Reciprocal square root of the upper word, approximated; the lower word of the result is 0.' },
  { ...base, name: 'copysign.f64', syntax: 'copysign.f64 d, a, b', types: ab, ptx: '2.0', target: 'sm_20', section: section('copysign'), doc: '`b` with the sign of `a`.' },
  { ...base, writes: ['p'], name: 'testp.f64', syntax: 'testp.op.f64 p, a', where: { op: ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] }, types: { p: 'pred', a: 'f64' }, ptx: '2.0', target: 'sm_20', section: section('testp'), doc: 'Tests the class of a value.' },
  { ...base, ...predicates, name: 'setp.f64', syntax: 'setp.cmp.f64 p[|q], a, b', where: { cmp }, types: { p: 'pred', q: 'pred', a: 'f64', b: 'f64' }, section: selection('setp'), doc: 'Compares f64 values, ordered or unordered.' },
  { ...base, ...predicates, name: 'setp.bool.f64', syntax: 'setp.cmp.bool.f64 p[|q], a, b, {!}c', where: { cmp, bool: boolOp }, types: { p: 'pred', q: 'pred', a: 'f64', b: 'f64', c: 'pred' }, section: selection('setp'), doc: 'Compares f64 values, and combines with `c`.' },
  { ...base, name: 'set.f64', syntax: 'set.cmp.dtype.f64 d, a, b', where: { cmp, dtype }, types: { d: '.dtype', a: 'f64', b: 'f64' }, section: selection('set'), doc: 'Compares f64 values to all ones or 1.0.' },
  { ...base, name: 'set.bool.f64', syntax: 'set.cmp.bool.dtype.f64 d, a, b, {!}c', where: { cmp, bool: boolOp, dtype }, types: { d: '.dtype', a: 'f64', b: 'f64', c: 'pred' }, section: selection('set'), doc: 'As set on f64 values, combined with `c`.' },
  { ...base, name: 'cvt.f64', registers: 'wider', syntax: 'cvt{.rnd}{.ftz}{.sat}.f64.atype d, a', where: { rnd: anyRnd, atype: [...narrower, 'f64'] }, types: { d: 'f64', a: '.atype' }, section: conversion, doc: 'Converts to f64, with rounding and saturation.' },
  { ...base, name: 'cvt.from.f64', registers: 'wider', syntax: 'cvt{.rnd}{.ftz}{.sat}.dtype.f64 d, a', where: { rnd: anyRnd, dtype: narrower }, types: { d: '.dtype', a: 'f64' }, section: conversion, doc: 'Converts from f64, with rounding and saturation.' },
]);

export type DoubleRowName = RowNames<typeof doubleRows>;
