// The messages between a validation and its worker processes.
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { SuiteOutcome } from './run-launch.ts';

/**
 * The first message. It contains the executors to open, and the options of the plan, which is the
 * same in every process.
 */
export interface ValidationOrder extends ExecutorsOrder {
  readonly kind: 'open';
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
  readonly brief: boolean;
  readonly timeoutMs?: number;
  readonly color: boolean;
}

/**
 * An order to run launches, by their indexes in the plan: from `from` up to, but not including,
 * `to`.
 */
export interface LaunchesOrder {
  readonly kind: 'launches';
  readonly from: number;
  readonly to: number;
}

export type ToValidationWorker = ValidationOrder | LaunchesOrder;

export type FromValidationWorker =
  /**
   * The worker can accept more launches. It has built `built` launches, and waits for executors.
   */
  | { readonly kind: 'planned'; readonly built: number }
  | { readonly kind: 'launched'; readonly index: number; readonly outcomes: readonly SuiteOutcome[] }
  | WorkerFailure;
