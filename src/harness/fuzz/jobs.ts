// Fuzzing in several processes at once.
import type { ExecutorReport } from '../executors/executor.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { follow, forkWorker, post, uncached } from '../sessions/worker-process.ts';
import { type FuzzFailure, type FuzzResult, type FuzzTally, signatureOf } from './fuzz.ts';
import type { FromWorker, WorkOrder } from './messages.ts';

export interface JobsOptions extends Omit<WorkOrder, 'kind' | 'step'> {
  readonly jobs: number;
  readonly onOpened?: (reports: readonly ExecutorReport[]) => void;
  readonly onProgress?: (tally: FuzzTally) => void;
  readonly onFailure?: (failure: FuzzFailure) => void;
}

/// Deals the kernels out to `jobs` processes. Throws `GpuError` where a process cannot open its executors, or dies.
export async function fuzzInProcesses(options: JobsOptions): Promise<FuzzResult> {
  const { jobs, onOpened, onProgress, onFailure, ...order } = options;
  const found: FuzzFailure[] = [];
  const tallies = new Map<number, FuzzTally>();
  const program = bundledProgram('harness/fuzz/worker');
  const children = Array.from({ length: jobs }, () => forkWorker(program, uncached));
  const kill = () => {
    for (const child of children) child.kill('SIGTERM');
  };
  const release = guard({ close: async () => kill(), kill });
  try {
    await Promise.all(
      children.map((child, job) => {
        const count = order.count === undefined ? {} : { count: Math.ceil((order.count - job) / jobs) };
        const message: WorkOrder = { ...order, ...count, kind: 'work', first: order.first + job, step: jobs };
        return follow<FromWorker>(child, 'a fuzzing process', message, (from) => {
          if (from.kind === 'opened' && job === 0) onOpened?.(from.reports);
          if (from.kind === 'progress' || from.kind === 'done') {
            tallies.set(job, from.tally);
            onProgress?.(sum([...tallies.values()]));
          }
          if (from.kind === 'failure') {
            // Another process may have found the same.
            if (found.some((known) => signatureOf(known) === signatureOf(from.failure))) return false;
            found.push(from.failure);
            onFailure?.(from.failure);
            if (found.length >= order.maxFailures) for (const other of children) post(other, { kind: 'stop' });
          }
          return from.kind === 'done';
        });
      }),
    );
  } finally {
    kill();
    release();
  }
  return { ...sum([...tallies.values()]), found };
}

function sum(tallies: readonly FuzzTally[]): FuzzTally {
  const dropped: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [reason, count] of Object.entries(tally.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count;
  }
  const total = (key: 'kernels' | 'compared' | 'failures') => tallies.reduce((all, tally) => all + tally[key], 0);
  return {
    kernels: total('kernels'),
    compared: total('compared'),
    failures: total('failures'),
    dropped,
    changed: tallies.flatMap(({ changed }) => changed).sort((a, b) => a - b),
    end: Math.max(0, ...tallies.map(({ end }) => end)),
  };
}
