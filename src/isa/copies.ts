// Asynchronous copies of one thread from global to shared memory, in groups for which the thread
// can wait.
import { type Effects, type RowNames, rows } from './row.ts';

const move = (name: string) => `data-movement-and-conversion-instructions-${name}`;
const base = { ptx: '7.0', target: 'sm_80', writes: [] } as const;
const cop = ['ca', 'cg'] as const;
const window = ['shared', 'shared::cta'] as const;
const prefetch = ['L2::64B', 'L2::128B', 'L2::256B'] as const;
const policy = ['L2::cache_hint'] as const;
const since = [
  { slot: 'window', values: ['shared::cta'], ptx: '7.8', target: 'sm_80' },
  { slot: 'prefetch', values: prefetch, ptx: '7.4', target: 'sm_80' },
  { slot: 'level', values: policy, ptx: '7.4', target: 'sm_80' },
] as const;
const spaces = { to: 'shared', a: 'global' } as const;

const copy = { memory: 'updates', strength: 'weak', orders: 'none', collective: 'none', waits: false } as const satisfies Effects;
/**
 * The effects of a wait. The thread waits only for its own copies. The wait does not delay other
 * threads, and does not order their accesses.
 */
const own = { ...copy, memory: 'none' } as const satisfies Effects;

const bulk = { kind: 'memory', writes: [], ptx: '8.0', target: 'sm_90', section: move('cp-async-bulk') } as const;
const windows = ['shared::cluster', 'shared::cta'] as const;
const places = { to: 'address', a: 'address', n: 'u32' } as const;

export const copyRows = rows([
  {
    ...base,
    name: 'cp.async',
    operandRule: 'copy',
    alternatives: { size: 'pred' },
    kind: 'memory',
    effects: copy,
    syntax: 'cp.async.cop.window.global{.prefetch} [to], [a], n{, size}',
    where: { cop, window, prefetch },
    types: { to: 'address', a: 'address', n: 'immediate', size: 'u32' },
    spaces,
    since,
    section: move('cp-async'),
    doc: 'Begins a copy of `n` bytes: all beyond `size` are zeros, and all of them if `size` is a predicate that is true.',
  },
  {
    ...base,
    name: 'cp.async.policy',
    operandRule: 'copy',
    alternatives: { size: 'pred' },
    kind: 'memory',
    effects: copy,
    syntax: 'cp.async.cop.window.global.level{.prefetch} [to], [a], n{, size}, policy',
    where: { cop, window, level: policy, prefetch },
    types: { to: 'address', a: 'address', n: 'immediate', size: 'u32', policy: 'b64' },
    spaces,
    since,
    section: move('cp-async'),
    doc: 'As cp.async, with a cache policy.',
  },
  { ...base, name: 'cp.async.commit_group', kind: 'memory', effects: own, syntax: 'cp.async.commit_group', types: {}, section: move('cp-async-commit-group'), doc: "Makes a group of the thread's copies that are in none." },
  { ...base, name: 'cp.async.wait_group', kind: 'memory', effects: own, syntax: 'cp.async.wait_group n', types: { n: 'immediate' }, section: move('cp-async-wait-group'), doc: "Waits for all of the thread's groups but the last `n`." },
  { ...base, name: 'cp.async.wait_all', kind: 'memory', effects: own, syntax: 'cp.async.wait_all', types: {}, section: move('cp-async-wait-group'), doc: "Waits for all of the thread's copies." },
  {
    ...bulk,
    name: 'cp.async.bulk.load',
    operandRule: 'bulk copy',
    effects: copy,
    syntax: 'cp.async.bulk.window.global.mbarrier::complete_tx::bytes{.level} [to], [a], n, [bar]{, policy}',
    where: { window: windows, level: policy },
    types: { ...places, bar: 'address', policy: 'b64' },
    spaces: { to: 'shared', a: 'global', bar: 'shared' },
    since: [{ slot: 'window', values: ['shared::cta'], ptx: '8.6', target: 'sm_90' }],
    doc: 'Begins a copy to shared memory of `n` bytes, which the mbarrier `bar` gets when they are there.',
  },
  {
    ...bulk,
    name: 'cp.async.bulk.multicast',
    operandRule: 'bulk copy',
    effects: copy,
    syntax: 'cp.async.bulk.window.global.mbarrier::complete_tx::bytes.multicast::cluster{.level} [to], [a], n, [bar], mask{, policy}',
    where: { window: ['shared::cluster'], level: policy },
    types: { ...places, bar: 'address', mask: 'u16', policy: 'b64' },
    spaces: { to: 'shared', a: 'global', bar: 'shared' },
    doc: 'Begins a copy of `n` bytes to the shared memory of the blocks of the cluster whose bits `mask` contains.',
  },
  {
    ...bulk,
    name: 'cp.async.bulk.move',
    operandRule: 'bulk copy',
    effects: copy,
    syntax: 'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [a], n, [bar]',
    types: { ...places, bar: 'address' },
    spaces: { to: 'shared', a: 'shared', bar: 'shared' },
    doc: 'Begins a copy within shared memory, which the mbarrier `bar` gets when it is done.',
  },
  {
    ...bulk,
    name: 'cp.async.bulk.store',
    operandRule: 'bulk copy',
    effects: copy,
    syntax: 'cp.async.bulk.global.shared::cta.bulk_group{.level} [to], [a], n{, policy}',
    where: { level: policy },
    types: { ...places, policy: 'b64' },
    spaces: { to: 'global', a: 'shared' },
    doc: "Begins a copy of `n` bytes to global memory, in the thread's bulk group.",
  },
  {
    ...bulk,
    name: 'cp.async.bulk.prefetch',
    operandRule: 'bulk copy',
    effects: own,
    syntax: 'cp.async.bulk.prefetch.L2.global{.level} [a], n{, policy}',
    where: { level: policy },
    types: { a: 'address', n: 'u32', policy: 'b64' },
    spaces: { a: 'global' },
    section: move('cp-async-bulk-prefetch'),
    doc: 'A hint without effect on results.',
  },
  { ...bulk, name: 'cp.async.bulk.commit_group', effects: own, syntax: 'cp.async.bulk.commit_group', types: {}, section: move('cp-async-bulk-commit-group'), doc: "Makes a group of the thread's bulk copies that are in none." },
  { ...bulk, name: 'cp.async.bulk.wait_group', effects: own, syntax: 'cp.async.bulk.wait_group{.read} n', types: { n: 'immediate' }, section: move('cp-async-bulk-wait-group'), doc: "Waits for all of the thread's bulk groups but the last `n`; with `.read`, only until their sources have been read." },
]);

export type CopyRowName = RowNames<typeof copyRows>;
