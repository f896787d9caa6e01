// Conversions to and from f16, bf16 and tf32.
import { type RowNames, rows } from './row.ts';

const rnd = ['rn', 'rz', 'rm', 'rp'] as const;
const anyRnd = [...rnd, 'rni', 'rzi', 'rmi', 'rpi'] as const;
const direct = ['rn', 'rz'] as const;
const integers = ['u16', 'u32', 'u64', 's16', 's32', 's64'] as const;
const withF16 = ['u8', 's8', ...integers, 'f32', 'f16'] as const;
const withBf16 = [...integers, 'f16', 'bf16'] as const;
const float = ['f32', 'bf16'] as const;
const between = { d: '.dtype', a: '.atype' } as const;
const section = 'data-movement-and-conversion-instructions-cvt';
const base = { kind: 'lane', writes: ['d'], ptx: '1.0', target: 'sm_10', section } as const;
const ampere = { ...base, ptx: '7.0', target: 'sm_80' } as const;
const hopper = { ...base, ptx: '7.8', target: 'sm_90' } as const;
const fromBf16 = { slot: 'atype', values: ['bf16'], ptx: '7.1', target: 'sm_80' } as const;
const satfinite = { slot: 'satfinite', values: ['satfinite'], ptx: '8.1', target: 'sm_80' } as const;

export const halfConvertRows = rows([
  { ...base, name: 'cvt.f16', syntax: 'cvt{.rnd}{.ftz}{.sat}.dtype.atype d, a', where: { rnd: anyRnd, dtype: withF16, atype: withF16 }, types: between, doc: 'Converts to or from f16, with rounding and saturation.' },
  { ...ampere, name: 'cvt.bf16.f32', syntax: 'cvt{.rnd}{.ftz}.dtype.atype d, a', where: { rnd, dtype: float, atype: float }, types: between, since: [fromBf16], doc: 'Converts between bf16 and f32.' },
  { ...hopper, name: 'cvt.bf16', syntax: 'cvt{.rnd}.dtype.atype d, a', where: { rnd: anyRnd, dtype: withBf16, atype: withBf16 }, types: between, doc: 'Converts between bf16 and integers or f16, and within bf16.' },
  { ...ampere, name: 'cvt.half.f32', syntax: 'cvt.rnd{.relu}{.satfinite}.dtype.atype d, a', where: { rnd: direct, dtype: ['f16', 'bf16'], atype: ['f32'] }, types: between, since: [satfinite], doc: 'Converts f32 to 16 bits; `.relu` clamps at 0, `.satfinite` at the largest finite values.' },
  { ...ampere, name: 'cvt.halves.f32', syntax: 'cvt.rnd{.relu}{.satfinite}.dtype.atype d, a, b', where: { rnd: direct, dtype: ['f16x2', 'bf16x2'], atype: ['f32'] }, types: { ...between, b: '.atype' }, since: [satfinite], doc: 'Converts two f32 values to 16 bits and packs them, `a` in the upper half.' },
  { ...ampere, name: 'cvt.tf32.f32', syntax: 'cvt.rnd{.relu}{.satfinite}.tf32.f32 d, a', where: { rnd: ['rna', ...direct] }, types: { d: 'b32', a: 'f32' }, since: [{ slot: 'rnd', values: direct, ptx: '7.8', target: 'sm_90' }, satfinite], doc: 'Rounds f32 to 10 bits behind the leading one.' },
]);

export type HalfConvertRowName = RowNames<typeof halfConvertRows>;
