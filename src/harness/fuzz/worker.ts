// The program of a worker process: fuzzes with executors of its own, and reports to the process that started it.

import type { KernelExecutor } from '../executors/executor.ts';
import { openExecutors } from '../executors/open-executor.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import { fuzz } from './fuzz.ts';
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

async function work(order: WorkOrder): Promise<void> {
  let executors: readonly KernelExecutor[] = [];
  try {
    executors = await openExecutors(order);
    report({ kind: 'opened', reports: executors.map((executor) => executor.describe()) });
    let last = 0;
    const { found: _, ...tally } = await fuzz({
      ...order,
      executors,
      isStopped: () => stopped,
      onProgress(now) {
        if (performance.now() - last < reportInterval) return;
        last = performance.now();
        report({ kind: 'progress', tally: now });
      },
      onFailure: (failure) => report({ kind: 'failure', failure }),
    });
    report({ kind: 'done', tally });
  } catch (error) {
    report(workerFailure(error));
  } finally {
    await Promise.all(executors.map((executor) => executor.close()));
    if (process.connected) process.disconnect();
  }
}

const report = (message: FromWorker): void => toParent(message);
