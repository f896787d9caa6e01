// What a validation and its worker processes say to each other.
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { SuiteOutcome } from './run-launch.ts';

/** First, once: the executors to open, and what the launches are made of, the same in every process. */
export interface ValidationOrder extends ExecutorsOrder {
  readonly kind: 'open';
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
  readonly brief: boolean;
  readonly timeoutMs?: number;
  readonly color: boolean;
}

/** Then launches, by their places in the plan: `from` and those before `to`. */
export interface LaunchesOrder {
  readonly kind: 'launches';
  readonly from: number;
  readonly to: number;
}

export type ToValidationWorker = ValidationOrder | LaunchesOrder;

export type FromValidationWorker =
  /** Launches may come: so many that came before are built, and wait for executors. */
  | { readonly kind: 'planned'; readonly built: number }
  | { readonly kind: 'launched'; readonly index: number; readonly outcomes: readonly SuiteOutcome[] }
  | WorkerFailure;
