// How threads of a block hand values to each other by a barrier in memory, or by copies that run beside them.
import { type Dialect, dialectsOfLines } from './dialects.ts';

/// - `token`, `parity`, `drop`: each thread stores a word and arrives; those that wait know the phase by a token or its parity
/// - `copies`: each thread's copy of 16 bytes arrives by itself
/// - `bulk`: one copy for the first threads, which counts bytes
/// - `store`: the other way, into the buffer
export const handovers = ['token', 'parity', 'drop', 'copies', 'bulk', 'store'] as const;
export type Handover = (typeof handovers)[number];

/// What each does in the end; `print/handover.ts` has all of it.
const lines: Readonly<Record<Handover, readonly string[]>> = {
  token: ['mbarrier.arrive.shared.b64', 'mbarrier.test_wait.shared.b64'],
  parity: ['mbarrier.arrive.shared.b64', 'mbarrier.try_wait.parity.shared.b64'],
  drop: ['mbarrier.arrive_drop.shared.b64', 'mbarrier.test_wait.shared.b64'],
  copies: ['cp.async.mbarrier.arrive.noinc.shared.b64', 'mbarrier.test_wait.parity.shared.b64'],
  bulk: ['cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes', 'fence.proxy.async.shared::cta'],
  store: ['cp.async.bulk.global.shared::cta.bulk_group', 'fence.proxy.async'],
};

export const handoversOf = (dialect: Dialect): readonly Handover[] =>
  handovers.filter((how) => dialectsOfLines(lines[how]).includes(dialect));
