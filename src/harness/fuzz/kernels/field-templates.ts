// Fields of words whose other bits are undefined, as in unoptimized code. The kernel reads only the
// defined bits.
import { type LaneTemplate, written } from './lane-template.ts';

const field = (lines: string, result: string, sources: string, temporaries: string): LaneTemplate =>
  written('field', lines, result, sources, temporaries);

export const fieldTemplates: readonly LaneTemplate[] = [
  field('bfi.b32 T0, S0, T0, 0, 4; bfi.b32 T0, S1, T0, 4, 12; bfe.u32 D0, T0, 4, 12', 'r', 'rr', 'r'),
  field('bfi.b32 T0, S0, T0, 20, 12; bfe.s32 D0, T0, 20, 12', 'r', 'r', 'r'),
  field(
    'bfi.b32 T0, S0, T0, 8, 8; bfi.b32 T0, S1, T0, 16, 1; shr.u32 T0, T0, 8; and.b32 D0, T0, 0x1ff',
    'r',
    'rr',
    'r',
  ),
  field('bfi.b64 T0, S0, T0, 30, 20; shr.u64 T0, T0, 30; and.b64 D0, T0, 0xfffff', 'd', 'd', 'd'),
  field('and.b32 T0, T0, -16; and.b32 T1, S0, 15; or.b32 T0, T0, T1; and.b32 D0, T0, 15', 'r', 'r', 'rr'),
  field('and.b16 T0, T0, -8; and.b16 T1, S0, 7; or.b16 T0, T0, T1; and.b16 T1, T0, 7; mov.b16 D0, T1', 'h', 'h', 'hh'),
  field(
    'and.b64 T0, T0, -256; cvt.u64.u32 T1, S0; and.b64 T1, T1, 255; or.b64 T0, T1, T0; cvt.u32.u64 T2, T0; cvt.u32.u8 D0, T2',
    'r',
    'r',
    'ddr',
  ),
  field('shl.b64 T0, T0, 32; cvt.u64.u32 T1, S0; or.b64 T0, T0, T1; cvt.u32.u64 D0, T0', 'r', 'r', 'dd'),
  field(
    'shr.u64 T0, T0, 24; cvt.u64.u32 T1, S0; shl.b64 T1, T1, 40; xor.b64 T0, T0, T1; bfi.b64 T0, S1, T0, 0, 40; mov.b64 D0, T0',
    'd',
    'rd',
    'dd',
  ),
  field('xor.b32 T0, T0, S0; and.b32 T0, T0, 0xffff0000; cvt.u32.u16 D0, T0', 'r', 'r', 'r'),
  field('or.b32 T0, T0, 0xff; and.b32 D0, T0, 0xff', 'r', '', 'r'),
  field('not.b32 T0, T0; bfi.b32 T0, S0, T0, 0, 16; not.b32 T0, T0; and.b32 D0, T0, 0xffff', 'r', 'r', 'r'),
  field('prmt.b32 T0, S0, T0, 0x7610; prmt.b32 T0, T0, S1, 0x7610; and.b32 D0, T0, 0xffff', 'r', 'rr', 'r'),
  field('mov.b64 T0, {S0, T1}; mov.b64 {D0, T2}, T0', 'r', 'r', 'drr'),
  field('mov.b32 T0, {T1, S0}; mov.b32 {T2, D0}, T0', 'h', 'h', 'rhh'),
  field('bfi.b32 T0, S0, T0, 0, 8; cvt.u32.u8 D0, T0', 'r', 'r', 'r'),
  field('bfi.b32 T0, S0, T0, 0, 16; cvt.u16.u32 D0, T0', 'h', 'r', 'r'),
  field(
    'bfi.b32 T0, S0, T0, 0, 8; st.local.b32 [STACK], T0; ld.local.u8 D0, [STACK]; st.local.b32 [STACK], S1',
    'r',
    'rr',
    'r',
  ),
  field('lop3.b32 T0, T0, 0xff, S0, 0xb8; lop3.b32 D0, T0, 0xff, S1, 0x80', 'r', 'rr', 'r'),
  field('shf.l.wrap.b32 T0, T0, S0, 16; shr.u32 D0, T0, 16', 'r', 'r', 'r'),
];
