// Loads, stores and atomics, and the rows of barriers.ts.
import { barrierRows, cluster, scope } from './barriers.ts';
import { type Effects, type RowNames, rows } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const sync = (name: string) => `parallel-synchronization-and-communication-instructions-${name}`;
const data = ['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64', 'f32', 'f64'] as const;
const space = ['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const', 'param', 'param::entry', 'param::func'] as const;
const stored = ['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'param', 'param::func'] as const;
const atomicSpace = ['global', 'shared', 'shared::cta', 'shared::cluster'] as const;
const vec = ['v2', 'v4'] as const;
const cop = { load: ['ca', 'cg', 'cs', 'cv', 'lu'], readOnly: ['ca', 'cg', 'cs'], store: ['wb', 'cg', 'cs', 'wt'] } as const;
const hints = {
  level: ['L1::evict_normal', 'L1::evict_unchanged', 'L1::evict_first', 'L1::evict_last', 'L1::no_allocate'],
  prefetch: ['L2::64B', 'L2::128B', 'L2::256B'],
} as const;
const base = { ptx: '1.0', target: 'sm_10' } as const;
const window = { slot: 'space', values: ['shared::cta'], ptx: '7.8', target: 'sm_30' } as const;
const clusterWindow = { slot: 'space', values: ['shared::cluster'], ptx: '7.8', target: 'sm_90' } as const;
const parameter = { slot: 'space', values: ['param::entry', 'param::func'], ptx: '8.3', target: 'sm_20' } as const;
const parameterAddress = { slot: 'space', values: ['param', 'param::entry'], ptx: '7.7', target: 'sm_70' } as const;
const eviction = { slot: 'level', values: hints.level, ptx: '7.4', target: 'sm_70' } as const;
const prefetching = { slot: 'prefetch', values: hints.prefetch, ptx: '7.4', target: 'sm_75' } as const;
const ordering = { slot: 'sem', values: ['relaxed', 'acquire', 'release', 'acq_rel'], ptx: '6.0', target: 'sm_70' } as const;
const cached = ['L2::cache_hint'] as const;
const hinting = { slot: 'hint', values: cached, ptx: '7.4', target: 'sm_80' } as const;
const atomicVec = ['v2', 'v4', 'v8'] as const;
const atomicTypes = [
  { slot: 'type', values: ['f64'], ptx: '5.0', target: 'sm_60' },
  { slot: 'type', values: ['f16x2'], ptx: '6.2', target: 'sm_60' },
  { slot: 'type', values: ['f16'], ptx: '6.3', target: 'sm_70' },
  { slot: 'type', values: ['bf16', 'bf16x2'], ptx: '7.8', target: 'sm_90' },
  { slot: 'vec', values: atomicVec, ptx: '8.1', target: 'sm_90' },
  { slot: 'level', values: cached, ptx: '7.4', target: 'sm_80' },
] as const;

/** The effects of a pure function of the operands, or of a hint. */
const none = { memory: 'none', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
const load = { ...none, memory: 'reads' } as const satisfies Effects;
const store = { ...none, memory: 'writes' } as const satisfies Effects;
/** The effects of loads from memory that no thread writes during the launch. */
const constantLoad = { ...load, strength: 'constant' } as const satisfies Effects;
const strongLoad = { ...load, strength: 'strong', orders: 'sem' } as const satisfies Effects;
const strongStore = { ...store, strength: 'strong', orders: 'sem' } as const satisfies Effects;
const update = { ...none, memory: 'updates', strength: 'strong', orders: 'sem' } as const satisfies Effects;

const accessRows = rows([
  {
    ...base,
    name: 'ld',
    registers: 'wider',
    kind: 'memory',
    writes: ['d'],
    effects: load,
    syntax: 'ld{.weak}{.space}{.cop}{.level}{.hint}{.prefetch}{.vec}.type d, [a]{, policy}',
    where: { space, cop: cop.load, vec, type: data, ...hints, hint: cached },
    types: { d: '.type', a: 'address', policy: 'b64' },
    since: [window, clusterWindow, parameter, eviction, hinting, prefetching],
    section: move('ld'),
    doc: 'Loads a value or vector.',
  },
  {
    ...base,
    name: 'ld.volatile',
    registers: 'wider',
    kind: 'memory',
    writes: ['d'],
    effects: strongLoad,
    syntax: 'ld.sem{.scope}{.space}{.level}{.hint}{.prefetch}{.vec}.type d, [a]{, policy}',
    where: { sem: ['volatile', 'relaxed', 'acquire'], scope, space, vec, type: data, ...hints, hint: cached },
    types: { d: '.type', a: 'address', policy: 'b64' },
    since: [ordering, cluster, window, clusterWindow, parameter, eviction, hinting, prefetching],
    section: move('ld'),
    doc: 'Loads with a memory order.',
  },
  {
    ...base,
    name: 'ld.global.nc',
    registers: 'wider',
    kind: 'memory',
    writes: ['d'],
    effects: constantLoad,
    syntax: 'ld.global{.cop}.nc{.level}{.hint}{.prefetch}{.vec}.type d, [a]{, policy}',
    where: { cop: cop.readOnly, vec, type: data, ...hints, hint: cached },
    types: { d: '.type', a: 'address', policy: 'b64' },
    spaces: { a: 'global' },
    ptx: '3.1',
    target: 'sm_32',
    since: [eviction, hinting, prefetching],
    section: move('ld-global-nc'),
    doc: 'Loads read-only global data.',
  },
  {
    ...base,
    name: 'ldu',
    registers: 'wider',
    kind: 'memory',
    writes: ['d'],
    effects: constantLoad,
    syntax: 'ldu{.space}{.vec}.type d, [a]',
    where: { space: ['global'], vec, type: data },
    types: { d: '.type', a: 'address' },
    ptx: '2.0',
    target: 'sm_20',
    section: move('ldu'),
    doc: 'Loads read-only data from an address common to the warp.',
  },
  {
    ...base,
    name: 'st',
    registers: 'wider',
    kind: 'memory',
    writes: [],
    effects: store,
    syntax: 'st{.weak}{.space}{.cop}{.level}{.hint}{.vec}.type [a], b{, policy}',
    where: { space: stored, cop: cop.store, vec, type: data, level: hints.level, hint: cached },
    types: { a: 'address', b: '.type', policy: 'b64' },
    since: [window, clusterWindow, parameter, eviction, hinting],
    section: move('st'),
    doc: 'Stores a value or vector.',
  },
  {
    ...base,
    name: 'st.volatile',
    registers: 'wider',
    kind: 'memory',
    writes: [],
    effects: strongStore,
    syntax: 'st.sem{.scope}{.space}{.level}{.hint}{.vec}.type [a], b{, policy}',
    where: { sem: ['volatile', 'relaxed', 'release'], scope, space: stored, vec, type: data, level: hints.level, hint: cached },
    types: { a: 'address', b: '.type', policy: 'b64' },
    since: [ordering, cluster, window, clusterWindow, parameter, eviction, hinting],
    section: move('st'),
    doc: 'Stores with a memory order.',
  },
  {
    ...base,
    name: 'prefetch',
    kind: 'memory',
    writes: [],
    effects: none,
    syntax: 'prefetch{.space}.level [a]',
    where: { space: ['global', 'local'], level: ['L1', 'L2', 'L2::evict_last', 'L2::evict_normal'] },
    types: { a: 'address' },
    ptx: '2.0',
    target: 'sm_20',
    since: [{ slot: 'level', values: ['L2::evict_last', 'L2::evict_normal'], ptx: '7.4', target: 'sm_80' }],
    section: move('prefetch-prefetchu'),
    doc: 'A hint without effect on results.',
  },
  {
    ...base,
    name: 'prefetch.tensormap',
    kind: 'memory',
    writes: [],
    effects: none,
    syntax: 'prefetch{.space}.tensormap [a]',
    where: { space: ['const', 'param'] },
    types: { a: 'address' },
    ptx: '8.0',
    target: 'sm_90',
    section: move('prefetch-prefetchu'),
    doc: 'A hint without effect on results.',
  },
  {
    ...base,
    name: 'prefetchu',
    kind: 'memory',
    writes: [],
    effects: none,
    syntax: 'prefetchu.L1 [a]',
    types: { a: 'address' },
    ptx: '2.0',
    target: 'sm_20',
    section: move('prefetch-prefetchu'),
    doc: 'A hint without effect on results.',
  },
  {
    ...base,
    name: 'createpolicy.fractional',
    kind: 'memory',
    writes: ['d'],
    effects: none,
    syntax: 'createpolicy.fractional.level{.rest}.b64 d{, a}',
    where: { level: ['L2::evict_last', 'L2::evict_normal', 'L2::evict_first', 'L2::evict_unchanged'], rest: ['L2::evict_first', 'L2::evict_unchanged'] },
    types: { d: 'b64', a: 'f32' },
    ptx: '7.4',
    target: 'sm_80',
    section: move('createpolicy'),
    doc: 'A cache policy for a part of the accesses, whose bits PTX leaves undefined: a hint without effect on results.',
  },
  {
    ...base,
    name: 'cvta',
    names: 'variable',
    kind: 'memory',
    writes: ['d'],
    effects: none,
    syntax: 'cvta.space.type d, a',
    where: { space: ['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const', 'param', 'param::entry'], type: ['u32', 'u64'] },
    types: { d: '.type', a: '.type' },
    ptx: '2.0',
    target: 'sm_20',
    since: [window, clusterWindow, parameterAddress, parameter],
    section: move('cvta'),
    doc: 'Generic address of a state-space address or variable.',
  },
  {
    ...base,
    name: 'cvta.to',
    kind: 'memory',
    writes: ['d'],
    effects: none,
    syntax: 'cvta.to.space.type d, a',
    where: { space: ['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const', 'param', 'param::entry'], type: ['u32', 'u64'] },
    types: { d: '.type', a: '.type' },
    ptx: '2.0',
    target: 'sm_20',
    since: [window, clusterWindow, parameterAddress, parameter],
    section: move('cvta'),
    doc: 'State-space address of a generic address.',
  },
  {
    ...base,
    name: 'isspacep',
    alternatives: { a: 'b32' },
    kind: 'memory',
    writes: ['p'],
    effects: none,
    syntax: 'isspacep.space p, a',
    where: { space: ['global', 'shared', 'shared::cta', 'shared::cluster', 'local', 'const', 'param', 'param::entry'] },
    types: { p: 'pred', a: 'b64' },
    ptx: '2.0',
    target: 'sm_20',
    since: [window, clusterWindow, parameterAddress, parameter],
    section: move('isspacep'),
    doc: 'Whether a generic address lies in a state space.',
  },
  {
    ...base,
    name: 'atom',
    sinks: ['d'],
    kind: 'atomic',
    writes: ['d'],
    effects: update,
    syntax: 'atom{.sem}{.scope}{.space}.op{.noftz}{.level}{.vec}.type d, [a], b{, policy}',
    where: { sem: ['relaxed', 'acquire', 'release', 'acq_rel'], scope, space: atomicSpace, op: ['add', 'min', 'max', 'and', 'or', 'xor', 'exch', 'inc', 'dec'], level: cached, vec: atomicVec, type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', 'f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'] },
    types: { d: '.type', a: 'address', b: '.type', policy: 'b64' },
    ptx: '1.1',
    target: 'sm_11',
    since: [ordering, cluster, window, clusterWindow, ...atomicTypes],
    section: sync('atom'),
    doc: 'Atomic read-modify-write; `d` is the old value.',
  },
  {
    ...base,
    name: 'atom.cas',
    sinks: ['d'],
    kind: 'atomic',
    writes: ['d'],
    effects: update,
    syntax: 'atom{.sem}{.scope}{.space}.cas.type d, [a], b, c',
    where: { sem: ['relaxed', 'acquire', 'release', 'acq_rel'], scope, space: atomicSpace, type: ['b16', 'b32', 'b64'] },
    types: { d: '.type', a: 'address', b: '.type', c: '.type' },
    ptx: '1.1',
    target: 'sm_11',
    since: [ordering, cluster, window, clusterWindow, { slot: 'type', values: ['b16'], ptx: '6.3', target: 'sm_70' }],
    section: sync('atom'),
    doc: 'Atomic compare-and-swap: `c` goes where `b` is; `d` is the old value.',
  },
  {
    ...base,
    name: 'red',
    kind: 'atomic',
    writes: [],
    effects: update,
    syntax: 'red{.sem}{.scope}{.space}.op{.noftz}{.level}{.vec}.type [a], b{, policy}',
    where: { sem: ['relaxed', 'release'], scope, space: atomicSpace, op: ['add', 'min', 'max', 'and', 'or', 'xor', 'inc', 'dec'], level: cached, vec: atomicVec, type: ['b32', 'b64', 'u32', 'u64', 's32', 's64', 'f32', 'f64', 'f16', 'f16x2', 'bf16', 'bf16x2'] },
    types: { a: 'address', b: '.type', policy: 'b64' },
    ptx: '1.2',
    target: 'sm_20',
    since: [ordering, cluster, window, clusterWindow, ...atomicTypes],
    section: sync('red'),
    doc: 'Atomic read-modify-write without a result.',
  },
]);

export const memoryRows = [...accessRows, ...barrierRows] as const;

export type MemoryRowName = RowNames<typeof memoryRows>;
