// Runs a validation in several processes, which share the launches of one plan.
import type { ChildProcess } from 'node:child_process';
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { endWorker, follow, forkWorker, post } from '../sessions/worker-process.ts';
import { LaunchShares, partsOf } from './launch-shares.ts';
import type { SuiteOutcome } from './run-launch.ts';
import { planOf, type ValidateOptions, type ValidateResult, ValidationSums } from './validate.ts';
import type { FromValidationWorker, LaunchesOrder, ValidationOrder } from './validate-messages.ts';

/**
 * The options of a validation in several processes. `plan` is the lane plan, as in
 * `ExecutorsOrder`.
 */
export interface ValidateJobsOptions extends Omit<ValidateOptions, 'plan'>, ExecutorsOrder {
  readonly jobs: number;
}

/**
 * Validates as `validate` does, and returns equal results except for the times. `executors` only
 * describe the executors that the processes open. Throws `GpuError` if a process cannot open its
 * executors, or ends unexpectedly.
 */
export async function validateInProcesses(options: ValidateJobsOptions): Promise<ValidateResult[]> {
  const { jobs, executors, onProgress } = options;
  const order = orderOf(options);
  const { queries, seed, exhaustive, brief } = order;
  const plan = planOf({ queries, seed, exhaustive, brief });
  const parts = partsOf(plan);
  const processes = Math.min(jobs, parts.length);
  const shares = new LaunchShares(parts, processes);
  const sums = new ValidationSums(executors, options);
  const total = plan.length * executors.length;
  /** The outcomes of launches that ended before an earlier launch of the plan. */
  const early = new Map<number, readonly SuiteOutcome[]>();
  let done = 0;
  let added = 0;
  const take = (index: number, outcomes: readonly SuiteOutcome[]): void => {
    early.set(index, outcomes);
    done += executors.length;
    onProgress?.({ done, total, label: plan[index]?.suites[0]?.id ?? '' });
    for (let next = early.get(added); next; next = early.get(added)) {
      early.delete(added);
      const launch = plan[added++];
      const failed = launch ? sums.add(launch, next) : [];
      for (const result of failed) onProgress?.({ done, total, label: result.id, failed: result });
    }
  };
  const program = bundledProgram('harness/runs/validate-worker');
  const children = Array.from({ length: processes }, () => forkWorker(program));
  const kill = () => {
    for (const child of children) endWorker(child);
  };
  const release = guard({ close: async () => kill(), kill });
  try {
    await Promise.all(children.map((child, process) => employ(child, order, () => shares.take(process), take)));
    for (const child of children) child.disconnect();
  } catch (error) {
    kill();
    throw error;
  } finally {
    release();
  }
  return sums.results();
}

function orderOf(options: ValidateJobsOptions): ValidationOrder {
  const { on, adapter, plan, float, matrix, queries, seed, timeoutMs, compileTimeoutMs } = options;
  const { exhaustive = false, brief = false, color = false } = options;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const executors = { on, adapter, plan, float, matrix, compileTimeoutMs };
  return { kind: 'open', ...executors, queries, seed, exhaustive, brief, color, ...limit };
}

/**
 * The maximum number of launches assigned to a worker: those that it builds in advance, and a few
 * more for the time that a message needs. Launches that are built before the worker's executors are
 * open are not included.
 */
const ahead = 8;

/**
 * Sends parts to the worker until no parts are left. The next part is sent before the worker has
 * finished the previous part.
 */
async function employ(
  child: ChildProcess,
  order: ValidationOrder,
  nextPart: () => LaunchesOrder | undefined,
  take: (index: number, outcomes: readonly SuiteOutcome[]) => void,
): Promise<void> {
  let open = 0;
  let built = 0;
  await follow<FromValidationWorker>(child, 'a validation process', order, (message) => {
    if (message.kind === 'launched') {
      open--;
      built = 0;
      take(message.index, message.outcomes);
    } else if (message.kind === 'planned') built = message.built;
    while (open < ahead + built) {
      const part = nextPart();
      if (!part) break;
      open += part.to - part.from;
      post(child, part);
    }
    return open === 0;
  });
}
