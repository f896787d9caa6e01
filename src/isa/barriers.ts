// Fences, barriers and control flow.
import { type Effects, rows } from './row.ts';

const sync = (name: string) => `parallel-synchronization-and-communication-instructions-${name}`;
const control = (name: string) => `control-flow-instructions-${name}`;
export const scope = ['cta', 'cluster', 'gpu', 'sys'] as const;
const base = { ptx: '1.0', target: 'sm_10' } as const;
export const cluster = { slot: 'scope', values: ['cluster'], ptx: '7.8', target: 'sm_90' } as const;
const blockBarrier = { slot: 'cta', values: ['cta'], ptx: '7.8', target: 'sm_30' } as const;

const fence = { memory: 'none', strength: 'weak', orders: 'all', collective: 'none', waits: false } as const satisfies Effects;
const arrival = { ...fence, collective: 'block' } as const satisfies Effects;
const barrier = { ...arrival, waits: true } as const satisfies Effects;

export const barrierRows = rows([
  { ...base, name: 'membar', kind: 'barrier', writes: [], effects: fence, syntax: 'membar.level', where: { level: ['cta', 'gl', 'sys'] }, types: {}, ptx: '1.4', section: sync('membar'), doc: 'Memory fence.' },
  { ...base, name: 'fence', kind: 'barrier', writes: [], effects: fence, syntax: 'fence{.sem}.scope', where: { sem: ['sc', 'acq_rel', 'acquire', 'release'], scope }, types: {}, ptx: '6.0', target: 'sm_70', since: [cluster], section: sync('membar'), doc: 'Memory fence.' },
  {
    ...base,
    name: 'fence.sync_restrict',
    kind: 'barrier',
    writes: [],
    effects: fence,
    syntax: 'fence.sem.restrict.cluster',
    where: { sem: ['acquire', 'release'], restrict: ['sync_restrict::shared::cta', 'sync_restrict::shared::cluster'] },
    types: {},
    ptx: '8.6',
    target: 'sm_90',
    section: sync('membar'),
    doc: 'Memory fence of what lies in shared memory.',
  },
  { ...base, name: 'fence.mbarrier_init', kind: 'barrier', writes: [], effects: fence, syntax: 'fence.mbarrier_init.release.cluster', types: {}, ptx: '8.0', target: 'sm_90', section: sync('membar'), doc: 'Memory fence of initialized mbarriers.' },
  {
    ...base,
    name: 'fence.proxy',
    kind: 'barrier',
    writes: [],
    effects: fence,
    syntax: 'fence.proxy.kind{.memory}',
    where: { kind: ['alias', 'async'], memory: ['global', 'shared::cta', 'shared::cluster'] },
    types: {},
    ptx: '7.5',
    target: 'sm_70',
    since: [{ slot: 'kind', values: ['async'], ptx: '8.0', target: 'sm_90' }],
    section: sync('membar'),
    doc: 'Memory fence between ways to the same memory.',
  },
  { ...base, name: 'membar.proxy', kind: 'barrier', writes: [], effects: fence, syntax: 'membar.proxy.alias', types: {}, ptx: '7.5', target: 'sm_70', section: sync('membar'), doc: 'As fence.proxy.' },
  { ...base, name: 'bar.sync', kind: 'barrier', writes: [], effects: barrier, syntax: 'bar{.cta}.sync a{, b}', types: { a: 'u32', b: 'u32' }, since: [blockBarrier], section: sync('bar'), doc: 'Waits for all threads of the block, or for `b` of them, at barrier `a`.' },
  { ...base, name: 'barrier.sync', kind: 'barrier', writes: [], effects: barrier, syntax: 'barrier{.cta}.sync{.aligned} a{, b}', types: { a: 'u32', b: 'u32' }, ptx: '6.0', target: 'sm_30', since: [blockBarrier], section: sync('bar'), doc: 'As bar.sync.' },
  { ...base, name: 'bar.arrive', kind: 'barrier', writes: [], effects: arrival, syntax: 'bar{.cta}.arrive a, b', types: { a: 'u32', b: 'u32' }, ptx: '2.0', target: 'sm_20', since: [blockBarrier], section: sync('bar'), doc: 'Arrives at a barrier without waiting.' },
  { ...base, name: 'barrier.arrive', kind: 'barrier', writes: [], effects: arrival, syntax: 'barrier{.cta}.arrive{.aligned} a, b', types: { a: 'u32', b: 'u32' }, ptx: '6.0', target: 'sm_30', since: [blockBarrier], section: sync('bar'), doc: 'As bar.arrive.' },
  {
    ...base,
    name: 'bar.red.popc',
    kind: 'barrier',
    writes: ['d'],
    effects: barrier,
    syntax: 'bar{.cta}.red.popc.u32 d, a{, b}, {!}c',
    types: { d: 'u32', a: 'u32', b: 'u32', c: 'pred' },
    ptx: '2.0',
    target: 'sm_20',
    since: [blockBarrier],
    section: sync('bar'),
    doc: 'Barrier that counts the threads whose `c` is true.',
  },
  {
    ...base,
    name: 'bar.red',
    kind: 'barrier',
    writes: ['p'],
    effects: barrier,
    syntax: 'bar{.cta}.red.op.pred p, a{, b}, {!}c',
    where: { op: ['and', 'or'] },
    types: { p: 'pred', a: 'u32', b: 'u32', c: 'pred' },
    ptx: '2.0',
    target: 'sm_20',
    since: [blockBarrier],
    section: sync('bar'),
    doc: 'Barrier that combines `c` over the threads.',
  },
  { ...base, name: 'barrier.red.popc', kind: 'barrier', writes: ['d'], effects: barrier, syntax: 'barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c', types: { d: 'u32', a: 'u32', b: 'u32', c: 'pred' }, ptx: '6.0', target: 'sm_30', since: [blockBarrier], section: sync('bar'), doc: 'As bar.red.popc.' },
  {
    ...base,
    name: 'barrier.red',
    kind: 'barrier',
    writes: ['p'],
    effects: barrier,
    syntax: 'barrier{.cta}.red.op{.aligned}.pred p, a{, b}, {!}c',
    where: { op: ['and', 'or'] },
    types: { p: 'pred', a: 'u32', b: 'u32', c: 'pred' },
    ptx: '6.0',
    target: 'sm_30',
    since: [blockBarrier],
    section: sync('bar'),
    doc: 'As bar.red.',
  },
  { ...base, name: 'bra', kind: 'control', writes: [], flow: 'branch', syntax: 'bra{.uni} target', types: { target: 'label' }, section: control('bra'), doc: 'Branches.' },
  { ...base, name: 'brx.idx', kind: 'control', writes: [], flow: 'branch', syntax: 'brx.idx{.uni} a, list', types: { a: 'u32', list: 'list' }, ptx: '6.0', target: 'sm_30', section: control('brx-idx'), doc: 'Branches to an entry of a table.' },
  { ...base, name: 'call', kind: 'control', writes: [], flow: 'call', syntax: 'call{.uni} callee', types: { callee: 'symbol' }, section: control('call'), doc: 'Calls a device function.' },
  { ...base, name: 'ret', kind: 'control', writes: [], flow: 'return', syntax: 'ret{.uni}', types: {}, section: control('ret'), doc: 'Returns, or ends the thread in a kernel.' },
  { ...base, name: 'exit', kind: 'control', writes: [], flow: 'exit', syntax: 'exit', types: {}, section: control('exit'), doc: 'Ends the thread.' },
  { ...base, name: 'trap', kind: 'control', writes: [], flow: 'trap', syntax: 'trap', types: {}, section: 'miscellaneous-instructions-trap', doc: 'Aborts the kernel.' },
  { ...base, name: 'nanosleep', kind: 'control', writes: [], flow: 'next', syntax: 'nanosleep.u32 t', types: { t: 'u32' }, ptx: '6.3', target: 'sm_70', section: 'miscellaneous-instructions-nanosleep', doc: 'A delay, without effect on results.' },
]);
