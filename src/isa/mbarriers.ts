// Barriers in shared memory: mbarrier objects, which count arrivals and bytes in each phase.
import { type Effects, type RowNames, rows } from './row.ts';

const sync = (name: string) => `parallel-synchronization-and-communication-instructions-${name}`;
const own = ['shared', 'shared::cta'] as const;
const any = [...own, 'shared::cluster'] as const;
const scope = ['cta', 'cluster'] as const;
const base = { kind: 'atomic', ptx: '7.0', target: 'sm_80' } as const;
const window = { slot: 'space', values: ['shared::cta'], ptx: '7.8', target: 'sm_80' } as const;
const cluster = { slot: 'space', values: ['shared::cluster'], ptx: '8.0', target: 'sm_90' } as const;
const ordered = [
  { slot: 'sem', values: ['acquire', 'release'], ptx: '8.0', target: 'sm_80' },
  { slot: 'sem', values: ['relaxed'], ptx: '8.6', target: 'sm_90' },
  { slot: 'scope', values: ['cluster'], ptx: '8.0', target: 'sm_90' },
] as const;

const update = { memory: 'updates', strength: 'strong', orders: 'release', collective: 'none', waits: false } as const satisfies Effects;
/** The effects of a test. Its result changes only if other threads make progress. */
const look = { ...update, memory: 'reads', orders: 'acquire', collective: 'block', waits: true } as const satisfies Effects;
/**
 * The effects of creating or destroying the object. Another operation must order the instruction
 * before accesses of other threads.
 */
const write = { ...update, memory: 'writes', strength: 'weak', orders: 'none' } as const satisfies Effects;
const count = { ...update, orders: 'none' } as const satisfies Effects;
const pure = { ...count, memory: 'none', strength: 'weak' } as const satisfies Effects;

const arrival = { ...base, effects: update, writes: ['d'], sinks: ['d'], operandRule: 'arrival', section: sync('mbarrier-arrive'), since: [window, cluster, ...ordered] } as const;
const arriving = { sem: ['release', 'relaxed'], scope, space: any } as const;
const drop = { ...arrival, section: sync('mbarrier-arrive-drop') } as const;
const bytes = { ...base, effects: count, writes: [], ptx: '8.0', target: 'sm_90', where: { sem: ['relaxed'], scope, space: any }, types: { a: 'address', tx: 'u32' } } as const;
const wait = { ...base, effects: look, writes: ['d'], section: sync('mbarrier-test-wait-try-wait'), since: [window, ...ordered] } as const;
const waiting = { sem: ['acquire', 'relaxed'], scope, space: own } as const;

