// Templates of instructions that order accesses, are hints, query addresses or allocate stack
// memory. Their main requirement is that they do not change other values.
import { copyRows, hintRows, type IsaRow, memoryRows } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText, modChoices } from '../../suites/rows/instruction-text.ts';
import { type LaneTemplate, written } from './lane-template.ts';

const memoryAndHints: readonly IsaRow[] = [...memoryRows, ...copyRows, ...hintRows];

const fences = [
  ...['cta', 'gl', 'sys'].map((scope) => `membar.${scope}`),
  ...['cta', 'cluster', 'gpu', 'sys'].flatMap((scope) => [
    `fence.sc.${scope}`,
    `fence.acq_rel.${scope}; fence.${scope}`,
  ]),
  [
    'griddepcontrol.wait; fence.acquire.sync_restrict::shared::cluster.cluster; fence.acquire.cta; fence.acquire.cluster',
    'fence.acquire.gpu; fence.mbarrier_init.release.cluster; fence.proxy.alias',
  ].join('; '),
  [
    'griddepcontrol.launch_dependents; fence.release.sync_restrict::shared::cta.cluster; fence.release.cta',
    'fence.release.cluster; fence.release.gpu; fence.proxy.async.shared::cta; fence.proxy.async.global; fence.proxy.async.shared::cluster; membar.proxy.alias',
  ].join('; '),
  'nanosleep.u32 20',
].map((line) => written('order', `st.shared.b32 [CELL+4], S0; ${line}; ld.shared.b32 D0, [CELL+4]`, 'r', 'r'));

const load = 'ld.global.L2::cache_hint.b32 D0, [IN+20], T0';
/**
 * Instructions that create policies without operands, and from addresses with a property that the
 * driver provides.
 */
const policyRow = (name: string): IsaRow[] => memoryAndHints.filter((row) => row.name === name);
const policies = [
  ...policyRow('createpolicy.fractional').flatMap((row) =>
    modChoices(row).map((mods, index) =>
      anyInstructionText(row, mods, { d: 'T0', ...(index % 3 === 0 ? {} : { a: '0f3f000000' }) }),
    ),
  ),
  ...policyRow('createpolicy.range').flatMap((row) =>
    modChoices(row).map((mods, index) =>
      anyInstructionText(row, mods, { d: 'T0', a: index % 2 === 0 ? '[IN]' : '[MEM]', n: '64', size: '128' }),
    ),
  ),
  'createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 T0, [IN], 0x100000, 0x200000',
  // The driver's policy for accesses without a preference.
  'createpolicy.cvt.L2.b64 T0, 0x10f0000000000000',
];
const policy = 'createpolicy.fractional.L2::evict_last.b64 T0, 0f3f800000';

/** Hints that precede accesses, and hints on memory that other threads also access. */
const hinted = [
  ...policyRow('prefetch').flatMap((row) =>
    modChoices(row)
      .filter((mods) => objectionTo(row, mods) === undefined)
      .map((mods) => anyInstructionText(row, mods, { a: mods.space === 'local' ? '[STACK]' : '[IN+8]' })),
  ),
  ...['', '.global'].map((space) => `applypriority${space}.L2::evict_normal [BASE+128], 128`),
  'cp.async.bulk.prefetch.L2.global [BASE+16], 64',
  'prefetchu.L1 [IN+8]',
  'pmevent 1',
  'pmevent.mask 3',
];

/**
 * Instructions that discard a whole cache line, which the kernel writes again before it reads it.
 */
const discarded = ['', '.global'].map((space) => {
  const stores = Array.from({ length: 8 }, (_, line) => `st.global.v4.b32 [SCRATCH+${16 * line}], {S0, S1, S1, S0}`);
  const lines = [
    'st.global.b32 [SCRATCH+4], S1',
    `discard${space}.L2 [SCRATCH], 128`,
    ...stores,
    'ld.global.b64 D0, [SCRATCH+72]',
  ];
  return written('hint', lines.join('; '), 'd', 'rr');
});

