// The program of a worker process. It runs launches of a validation with its own executors.
import { totalmem } from 'node:os';
import type { KernelExecutor } from '../executors/executor.ts';
import { startExecutors } from '../executors/open-executor.ts';
import { toParent, workerFailure } from '../sessions/worker-process.ts';
import type { PlannedLaunch } from '../suites/index.ts';
import { BatchesAhead, LaunchLine } from './launch-line.ts';
import { planOf } from './validate.ts';
import type { FromValidationWorker, ToValidationWorker, ValidationOrder } from './validate-messages.ts';

interface Work {
  readonly line: LaunchLine;
  readonly executors: readonly KernelExecutor[];
  readonly plan: readonly PlannedLaunch[];
}

let work: Work | undefined;
/** The launches to run, as indexes into `work.plan`. */
const queue: number[] = [];
let running = false;

process.on('message', (message: ToValidationWorker) => {
  if (message.kind === 'launches') {
    for (let index = message.from; index < message.to; index++) queue.push(index);
    void attend(drain());
  } else void attend(open(message));
});
// The parent has ended or has no more work.
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
  // The driver opens the devices of all processes one after the other. Work that needs no device is
  // done during that time.
  const { devices, opened } = await startExecutors(order);
  opened.catch(() => undefined);
  const plan = planOf({ queries, seed, exhaustive, brief });
  report({ kind: 'planned', built: 0 });
  const ahead = new BatchesAhead();
  await buildUntil(devices, plan, ahead);
  const executors = await opened;
  work = { line: new LaunchLine(executors, order, ahead), executors, plan };
  await drain();
}

/**
 * The maximum memory of the launches that are built before the executors are open. If many
 * processes open devices, opening may take seconds. There are at most sixteen processes.
 */
const mostBytes = totalmem() / 64;
/**
 * The pause between two builds in milliseconds, during which answers from a browser or a process
 * are handled.
 */
const pauseMs = 4;

/** Builds requested launches until `devices` resolves. */
async function buildUntil(
  devices: Promise<unknown>,
  plan: readonly PlannedLaunch[],
  ahead: BatchesAhead,
): Promise<void> {
  let isOpening = true;
  const open = devices.then(() => {
    isOpening = false;
  });
  while (isOpening && ahead.bytes < mostBytes) {
    await Promise.race([open, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    const launch = plan[queue[ahead.size] ?? -1];
    if (!isOpening || !launch) continue;
    ahead.prepare(launch);
    report({ kind: 'planned', built: ahead.size });
  }
}

async function drain(): Promise<void> {
  if (running || !work) return;
  running = true;
  const { plan, line } = work;
  for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
    const at = index;
    const launch = plan[at];
    if (!launch) throw new Error(`the plan does not contain launch ${at}`);
    await line.room();
    const [next] = queue;
    const outcomes = line.begin(launch, next === undefined ? undefined : plan[next]);
    void attend(outcomes.then((all) => report({ kind: 'launched', index: at, outcomes: all })));
  }
  running = false;
}

const report = (message: FromValidationWorker): void => toParent(message);
