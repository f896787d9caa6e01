// The program of a worker process: fuzzes with sets of executors of its own, and reports to its
// parent process.

import { isNative, type KernelExecutor } from '../executors/executor.ts';
import { type ExecutorsOrder, openExecutors } from '../executors/open-executor.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import { type FuzzTally, fuzz, sumOf } from './fuzz.ts';
import type { FromWorker, ToWorker, WorkOrder } from './messages.ts';

/** The interval between two reports, in milliseconds. */
const reportInterval = 500;

let stopped = false;
process.on('message', (message: ToWorker) => {
  if (message.kind === 'stop') stopped = true;
  else void work(message);
});
// The parent has ended, so no process receives reports.
process.on('disconnect', () => process.exit(1));

async function work({ shares, ...order }: WorkOrder): Promise<void> {
  let executors: readonly (readonly KernelExecutor[])[] = [];
  try {
    executors = await openFor(shares.length, order);
    report({ kind: 'opened', reports: executors[0]?.map((executor) => executor.describe()) ?? [] });
    const tallies: FuzzTally[] = [];
    let last = 0;
    const runs = shares.map(async (share, at) => {
      const { found: _, ...tally } = await fuzz({
        ...order,
        ...share,
        executors: executors[at] ?? [],
        isStopped: () => stopped,
        onProgress(now) {
          tallies[at] = now;
          if (performance.now() - last < reportInterval) return;
          last = performance.now();
          report({ kind: 'progress', tally: sumOf(tallies.filter((known) => known !== undefined)) });
        },
        onFailure: (failure) => report({ kind: 'failure', failure }),
      });
      return tally;
    });
    report({ kind: 'done', tally: sumOf(await Promise.all(runs)) });
  } catch (error) {
    report(workerFailure(error));
  } finally {
    await Promise.all([...new Set(executors.flat())].map((executor) => executor.close()));
    if (process.connected) process.disconnect();
  }
}

/**
 * Opens executors for each share. Each list is in the order of `on`. All shares use the same native
 * executor, because it compiles a kernel in a few milliseconds, and contexts open slowly if many
 * processes request them.
 */
async function openFor(shares: number, order: ExecutorsOrder): Promise<readonly (readonly KernelExecutor[])[]> {
  const common = order.on.filter(isNative);
  const own = order.on.filter((choice) => !isNative(choice));
  const openings = await Promise.allSettled([
    openExecutors({ ...order, on: common }),
    ...Array.from({ length: shares }, () => openExecutors({ ...order, on: own })),
  ]);
  const opened = openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : []));
  const failed = openings.find((opening) => opening.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(opened.flat().map((executor) => executor.close()));
    throw failed.reason;
  }
  const [shared = [], ...lists] = opened;
  return lists.map((list) => {
    const rest = [...list];
    return order.on.flatMap((choice) => (isNative(choice) ? shared : rest.splice(0, 1)));
  });
}

const report = (message: FromWorker): void => toParent(message);
