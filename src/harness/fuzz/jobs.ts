// Fuzzes in several processes at once.
import { type ExecutorChoice, type ExecutorReport, engineOf } from '../executors/executor.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { endWorker, follow, forkWorker, post, uncached } from '../sessions/worker-process.ts';
import { type FuzzFailure, type FuzzResult, type FuzzTally, signatureOf, sumOf } from './fuzz.ts';
import type { FromWorker, Share, WorkOrder } from './messages.ts';

export interface JobsOptions extends Omit<WorkOrder, 'kind' | 'shares'>, Pick<Share, 'first' | 'count'> {
  /** The number of kernels that are processed at the same time, each with executors of its own. */
  readonly jobs: number;
  readonly onOpened?: (reports: readonly ExecutorReport[]) => void;
  readonly onProgress?: (tally: FuzzTally) => void;
  readonly onFailure?: (failure: FuzzFailure) => void;
}

/**
 * Returns the number of jobs of a process. A WebGPU driver has a process of its own, and needs many
 * times as long for a kernel as this process. So this process generates, interprets and translates
 * for several sets of executors, which also share the code that V8 has optimized.
 */
const jobsOfProcess = (on: readonly ExecutorChoice[]): number =>
  on.every((choice) => engineOf(choice) !== 'webgpu') ? 1 : 4;

/**
 * Distributes the kernels over `jobs` sets of executors in several processes. Throws `GpuError` if
 * a process cannot open its executors or ends unexpectedly.
 */
export async function fuzzInProcesses(options: JobsOptions): Promise<FuzzResult> {
  const { jobs, first, count, onOpened, onProgress, onFailure, ...order } = options;
  const found: FuzzFailure[] = [];
  const tallies = new Map<number, FuzzTally>();
  const program = bundledProgram('harness/fuzz/worker');
  const processes = Math.ceil(jobs / jobsOfProcess(order.on));
  const children = Array.from({ length: processes }, () => forkWorker(program, uncached));
  const kill = () => {
    for (const child of children) endWorker(child);
  };
  const release = guard({ close: async () => kill(), kill });
  try {
    await Promise.all(
      children.map((child, at) => {
        const shares = sharesOf(jobs, first, count).filter((_, job) => job % processes === at);
        const message: WorkOrder = { ...order, kind: 'work', shares };
        return follow<FromWorker>(child, 'a fuzzing process', message, (from) => {
          if (from.kind === 'opened' && at === 0) onOpened?.(from.reports);
          if (from.kind === 'progress' || from.kind === 'done') {
            tallies.set(at, from.tally);
            onProgress?.(sumOf([...tallies.values()]));
          }
          if (from.kind === 'failure') {
            // Another process may have found the same failure.
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
  return { ...sumOf([...tallies.values()]), found };
}

/** Returns the share of kernels of each job. Job n starts with the nth kernel. */
export function sharesOf(jobs: number, first: number, count: number | undefined): readonly Share[] {
  return Array.from({ length: jobs }, (_, job) => {
    const limit = count === undefined ? {} : { count: Math.max(0, Math.ceil((count - job) / jobs)) };
    return { first: first + job, step: jobs, ...limit };
  });
}
