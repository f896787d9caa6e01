// The program of a worker process: fuzzes with sets of executors of its own, and reports to the process that started it.

import type { KernelExecutor } from '../executors/executor.ts';
import { openExecutors } from '../executors/open-executor.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import { type FuzzTally, fuzz, sumOf } from './fuzz.ts';
import type { FromWorker, ToWorker, WorkOrder } from './messages.ts';

/// Between two reports, milliseconds.
const reportInterval = 500;

let stopped = false;
process.on('message', (message: ToWorker) => {
  if (message.kind === 'stop') stopped = true;
  else void work(message);
});
// The parent has ended: no one is left to report to.
process.on('disconnect', () => process.exit(1));

async function work({ shares, ...order }: WorkOrder): Promise<void> {
  const opened: (readonly KernelExecutor[])[] = [];
  try {
    const openings = await Promise.allSettled(shares.map(() => openExecutors(order)));
    opened.push(...openings.flatMap((opening) => (opening.status === 'fulfilled' ? [opening.value] : [])));
    for (const opening of openings) if (opening.status === 'rejected') throw opening.reason;
    report({ kind: 'opened', reports: opened[0]?.map((executor) => executor.describe()) ?? [] });
    const tallies: FuzzTally[] = [];
    let last = 0;
    const runs = shares.map(async (share, at) => {
      const { found: _, ...tally } = await fuzz({
        ...order,
        ...share,
        executors: opened[at] ?? [],
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
    await Promise.all(opened.flat().map((executor) => executor.close()));
    if (process.connected) process.disconnect();
  }
}

const report = (message: FromWorker): void => toParent(message);
