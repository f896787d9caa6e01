// How threads of a block hand values to each other by a barrier in memory, or by copies that run beside them.
import { type Dialect, dialectsOfLines } from './dialects.ts';

/**
 * - `token`, `parity`, `drop`: each thread stores a word and arrives; those that wait know the phase by a token or its parity
 * - `incomplete`, `incompleteDrop`: it arrives once more before, where that does not complete the phase
 * - `copies`: each thread's copy of 16 bytes arrives by itself
 * - `bulk`: one copy for the first threads, which counts bytes
 * - `store`: the other way, into the buffer
 * - `reduce`: the same, combined with what the buffer holds
 * - `move`: from some threads' cells to those of others, copied or combined
 * - `send`: each thread stores into the next one's cell, and counts bytes
 * - `update`: each thread changes some thread's cell, and counts bytes
 * - `pledge`: each thread tells of bytes that it says have come
 * - `count`: each thread asks how many were missing when it arrived
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

/** What each does in the end; `print/handover.ts` has all of it. */
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

/** Whether a line is of those that native code only has in clusters: of one block, where nothing else is said. */
export const needsCluster = (line: string): boolean =>
  /(?:st|red)\.async\.|\.bulk\.shared::cluster\.shared::cta/.test(line);
