// The messages between the fuzzer and its worker processes.
import type { ExecutorReport } from '../executors/executor.ts';
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { FuzzFailure, FuzzTally } from './fuzz.ts';
import type { Subject } from './subject-names.ts';

/** The kernels of one set of executors: every `step`th kernel, starting at number `first`. */
export interface Share {
  readonly first: number;
  readonly step: number;
  readonly count?: number;
}

/**
 * The order for a worker. It opens executors for each share, and processes all shares concurrently.
 */
export interface WorkOrder extends ExecutorsOrder {
  readonly kind: 'work';
  readonly seed: number;
  readonly shares: readonly Share[];
  readonly ms?: number;
  readonly maxFailures: number;
  readonly holding?: string;
  readonly subject?: Subject | undefined;
  readonly timeoutMs?: number;
}

export type ToWorker = WorkOrder | { readonly kind: 'stop' };

export type FromWorker =
  | { readonly kind: 'opened'; readonly reports: readonly ExecutorReport[] }
  | { readonly kind: 'progress'; readonly tally: FuzzTally }
  | { readonly kind: 'failure'; readonly failure: FuzzFailure }
  | { readonly kind: 'done'; readonly tally: FuzzTally }
  | WorkerFailure;
