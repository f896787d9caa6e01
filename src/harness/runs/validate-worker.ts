// The program of a worker process: runs launches of a validation with executors of its own.
import type { KernelExecutor } from '../executors/executor.ts';
import { openExecutors } from '../executors/open-executor.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import type { PlannedLaunch } from '../suites/index.ts';
import { BatchesAhead, LaunchLine, letOthers } from './launch-line.ts';
import { planOf } from './validate.ts';
import type { FromValidationWorker, ToValidationWorker, ValidationOrder } from './validate-messages.ts';

interface Work {
  readonly line: LaunchLine;
  readonly executors: readonly KernelExecutor[];
  readonly plan: readonly PlannedLaunch[];
}

let work: Work | undefined;
/// Places in the plan, of launches to come.
const queue: number[] = [];
let running = false;

process.on('message', (message: ToValidationWorker) => {
  if (message.kind === 'launches') {
    for (let index = message.from; index < message.to; index++) queue.push(index);
    void attend(drain());
  } else void attend(open(message));
});
// The parent has ended, or has no more work.
process.on('disconnect', () => {
  void Promise.all((work?.executors ?? []).map((executor) => executor.close())).finally(() => process.exit(0));
});

async function attend(task: Promise<void>): Promise<void> {
  try {
    await task;
  } catch (error) {
    report(workerFailure(error));
  }
}

async function open(order: ValidationOrder): Promise<void> {
  const { queries, seed, exhaustive, brief } = order;
  const opening = openExecutors(order);
  // A browser starts meanwhile: the driver opens one device after the other, whoever asks.
  const plan = planOf({ queries, seed, exhaustive, brief });
  report({ kind: 'planned' });
  const ahead = new BatchesAhead();
  const executors = await whileBuilding(opening, plan, ahead);
  work = { line: new LaunchLine(executors, order, ahead), executors, plan };
  await drain();
}

/// Launches that are built before there is an executor.
const mostBuilt = 8;

/// Builds launches as they are asked for, until `opening` ends.
async function whileBuilding<T>(opening: Promise<T>, plan: readonly PlannedLaunch[], ahead: BatchesAhead): Promise<T> {
  let isOpening = true;
  const opened = opening.finally(() => {
    isOpening = false;
  });
  opened.catch(() => undefined);
  while (isOpening && ahead.size < mostBuilt) {
    // What the browser says comes first.
    await letOthers();
    const launch = plan[queue[ahead.size] ?? -1];
    if (launch) ahead.prepare(launch);
    else await Promise.race([opened, new Promise((resolve) => setTimeout(resolve, 10))]);
  }
  return await opened;
}

async function drain(): Promise<void> {
  if (running || !work) return;
  running = true;
  const { plan, line } = work;
  for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
    const at = index;
    const launch = plan[at];
    if (!launch) throw new Error(`the plan has no launch ${at}`);
    await line.room();
    const [next] = queue;
    const outcomes = line.begin(launch, next === undefined ? undefined : plan[next]);
    void attend(outcomes.then((all) => report({ kind: 'launched', index: at, outcomes: all })));
  }
  running = false;
}

const report = (message: FromValidationWorker): void => toParent(message);