export const mbarrierRows = rows([
  { ...base, name: 'mbarrier.init', effects: write, writes: [], syntax: 'mbarrier.init{.space}.b64 [a], n', where: { space: own }, types: { a: 'address', n: 'u32' }, since: [window], section: sync('mbarrier-init'), doc: 'Makes an mbarrier that expects `n` arrivals in each phase.' },
  { ...base, name: 'mbarrier.inval', effects: write, writes: [], syntax: 'mbarrier.inval{.space}.b64 [a]', where: { space: own }, types: { a: 'address' }, since: [window], section: sync('mbarrier-inval'), doc: 'Ends an mbarrier: its place is plain memory again.' },
  { ...arrival, name: 'mbarrier.arrive', operandSince: { n: { ptx: '7.8', target: 'sm_90' } }, syntax: 'mbarrier.arrive{.sem}{.scope}{.space}.b64 d, [a]{, n}', where: arriving, types: { d: 'b64', a: 'address', n: 'u32' }, doc: 'Arrives `n` times, once if it is not said; `d` is the phase before.' },
  { ...arrival, name: 'mbarrier.arrive.noComplete', syntax: 'mbarrier.arrive{.sem}{.scope}.noComplete{.space}.b64 d, [a], n', where: { ...arriving, sem: ['release'], scope: ['cta'], space: own }, types: { d: 'b64', a: 'address', n: 'u32' }, doc: 'Arrives where that does not complete the phase.' },
  { ...arrival, name: 'mbarrier.arrive.expect_tx', syntax: 'mbarrier.arrive.expect_tx{.sem}{.scope}{.space}.b64 d, [a], tx', where: arriving, types: { d: 'b64', a: 'address', tx: 'u32' }, ptx: '8.0', target: 'sm_90', doc: 'Expects `tx` more bytes, and arrives.' },
  { ...drop, name: 'mbarrier.arrive_drop', operandSince: { n: { ptx: '7.8', target: 'sm_90' } }, syntax: 'mbarrier.arrive_drop{.sem}{.scope}{.space}.b64 d, [a]{, n}', where: arriving, types: { d: 'b64', a: 'address', n: 'u32' }, doc: 'Arrives, and is not expected in the phases that follow.' },
  {
    ...drop,
    name: 'mbarrier.arrive_drop.noComplete',
    syntax: 'mbarrier.arrive_drop{.sem}{.scope}.noComplete{.space}.b64 d, [a], n',
    where: { ...arriving, sem: ['release'], scope: ['cta'], space: own },
    types: { d: 'b64', a: 'address', n: 'u32' },
    doc: 'As mbarrier.arrive_drop, where that does not complete the phase.',
  },
  { ...drop, name: 'mbarrier.arrive_drop.expect_tx', syntax: 'mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.space}.b64 d, [a], tx', where: arriving, types: { d: 'b64', a: 'address', tx: 'u32' }, ptx: '8.0', target: 'sm_90', doc: 'Expects `tx` more bytes, arrives, and is not expected any more.' },
  { ...bytes, name: 'mbarrier.expect_tx', syntax: 'mbarrier.expect_tx{.sem}{.scope}{.space}.b64 [a], tx', section: sync('mbarrier-expect-tx'), doc: 'The phase expects `tx` more bytes.' },
  { ...bytes, name: 'mbarrier.complete_tx', syntax: 'mbarrier.complete_tx{.sem}{.scope}{.space}.b64 [a], tx', section: sync('mbarrier-complete-tx'), doc: 'The phase expects `tx` bytes less, as if they had come.' },
  { ...wait, name: 'mbarrier.test_wait', syntax: 'mbarrier.test_wait{.sem}{.scope}{.space}.b64 d, [a], state', where: waiting, types: { d: 'pred', a: 'address', state: 'b64' }, doc: 'Whether the phase of `state` is complete.' },
  { ...wait, name: 'mbarrier.test_wait.parity', syntax: 'mbarrier.test_wait.parity{.sem}{.scope}{.space}.b64 d, [a], parity', where: waiting, types: { d: 'pred', a: 'address', parity: 'u32' }, ptx: '7.1', doc: 'Whether the phase of that parity is complete.' },
  { ...wait, name: 'mbarrier.try_wait', syntax: 'mbarrier.try_wait{.sem}{.scope}{.space}.b64 d, [a], state{, time}', where: waiting, types: { d: 'pred', a: 'address', state: 'b64', time: 'u32' }, ptx: '7.8', target: 'sm_90', doc: 'As mbarrier.test_wait, which may wait a while.' },
  { ...wait, name: 'mbarrier.try_wait.parity', syntax: 'mbarrier.try_wait.parity{.sem}{.scope}{.space}.b64 d, [a], parity{, time}', where: waiting, types: { d: 'pred', a: 'address', parity: 'u32', time: 'u32' }, ptx: '7.8', target: 'sm_90', doc: 'As mbarrier.test_wait.parity, which may wait a while.' },
  { ...base, name: 'mbarrier.pending_count', effects: pure, writes: ['d'], syntax: 'mbarrier.pending_count.b64 d, state', types: { d: 'u32', state: 'b64' }, section: sync('mbarrier-pending-count'), doc: 'Arrivals that the phase still expected when `state` was taken.' },
  {
    ...base,
    name: 'cp.async.mbarrier.arrive',
    effects: count,
    writes: [],
    syntax: 'cp.async.mbarrier.arrive{.noinc}{.space}.b64 [a]',
    where: { space: own },
    types: { a: 'address' },
    since: [window],
    section: sync('cp-async-mbarrier-arrive'),
    doc: "Arrives once the thread's copies are done; the phase expects that arrival, or with `.noinc` one of its own.",
  },
]);

export type MbarrierRowName = RowNames<typeof mbarrierRows>;
