// Instructions that order, hint, ask for addresses or take memory from the stack: little shows of them but what they must leave alone.
import { type LaneTemplate, written } from './lane-template.ts';

const fences = [
  ...['cta', 'gl', 'sys'].map((scope) => `membar.${scope}`),
  ...['cta', 'gpu', 'sys'].flatMap((scope) => [`fence.sc.${scope}`, `fence.acq_rel.${scope}`]),
  [
    'griddepcontrol.wait; fence.acquire.sync_restrict::shared::cluster.cluster; fence.acquire.cta; fence.acquire.cluster',
    'fence.acquire.gpu; fence.mbarrier_init.release.cluster; fence.proxy.alias',
  ].join('; '),
  [
    'griddepcontrol.launch_dependents; fence.release.sync_restrict::shared::cta.cluster; fence.release.cta',
    'fence.release.cluster; fence.release.gpu; fence.proxy.async.shared::cta; membar.proxy.alias',
  ].join('; '),
  'nanosleep.u32 20',
].map((line) => written('order', `st.shared.b32 [CELL+4], S0; ${line}; ld.shared.b32 D0, [CELL+4]`, 'r', 'r'));

const policy = 'createpolicy.fractional.L2::evict_last.b64 T0, 0f3f800000';
const hints = [
  written('hint', 'prefetch.global.L1 [IN]; ld.global.b32 D0, [IN+8]', 'r', ''),
  written('hint', `${policy}; ld.global.L2::cache_hint.b32 D0, [IN+12], T0`, 'r', '', 'd'),
  written('hint', `${policy}; st.global.L2::cache_hint.b32 [MEM+12], S0, T0`, '', 'r', 'd'),
  ...[
    'createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 T0, [IN], 0x100000, 0x200000',
    'createpolicy.range.L2::evict_first.b64 T0, [MEM], 64, 128',
    // What the driver gives for accesses without a preference.
    'createpolicy.cvt.L2.b64 T0, 0x10f0000000000000',
  ].map((made) => written('hint', `${made}; ld.global.L2::cache_hint.b32 D0, [IN+20], T0`, 'r', '', 'd')),
  written(
    'hint',
    `${policy}; cp.async.ca.shared.global.L2::cache_hint [CELL], [IN+16], 16, T0; cp.async.wait_all; ld.shared.b32 D0, [CELL+4]`,
    'r',
    '',
    'd',
  ),
  written('hint', 'ldu.global.b32 D0, [BASE+16]', 'r', ''),
  written('hint', 'ldu.global.v2.u32 {D0, D1}, [BASE+24]', 'rr', ''),
];

const generic = 'cvt.u64.u32 T0, CELL; cvta.shared.u64 T0, T0';
/// Generic addresses in each space.
const pointers = [
  'add.u64 T0, MEM, 4',
  generic,
  ...[
    ['local', 'STACK'],
    ['const', 'TABLE'],
    ['param', 'BLOB'],
  ].map(([space, name]) => `mov.u64 T0, ${name}; cvta.${space}.u64 T0, T0`),
];
const addresses = [
  ...['global', 'shared', 'local', 'const', 'param'].flatMap((space) =>
    pointers.map((pointer) => written('isspacep', `${pointer}; isspacep.${space} D0, T0`, 'p', '', 'd')),
  ),
  ...pointers.map((pointer) => written('isspacep', `${pointer}; ld.b32 D0, [T0+4]`, 'r', '', 'd')),
  written('isspacep', 'cvta.to.global.u64 T0, MEM; ld.global.b32 D0, [T0+4]', 'r', '', 'd'),
  written('isspacep', `${generic}; cvta.to.shared.u64 T0, T0; ld.shared.b32 D0, [T0+4]`, 'r', '', 'd'),
  written('isspacep', 'mapa.shared::cluster.u32 T0, CELL, 0; ld.shared::cluster.b32 D0, [T0+4]', 'r', '', 'r'),
  written('isspacep', 'getctarank.shared::cluster.u32 D0, CELL', 'r', ''),
];

const stack = [
  written(
    'alloca',
    'stacksave.u64 T0; alloca.u64 T1, 16; st.local.b32 [T1+4], S0; ld.local.b32 D0, [T1+4]; stackrestore.u64 T0',
    'r',
    'r',
    'dd',
  ),
];

export const orderTemplates: readonly LaneTemplate[] = [...fences, ...hints, ...addresses, ...stack];
