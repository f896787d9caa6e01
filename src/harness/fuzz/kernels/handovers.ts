// The ways in which the threads of a block pass values through an mbarrier or asynchronous copies.
import { type Dialect, dialectsOfLines } from './dialects.ts';

/**
 * - `token`, `parity`, `drop`: each thread stores a word and arrives; waiting threads identify the
 * phase by a token or its parity.
 * - `incomplete`, `incompleteDrop`: each thread arrives twice; the first arrival cannot complete
 * the phase.
 * - `copies`: each thread copies 16 bytes, and the copy arrives when it completes.
 * - `bulk`: one bulk copy for the first threads, with a transaction count.
 * - `store`: a bulk copy from shared memory into the buffer.
 * - `reduce`: like `store`, but combined with the buffer's contents.
 * - `move`: a copy or a combination from some threads' cells to other threads' cells.
 * - `send`: each thread stores into the next thread's cell, with a transaction count.
 * - `update`: each thread changes some thread's cell, with a transaction count.
 * - `pledge`: each thread expects bytes, and completes them itself.
 * - `count`: each thread reads the number of pending arrivals when it arrives.
 */
export const handovers = [
  ...([
    'token',
    'parity',
    'drop',
    'copies',
    'bulk',
    'store',
    'reduce',
    'move',
    'send',
    'update',
    'incomplete',
    'incompleteDrop',
    'pledge',
    'count',
  ] as const),
];
export type Handover = (typeof handovers)[number];

/** The final instructions of each handover; `print/handover.ts` prints the whole handover. */
const lines: Readonly<Record<Handover, readonly string[]>> = {
  token: ['mbarrier.arrive.shared.b64', 'mbarrier.test_wait.shared.b64'],
  parity: ['mbarrier.arrive.shared.b64', 'mbarrier.try_wait.parity.shared.b64'],
  drop: ['mbarrier.arrive_drop.shared.b64', 'mbarrier.test_wait.shared.b64'],
  incomplete: ['mbarrier.arrive.noComplete.shared.b64', 'mbarrier.test_wait.shared.b64'],
  incompleteDrop: ['mbarrier.arrive_drop.noComplete.shared.b64', 'mbarrier.test_wait.shared.b64'],
  copies: ['cp.async.mbarrier.arrive.noinc.shared.b64', 'mbarrier.test_wait.parity.shared.b64'],
  bulk: ['cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes', 'fence.proxy.async.shared::cta'],
  store: ['cp.async.bulk.global.shared::cta.bulk_group', 'fence.proxy.async'],
  reduce: ['cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32', 'fence.proxy.async'],
  move: [
    'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes',
    'cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32',
  ],
  send: ['st.async.shared::cluster.mbarrier::complete_tx::bytes.b32', 'mbarrier.arrive.expect_tx.shared.b64'],
  pledge: ['mbarrier.expect_tx.shared.b64', 'mbarrier.complete_tx.shared.b64'],
  count: ['mbarrier.arrive.noComplete.shared.b64', 'mbarrier.pending_count.b64'],
  update: ['red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u32'],
};

export const handoversOf = (dialect: Dialect): readonly Handover[] =>
  handovers.filter((how) => dialectsOfLines(lines[how]).includes(dialect));

/**
 * Whether native code supports a line only in kernels with clusters. A cluster has one block by
 * default.
 */
export const needsCluster = (line: string): boolean =>
  /(?:st|red)\.async\.|\.bulk\.shared::cluster\.shared::cta|\.multicast::cluster/.test(line);