const hints = [
  ...policies.map((made) => written('policy', `${made}; ${load}`, 'r', '', 'd')),
  written('policy', `${policy}; st.global.L2::cache_hint.b32 [MEM+12], S0, T0`, '', 'r', 'd'),
  ...policyRow('cp.async.policy').flatMap((row) =>
    // Only 16-byte copies may bypass L1.
    modChoices(row).map((mods, index) => {
      const operands = {
        to: '[CELL]',
        a: '[IN+16]',
        n: '16',
        policy: 'T0',
        ...(index % 2 === 0 ? {} : { size: '12' }),
      };
      const line = anyInstructionText(row, mods, operands);
      return written('policy', `${policy}; ${line}; cp.async.wait_all; ld.shared.b32 D0, [CELL+4]`, 'r', '', 'd');
    }),
  ),
  written(
    'policy',
    `${policy}; and.b32 T1, S0, 48; cp.async.bulk.prefetch.L2.global.L2::cache_hint [BASE], T1, T0`,
    '',
    'r',
    'dr',
  ),
  ...hinted.map((line) => written('hint', `${line}; ld.global.b32 D0, [IN+8]`, 'r', '')),
  ...discarded,
];

const generic = 'cvt.u64.u32 T0, CELL; cvta.shared.u64 T0, T0';
const named = (space: string, name: string): string => `mov.u64 T0, ${name}; cvta.${space}.u64 T0, T0`;
/** For each state space, lines that compute a generic address in it. */
const pointers: Readonly<Record<string, string>> = {
  global: 'add.u64 T0, MEM, 4',
  shared: generic,
  'shared::cta': 'cvt.u64.u32 T0, CELL; cvta.shared::cta.u64 T0, T0',
  'shared::cluster': 'cvt.u64.u32 T0, CELL; cvta.shared::cluster.u64 T0, T0',
  local: named('local', 'STACK'),
  const: named('const', 'TABLE'),
  param: named('param', 'BLOB'),
  'param::entry': named('param::entry', 'BLOB'),
};
const spaces = Object.keys(pointers);
const addresses = [
  ...spaces.flatMap((space) =>
    spaces.map((other) => written('isspacep', `${pointers[other]}; isspacep.${space} D0, T0`, 'p', '', 'd')),
  ),
  ...spaces.flatMap((space) => [
    written('address', `${pointers[space]}; ld.b32 D0, [T0+4]`, 'r', '', 'd'),
    written('address', `${pointers[space]}; cvta.to.${space}.u64 T0, T0; ld.${space}.b32 D0, [T0+4]`, 'r', '', 'd'),
  ]),
  written('address', 'cvta.to.global.u64 T0, MEM; ld.global.b32 D0, [T0+4]', 'r', '', 'd'),
  written('address', 'mapa.shared::cluster.u32 T0, CELL, 0; ld.shared::cluster.b32 D0, [T0+4]', 'r', '', 'r'),
  written('address', `${generic}; mapa.u64 T0, T0, 0; ld.b32 D0, [T0+8]`, 'r', '', 'd'),
  written('address', 'getctarank.shared::cluster.u32 D0, CELL', 'r', ''),
  written('address', `${generic}; getctarank.u64 D0, T0`, 'r', '', 'd'),
];

const stack = [
  ['u64', 'd', '16'],
  ['u64', 'd', '16, 16'],
  ['u32', 'r', '24, 8'],
].map(([type = '', name = '', size = '']) =>
  written(
    'alloca',
    `stacksave.${type} T0; alloca.${type} T1, ${size}; st.local.b32 [T1+4], S0; ld.local.b32 D0, [T1+4]; stackrestore.${type} T0`,
    'r',
    'r',
    name.repeat(2),
  ),
);

export const orderTemplates: readonly LaneTemplate[] = [...fences, ...hints, ...addresses, ...stack];
