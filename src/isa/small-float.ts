// Conversions to and from 8-, 6- and 4-bit floating point, two values at a time, and arithmetic on
// pairs of f32.
import { type RowNames, rows } from './row.ts';

const f8 = ['e4m3x2', 'e5m2x2'] as const;
const f6 = ['e2m3x2', 'e3m2x2'] as const;
const f4 = ['e2m1x2'] as const;
const scale = ['rz', 'rp'] as const;
const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const base = { kind: 'lane', writes: ['d'], section: 'data-movement-and-conversion-instructions-cvt' } as const;
const hopper = { ...base, ptx: '7.8', target: 'sm_89' } as const;
const blackwell = { ...base, ptx: '8.6', target: 'sm_100a' } as const;

/**
 * The rows of conversions and pairs. The first operand is the upper value. Each 6-bit value
 * occupies a byte; two 4-bit values share a byte.
 */
export const smallFloatRows = rows([
  { ...hopper, name: 'cvt.f8x2.f32', syntax: 'cvt.rn.satfinite{.relu}.dtype.f32 d, a, b', where: { dtype: f8 }, types: { d: 'b16', a: 'f32', b: 'f32' }, doc: 'Converts two f32 values to 8 bits; beyond the largest is the largest.' },
  { ...hopper, name: 'cvt.f8x2.f16x2', syntax: 'cvt.rn.satfinite{.relu}.dtype.f16x2 d, a', where: { dtype: f8 }, types: { d: 'b16', a: 'f16x2' }, doc: 'Converts two f16 values to 8 bits; beyond the largest is the largest.' },
  { ...hopper, name: 'cvt.f16x2.f8x2', constants: 'none', syntax: 'cvt.rn{.relu}.f16x2.atype d, a', where: { atype: f8 }, types: { d: 'f16x2', a: 'b16' }, doc: 'Converts two values of 8 bits to f16, exactly.' },
  { ...blackwell, name: 'cvt.f6x2.f32', syntax: 'cvt.rn.satfinite{.relu}.dtype.f32 d, a, b', where: { dtype: f6 }, types: { d: 'b16', a: 'f32', b: 'f32' }, doc: 'Converts two f32 values to 6 bits; beyond the largest is the largest.' },
  { ...blackwell, name: 'cvt.f16x2.f6x2', constants: 'none', syntax: 'cvt.rn{.relu}.f16x2.atype d, a', where: { atype: f6 }, types: { d: 'f16x2', a: 'b16' }, doc: 'Converts two values of 6 bits to f16, exactly.' },
  { ...blackwell, name: 'cvt.f4x2.f32', syntax: 'cvt.rn.satfinite{.relu}.dtype.f32 d, a, b', where: { dtype: f4 }, types: { d: 'b8', a: 'f32', b: 'f32' }, doc: 'Converts two f32 values to 4 bits; beyond the largest is the largest.' },
  { ...blackwell, name: 'cvt.f4x2.f16x2', syntax: 'cvt.rn.satfinite{.relu}.dtype.f16x2 d, a', where: { dtype: f4 }, types: { d: 'b8', a: 'f16x2' }, doc: 'Converts two f16 values to 4 bits; beyond the largest is the largest.' },
  { ...blackwell, name: 'cvt.f16x2.f4x2', constants: 'none', syntax: 'cvt.rn{.relu}.f16x2.atype d, a', where: { atype: f4 }, types: { d: 'f16x2', a: 'b8' }, doc: 'Converts two values of 4 bits to f16, exactly.' },
  { ...blackwell, name: 'cvt.ue8m0x2.f32', syntax: 'cvt.rnd{.satfinite}.ue8m0x2.f32 d, a, b', where: { rnd: scale }, types: { d: 'b16', a: 'f32', b: 'f32' }, doc: 'Powers of two that f32 magnitudes round to, as exponents of 8 bits.' },
  { ...blackwell, name: 'cvt.ue8m0x2.bf16x2', syntax: 'cvt.rnd{.satfinite}.ue8m0x2.bf16x2 d, a', where: { rnd: scale }, types: { d: 'b16', a: 'bf16x2' }, doc: 'Powers of two that bf16 magnitudes round to, as exponents of 8 bits.' },
  { ...blackwell, name: 'cvt.bf16x2.ue8m0x2', constants: 'none', syntax: 'cvt.rn.bf16x2.ue8m0x2 d, a', types: { d: 'bf16x2', a: 'b16' }, doc: 'Powers of two by exponents of 8 bits, as bf16, exactly.' },
]);

export type SmallFloatRowName = RowNames<typeof smallFloatRows>;

const pair = { kind: 'lane', writes: ['d'], constants: 'none', ptx: '8.6', target: 'sm_100' } as const;
const abc = { d: 'b64', a: 'b64', b: 'b64', c: 'b64' } as const;
const ab = { d: 'b64', a: 'b64', b: 'b64' } as const;
const float = (name: string) => `floating-point-instructions-${name}`;

export const floatPairRows = rows([
  { ...pair, name: 'add.f32x2', syntax: 'add{.rnd}{.ftz}.f32x2 d, a, b', where: { rnd }, types: ab, section: float('add'), doc: 'Sums of two pairs of f32 values, correctly rounded.' },
  { ...pair, name: 'sub.f32x2', syntax: 'sub{.rnd}{.ftz}.f32x2 d, a, b', where: { rnd }, types: ab, section: float('sub'), doc: 'Differences of two pairs of f32 values, correctly rounded.' },
  { ...pair, name: 'mul.f32x2', syntax: 'mul{.rnd}{.ftz}.f32x2 d, a, b', where: { rnd }, types: ab, section: float('mul'), doc: 'Products of two pairs of f32 values, correctly rounded.' },
  { ...pair, name: 'fma.f32x2', syntax: 'fma.rnd{.ftz}.f32x2 d, a, b, c', where: { rnd }, types: abc, section: float('fma'), doc: 'Fused multiply-adds of pairs of f32 values, rounded once.' },
]);

export type FloatPairRowName = RowNames<typeof floatPairRows>;
