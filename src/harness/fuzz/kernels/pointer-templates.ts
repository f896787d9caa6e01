// Addresses that are loaded from memory or from a struct passed by value, plus 64-bit numbers of
// any origin. PTX marks neither of them as an address.
import { type LaneTemplate, written } from './lane-template.ts';

/** Lines that put an address of the input, or of the thread's part of it, into T0. */
const sources = [
  'ld.shared.u64 T0, [LINKS]',
  'cvt.u64.u32 T0, LINKS; cvta.shared.u64 T0, T0; ld.u64 T0, [T0]',
  'ld.param.u64 T0, [VIEW]',
  'ld.param.v2.u64 {T0, T1}, [VIEW]',
  'mov.b64 T0, IN',
  'mov.b64 T0, BASE',
] as const;

/** Lines that add a number to the address: at most 24 bytes. */
const moves = [
  'ld.param.u64 T1, [OFF]; add.u64 T0, T0, T1',
  'ld.param.u64 T1, [OFF]; add.s64 T0, T1, T0',
  'ld.param.u64 T1, [OFF]; mad.lo.u64 T0, T1, 2, T0',
  'ld.param.u64 T1, [OFF]; shl.b64 T1, T1, 1; add.u64 T0, T0, T1',
  'ld.param.u64 T1, [VIEW+8]; add.u64 T0, T0, T1',
  'ld.param.u64 T1, [VIEW+8]; add.u64 T0, T1, T0',
  'ld.param.u32 T2, [VIEW+16]; cvt.u64.u32 T1, T2; add.u64 T0, T0, T1',
  'ld.param.u64 T1, [OFF]; sub.u64 T0, T0, T1; ld.param.u64 T1, [VIEW+8]; mad.lo.u64 T0, T1, 2, T0',
  'and.b32 T2, S0, 12; cvt.u64.u32 T1, T2; add.u64 T0, T0, T1; ld.param.u64 T1, [OFF]; add.u64 T0, T0, T1',
] as const;

const loads = sources.flatMap((source) =>
  moves.flatMap((move) =>
    ['ld.global.u32 D0, [T0]', 'ld.u32 D0, [T0]', 'ld.global.nc.u32 D0, [T0]'].map((load) =>
      written('pointer', `${source}; ${move}; ${load}`, 'r', 'r', 'ddr'),
    ),
  ),
);

/** Accesses to the thread's own part of a buffer, whose address is in memory. */
const accesses = moves.flatMap((move) =>
  ['st.global.u32 [T0], S0', 'st.u32 [T0], S0', 'red.global.add.u32 [T0], S0'].map((access) =>
    written('pointer', `ld.shared.u64 T0, [LINKS+8]; ${move}; ${access}`, '', 'r', 'ddr'),
  ),
);

/**
 * Differences of addresses: between two buffers, and within one. Some of them are loaded from
 * memory.
 */
const differences = [
  'ld.shared.u64 T0, [LINKS+16]; add.u64 T0, MEM, T0; ld.global.u32 D0, [T0+4]',
  'ld.shared.u64 T0, [LINKS+16]; add.u64 T0, T0, MEM; ld.u32 D0, [T0+8]',
  'ld.shared.u64 T0, [LINKS+16]; ld.shared.u64 T1, [LINKS+8]; add.u64 T0, T0, T1; ld.global.u32 D0, [T0]',
  'ld.shared.u64 T0, [LINKS+24]; add.u64 T0, BASE, T0; ld.global.u32 D0, [T0+12]',
  'sub.u64 T0, IN, BASE; add.u64 T0, BASE, T0; ld.global.u32 D0, [T0+12]',
  'sub.u64 T0, IN, MEM; add.u64 T0, T0, MEM; ld.global.u32 D0, [T0+16]',
  'sub.u64 T0, BASE, IN; sub.u64 T0, IN, T0; and.b64 T0, T0, -4; sub.u64 T0, T0, IN; add.u64 T0, T0, BASE; ld.global.u32 D0, [T0]',
  'ld.shared.u64 T0, [LINKS]; ld.shared.u64 T1, [LINKS+8]; sub.u64 T0, T0, T1; add.u64 T0, T0, MEM; ld.global.u32 D0, [T0+4]',
].map((lines) => written('difference', lines, 'r', '', 'dd'));

export const pointerTemplates: readonly LaneTemplate[] = [...loads, ...accesses, ...differences];
