// Single-precision floating point.
import { type RowNames, rows } from './row.ts';

const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const section = (name: string) => `floating-point-instructions-${name}`;
const ab = { d: 'f32', a: 'f32', b: 'f32' } as const;
const da = { d: 'f32', a: 'f32' } as const;
const base = { kind: 'lane', writes: ['d'], ptx: '1.0', target: 'sm_10' } as const;
const newer = [
  { slot: 'NaN', values: ['NaN'], ptx: '7.0', target: 'sm_80' },
  { slot: 'xorsign', values: ['xorsign'], ptx: '7.2', target: 'sm_86' },
] as const;
const three = { c: { ptx: '8.8', target: 'sm_100' } } as const;

export const floatRows = rows([
  { ...base, name: 'add.f32', syntax: 'add{.rnd}{.ftz}{.sat}.f32 d, a, b', where: { rnd }, types: ab, section: section('add'), doc: 'Sum, correctly rounded.' },
  { ...base, name: 'sub.f32', syntax: 'sub{.rnd}{.ftz}{.sat}.f32 d, a, b', where: { rnd }, types: ab, section: section('sub'), doc: 'Difference, correctly rounded.' },
  { ...base, name: 'mul.f32', syntax: 'mul{.rnd}{.ftz}{.sat}.f32 d, a, b', where: { rnd }, types: ab, section: section('mul'), doc: 'Product, correctly rounded.' },
  { ...base, name: 'fma.f32', syntax: 'fma.rnd{.ftz}{.sat}.f32 d, a, b, c', where: { rnd }, types: { ...ab, c: 'f32' }, ptx: '2.0', target: 'sm_20', section: section('fma'), doc: 'Fused multiply-add, rounded once.' },
  { ...base, name: 'mad.f32', syntax: 'mad{.rnd}{.ftz}{.sat}.f32 d, a, b, c', where: { rnd }, types: { ...ab, c: 'f32' }, section: section('mad'), doc: 'The same as fma on targets from sm_20.' },
  { ...base, name: 'div.f32', syntax: 'div.rnd{.ftz}.f32 d, a, b', where: { rnd }, types: ab, ptx: '1.4', target: 'sm_20', section: section('div'), doc: 'Quotient, correctly rounded.' },
  { ...base, name: 'div.approx.f32', syntax: 'div.mode{.ftz}.f32 d, a, b', where: { mode: ['approx', 'full'] }, types: ab, ptx: '1.4', section: section('div'), doc: 'Quotient within 2 ulp.' },
  { ...base, name: 'abs.f32', syntax: 'abs{.ftz}.f32 d, a', types: da, section: section('abs'), doc: 'Absolute value.' },
  { ...base, name: 'neg.f32', syntax: 'neg{.ftz}.f32 d, a', types: da, section: section('neg'), doc: 'Negation.' },
  { ...base, name: 'min.f32', operandSince: three, syntax: 'min{.ftz}{.NaN}{.xorsign}{.abs}.f32 d, a, b{, c}', types: { ...ab, c: 'f32' }, since: newer, section: section('min'), doc: 'Minimum; -0 is less than +0; a NaN loses unless `.NaN`.' },
  { ...base, name: 'max.f32', operandSince: three, syntax: 'max{.ftz}{.NaN}{.xorsign}{.abs}.f32 d, a, b{, c}', types: { ...ab, c: 'f32' }, since: newer, section: section('max'), doc: 'Maximum; +0 is greater than -0; a NaN loses unless `.NaN`.' },
  { ...base, name: 'rcp.f32', syntax: 'rcp.rnd{.ftz}.f32 d, a', where: { rnd }, types: da, ptx: '1.4', target: 'sm_20', section: section('rcp'), doc: 'Reciprocal, correctly rounded.' },
  { ...base, name: 'rcp.approx.f32', syntax: 'rcp.approx{.ftz}.f32 d, a', types: da, ptx: '1.4', section: section('rcp'), doc: 'Reciprocal within 1 ulp.' },
  { ...base, name: 'sqrt.f32', syntax: 'sqrt.rnd{.ftz}.f32 d, a', where: { rnd }, types: da, ptx: '1.4', target: 'sm_20', section: section('sqrt'), doc: 'Square root, correctly rounded.' },
  { ...base, name: 'sqrt.approx.f32', syntax: 'sqrt.approx{.ftz}.f32 d, a', types: da, ptx: '1.4', section: section('sqrt'), doc: 'Square root, approximated.' },
  { ...base, name: 'rsqrt.approx.f32', syntax: 'rsqrt.approx{.ftz}.f32 d, a', types: da, section: section('rsqrt'), doc: 'Reciprocal square root, approximated.' },
  { ...base, name: 'sin.approx.f32', syntax: 'sin.approx{.ftz}.f32 d, a', types: da, ptx: '1.4', section: section('sin'), doc: 'Sine, approximated.' },
  { ...base, name: 'cos.approx.f32', syntax: 'cos.approx{.ftz}.f32 d, a', types: da, ptx: '1.4', section: section('cos'), doc: 'Cosine, approximated.' },
  { ...base, name: 'lg2.approx.f32', syntax: 'lg2.approx{.ftz}.f32 d, a', types: da, section: section('lg2'), doc: 'Base-2 logarithm, approximated.' },
  { ...base, name: 'ex2.approx.f32', syntax: 'ex2.approx{.ftz}.f32 d, a', types: da, section: section('ex2'), doc: 'Power of two, approximated.' },
  { ...base, name: 'tanh.approx.f32', syntax: 'tanh.approx.f32 d, a', types: da, ptx: '7.0', target: 'sm_75', section: section('tanh'), doc: 'Hyperbolic tangent, approximated.' },
  { ...base, name: 'copysign.f32', syntax: 'copysign.f32 d, a, b', types: ab, ptx: '2.0', target: 'sm_20', section: section('copysign'), doc: '`b` with the sign of `a`.' },
  { ...base, writes: ['p'], name: 'testp.f32', syntax: 'testp.op.f32 p, a', where: { op: ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] }, types: { p: 'pred', a: 'f32' }, ptx: '2.0', target: 'sm_20', section: section('testp'), doc: 'Tests the class of a value.' },
]);

export type FloatRowName = RowNames<typeof floatRows>;
