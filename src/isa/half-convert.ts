// Conversions to and from f16, bf16 and tf32.
import { type RowNames, rows } from './row.ts';

const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const integral = ['rni', 'rzi', 'rmi', 'rpi'] as const;
const anyRnd = [...rnd, ...integral] as const;
const direct = ['rn', 'rz'] as const;
const integers = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const between = { d: '.dtype', a: '.atype' } as const;
const section = 'data-movement-and-conversion-instructions-cvt';
const base = { kind: 'lane', writes: ['d'], registers: 'wider', ptx: '1.0', target: 'sm_10', section } as const;
const ampere = { ...base, ptx: '7.0', target: 'sm_80' } as const;
const hopper = { ...base, ptx: '7.8', target: 'sm_90' } as const;
const relu = { slot: 'relu', values: ['relu'], ptx: '7.0', target: 'sm_80' } as const;
const satfinite = { slot: 'satfinite', values: ['satfinite'], ptx: '8.1', target: 'sm_80' } as const;

export const halfConvertRows = rows([
  { ...base, name: 'cvt.to.f16', syntax: 'cvt{.rnd}{.sat}.dtype.atype d, a', where: { rnd: anyRnd, dtype: ['f16'], atype: ['u8', 's8', ...integers, 'f16'] }, types: between, doc: 'Converts integers to f16, and f16 to integral values.' },
  { ...base, name: 'cvt.from.f16', syntax: 'cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a', where: { rnd: integral, dtype: ['u8', 's8', ...integers, 'f32'], atype: ['f16'] }, types: between, doc: 'Converts f16 to integers or f32.' },
  { ...base, name: 'cvt.f16.f32', syntax: 'cvt.rnd{.ftz}{.sat}{.relu}{.satfinite}.dtype.atype d, a', where: { rnd, dtype: ['f16'], atype: ['f32'] }, types: between, since: [relu, satfinite], doc: 'Converts f32 to f16; `.relu` clamps at 0, `.satfinite` at the largest finite values.' },
  { ...ampere, name: 'cvt.bf16.f32', syntax: 'cvt.rnd{.ftz}{.relu}{.satfinite}.dtype.atype d, a', where: { rnd, dtype: ['bf16'], atype: ['f32'] }, types: between, since: [satfinite], doc: 'Converts f32 to bf16; `.relu` clamps at 0, `.satfinite` at the largest finite values.' },
  { ...ampere, name: 'cvt.f32.bf16', syntax: 'cvt{.rnd}{.ftz}.dtype.atype d, a', where: { rnd, dtype: ['f32'], atype: ['bf16'] }, types: between, ptx: '7.1', doc: 'Converts bf16 to f32, exactly.' },
  { ...hopper, name: 'cvt.to.bf16', syntax: 'cvt{.rnd}.dtype.atype d, a', where: { rnd: anyRnd, dtype: ['bf16'], atype: [...integers, 'f16', 'bf16'] }, types: between, doc: 'Converts integers and f16 to bf16, and bf16 to integral values.' },
  { ...hopper, name: 'cvt.from.bf16', syntax: 'cvt{.rnd}.dtype.atype d, a', where: { rnd: anyRnd, dtype: [...integers, 'f16'], atype: ['bf16'] }, types: between, doc: 'Converts bf16 to integers or f16.' },
  { ...base, name: 'cvt.f64.f16', syntax: 'cvt{.sat}.dtype.atype d, a', where: { dtype: ['f64'], atype: ['f16'] }, types: between, target: 'sm_13', doc: 'Converts f16 to f64, exactly.' },
  { ...base, name: 'cvt.f16.f64', syntax: 'cvt.rnd{.sat}.dtype.atype d, a', where: { rnd, dtype: ['f16'], atype: ['f64'] }, types: between, target: 'sm_13', doc: 'Converts f64 to f16, rounded once.' },
  { ...hopper, name: 'cvt.f64.bf16', syntax: 'cvt{.rnd}.dtype.atype d, a', where: { rnd, dtype: ['f64'], atype: ['bf16'] }, types: between, doc: 'Converts bf16 to f64, exactly.' },
  { ...hopper, name: 'cvt.bf16.f64', syntax: 'cvt.rnd.dtype.atype d, a', where: { rnd, dtype: ['bf16'], atype: ['f64'] }, types: between, doc: 'Converts f64 to bf16, rounded once.' },
  { ...ampere, name: 'cvt.halves.f32', syntax: 'cvt.rnd{.relu}{.satfinite}.dtype.atype d, a, b', where: { rnd: direct, dtype: ['f16x2', 'bf16x2'], atype: ['f32'] }, types: { ...between, b: '.atype' }, since: [satfinite], doc: 'Converts two f32 values to 16 bits and packs them, `a` in the upper half.' },
  { ...ampere, name: 'cvt.tf32.f32', syntax: 'cvt.rnd{.relu}{.satfinite}.tf32.f32 d, a', where: { rnd: ['rna', ...direct] }, types: { d: 'b32', a: 'f32' }, since: [{ slot: 'rnd', values: direct, ptx: '7.8', target: 'sm_90' }, satfinite], doc: 'Rounds f32 to 10 bits behind the leading one.' },
]);

export type HalfConvertRowName = RowNames<typeof halfConvertRows>;
