// What a validation and its worker processes say to each other.
import type { PlanKind } from '../../base/lane-plan.ts';
import type { ExecutorChoice } from '../executors/executor.ts';
import type { WorkerFailure } from '../sessions/worker-process.ts';
import type { SuiteOutcome } from './run-launch.ts';

/// First, once: the executors to open, and what the launches are made of, the same in every process.
export interface ValidationOrder {
  readonly kind: 'open';
  readonly on: readonly ExecutorChoice[];
  readonly adapter?: string | undefined;
  readonly lanePlan?: PlanKind | undefined;
  readonly float: 'exact' | 'fast';
  readonly queries: readonly string[];
  readonly seed: number;
  readonly exhaustive: boolean;
  readonly brief: boolean;
  readonly timeoutMs?: number;
  readonly color: boolean;
}

/// Then launches, by their places in the plan: `from` and those before `to`.
export interface LaunchesOrder {
  readonly kind: 'launches';
  readonly from: number;
  readonly to: number;
}

export type ToValidationWorker = ValidationOrder | LaunchesOrder;

export type FromValidationWorker =
  | { readonly kind: 'opened' }
  | { readonly kind: 'launched'; readonly index: number; readonly outcomes: readonly SuiteOutcome[] }
  | WorkerFailure;
