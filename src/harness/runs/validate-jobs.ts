// A validation in several processes at once: each takes launches of the same plan, whoever is free.
import type { ChildProcess } from 'node:child_process';
import type { ExecutorsOrder } from '../executors/open-executor.ts';
import { bundledProgram } from '../sessions/dist-folder.ts';
import { guard } from '../sessions/open-sessions.ts';
import { follow, forkWorker, post } from '../sessions/worker-process.ts';
import type { PlannedLaunch } from '../suites/index.ts';
import type { SuiteOutcome } from './run-launch.ts';
import { planOf, type ValidateOptions, type ValidateResult, ValidationSums } from './validate.ts';
import type { FromValidationWorker, LaunchesOrder, ValidationOrder } from './validate-messages.ts';

/// `plan` is the lane plan.
export interface ValidateJobsOptions extends Omit<ValidateOptions, 'plan'>, ExecutorsOrder {
  readonly jobs: number;
}

/// As `validate`, with the same results but for the times: `executors` only say what the processes' own ones are. Throws `GpuError` where a
/// process cannot open its executors, or dies.
export async function validateInProcesses(options: ValidateJobsOptions): Promise<ValidateResult[]> {
  const { jobs, executors, onProgress } = options;
  const order = orderOf(options);
  const { queries, seed, exhaustive, brief } = order;
  const plan = planOf({ queries, seed, exhaustive, brief });
  const parts = partsOf(plan);
  const sums = new ValidationSums(executors, options);
  const total = plan.length * executors.length;
  /// Of launches that ended before one that is before them in the plan.
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
  const children = Array.from({ length: Math.min(jobs, parts.length) }, () => forkWorker(program));
  const kill = () => {
    for (const child of children) child.kill('SIGTERM');
  };
  const release = guard({ close: async () => kill(), kill });
  try {
    await Promise.all(children.map((child) => employ(child, order, parts, take)));
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
  const { on, adapter, plan, float, queries, seed, timeoutMs } = options;
  const { exhaustive = false, brief = false, color = false } = options;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  return { kind: 'open', on, adapter, plan, float, queries, seed, exhaustive, brief, color, ...limit };
}

/// Consecutive launches of one kernel, which then is translated and compiled once; those with most to compare first, so that no process is left with
/// a long one when the others have done.
export function partsOf(plan: readonly PlannedLaunch[]): LaunchesOrder[] {
  const parts: { readonly order: LaunchesOrder; readonly work: number }[] = [];
  for (let from = 0; from < plan.length; ) {
    let [to, work] = [from, 0];
    for (; to < plan.length && plan[to]?.kernel === plan[from]?.kernel; to++) work += workOf(plan[to]);
    parts.push({ order: { kind: 'launches', from, to }, work });
    from = to;
  }
  return parts.sort((x, y) => y.work - x.work).map(({ order }) => order);
}

/// Instructions of warps.
const workOf = (launch: PlannedLaunch | undefined): number =>
  launch === undefined ? 0 : launch.choice.warps * launch.suites.reduce((sum, { variants }) => sum + variants, 0);

/// Launches that a worker has before it: what it builds ahead, and more while a message is on its way.
const ahead = 8;

/// Gives the worker parts until there are none, the next before it has done the last.
async function employ(
  child: ChildProcess,
  order: ValidationOrder,
  parts: LaunchesOrder[],
  take: (index: number, outcomes: readonly SuiteOutcome[]) => void,
): Promise<void> {
  let open = 0;
  await follow<FromValidationWorker>(child, 'a validating process', order, (message) => {
    if (message.kind === 'launched') {
      open--;
      take(message.index, message.outcomes);
    }
    while (open < ahead) {
      const part = parts.shift();
      if (!part) break;
      open += part.to - part.from;
      post(child, part);
    }
    return open === 0;
  });
}
