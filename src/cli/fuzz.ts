// `lanewise fuzz`
import { join } from 'node:path';
import type { ExecutorReport, KernelExecutor } from '../harness/executors/executor.ts';
import { saveFailure } from '../harness/fuzz/failures.ts';
import { type FuzzFailure, type FuzzResult, type FuzzTally, fuzz } from '../harness/fuzz/fuzz.ts';
import { fuzzInProcesses } from '../harness/fuzz/jobs.ts';
import { optimizerFlaw } from '../harness/fuzz/judge.ts';
import { bodyLines } from '../harness/fuzz/print/print.ts';
import { describeExecutor, grouped } from '../harness/report/text.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { freshSeed } from '../harness/suites/index.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { Console } from './console.ts';
import { Campaign, type CampaignRun } from './fuzz-campaign.ts';
import type { FuzzCommandOptions } from './fuzz-options.ts';
import { withExecutors } from './open-executors.ts';
import { reproducingOptions } from './options.ts';
import { probeReport, toJson, toolRecord } from './report-files.ts';

const defaultMs = 60_000;
/**
 * The time limit of a launch in milliseconds. A generated kernel runs for milliseconds, so a kernel
 * that reaches this limit hangs.
 */
const launchLimitMs = 20_000;

/**
 * Runs `lanewise fuzz` in the mode that the options select. `files` are the PTX files to mutate
 * with --front-end.
 */
export async function fuzzCommand(
  files: readonly string[],
  options: FuzzCommandOptions,
  console: Console,
): Promise<number> {
  // Check before the run that failures can be saved.
  probeReport(join(options.out, 'probe'));
  if (options.campaign !== undefined) probeReport(options.campaign);
  const campaign = options.campaign === undefined ? undefined : new Campaign(options.campaign);
  const seed = options.seed ?? campaign?.seed ?? freshSeed();
  if (options.frontEnd !== undefined) {
    const { fuzzFrontEndCommand } = await import('./fuzz-front-end.ts');
    return fuzzFrontEndCommand(files, seed, options.frontEnd, options, console);
  }
  if (options.doors !== undefined) {
    const { fuzzDoorsCommand } = await import('./fuzz-doors.ts');
    return await fuzzDoorsCommand(seed, options.doors, options, console);
  }
  const first = options.first ?? campaign?.next(seed) ?? 0;
  const started = new Date();
  console.err(first === 0 ? `seed ${seed}\n` : `seed ${seed}, from kernel ${first} on\n`);
  const saved: object[] = [];
  let executors: readonly string[] = [];
  const runOf = (tally: FuzzTally): CampaignRun => {
    const { on, jobs, matrix, holding, subject } = options;
    const ms = Date.now() - started.getTime();
    return {
      seed,
      first,
      on,
      jobs,
      ...(matrix === undefined ? {} : { matrix }),
      ...(holding === undefined ? {} : { holding }),
      ...(subject === undefined ? {} : { subject }),
      executors,
      started: started.toISOString(),
      ms,
      ...tally,
      found: saved,
    };
  };
  const events: Events = {
    onOpened(reports) {
      executors = reports.map(describeExecutor);
    },
    onProgress: (tally) => campaign?.keep(() => runOf(tally)),
    onFailure(failure) {
      const path = saveFailure(failure, options.out);
      saved.push(failureRecord(failure, path));
      console.err(`${describeFailure(failure, path, options, console)}\n`);
    },
  };
  const limited = { ...limits(options), seed, first };
  const result =
    options.jobs > 1
      ? await manyProcesses(limited, options, console, events)
      : await withExecutors(options, console, (opened) => oneProcess(limited, opened, options, console, events));
  const { found: _, ...tally } = result;
  const { ms, ...record } = runOf(tally);
  campaign?.keep(() => ({ ms, ...record }), { last: true });
  if (options.json) {
    const run = { command: 'fuzz', seed, on: options.on, first, ms };
    console.out(toJson({ schemaVersion: 1, tool: toolRecord(), run, ...tally, found: saved }));
  }
  const print = options.json ? console.err : console.out;
  print(`${verdict(result, options, ms, console)}\n`);
  const passed = result.failures === 0 && result.compared > 0 && !dropsTooMany(result);
  return passed ? exitCodes.ok : exitCodes.mismatch;
}

interface Events {
  readonly onOpened: (reports: readonly ExecutorReport[]) => void;
  readonly onProgress: (tally: FuzzTally) => void;
  readonly onFailure: (failure: FuzzFailure) => void;
}

/**
 * Returns the limits of a run. If there is no count, the time is limited. If both are given, the
 * run ends at the first limit that it reaches.
 */
function limits({ count, seconds, failures, timeout, holding, subject }: FuzzCommandOptions) {
  const ms = seconds ?? (count === undefined ? defaultMs : undefined);
  return {
    ...(count === undefined ? {} : { count }),
    ...(ms === undefined ? {} : { ms }),
    ...(holding === undefined ? {} : { holding }),
    subject,
    maxFailures: failures,
    timeoutMs: timeout ?? launchLimitMs,
  };
}

type Limited = ReturnType<typeof limits> & { readonly seed: number; readonly first: number };

async function oneProcess(
  limited: Limited,
  executors: readonly KernelExecutor[],
  options: FuzzCommandOptions,
  console: Console,
  { onOpened, onProgress, onFailure }: Events,
): Promise<FuzzResult> {
  onOpened(executors.map((executor) => executor.describe()));
  const progress = progressOf(options, console, onProgress);
  try {
    return await fuzz({ ...limited, matrix: options.matrix, executors, onFailure, onProgress: progress.update });
  } finally {
    progress.stop();
  }
}

async function manyProcesses(
  limited: Limited,
  options: FuzzCommandOptions,
  console: Console,
  { onOpened, onProgress, onFailure }: Events,
): Promise<FuzzResult> {
  const { on, adapter, float, matrix, plan, jobs } = options;
  const progress = progressOf(options, console, onProgress);
  try {
    return await fuzzInProcesses({
      ...limited,
      on,
      float,
      matrix,
      adapter,
      plan,
      compileTimeoutMs: options.compileTimeout,
      jobs,
      onOpened(reports) {
        console.err(`${reports.map(describeExecutor).join('\n')}\n`);
        const software = reports.find(({ adapter: found }) => found?.software);
        if (options.requireHardware && software) {
          throw new GpuError('unavailable', `${software.name}: a software adapter, which --require-hardware refuses`);
        }
        onOpened(reports);
      },
      onFailure,
      onProgress: progress.update,
    });
  } finally {
    progress.stop();
  }
}

function progressOf(
  { count, seconds = defaultMs }: FuzzCommandOptions,
  console: Console,
  onProgress: (tally: FuzzTally) => void,
) {
  const progress = startProgress(console.errStream, count === undefined ? 's' : 'kernels');
  const start = performance.now();
  return {
    update(tally: FuzzTally): void {
      const { kernels, compared, failures } = tally;
      const label = `${grouped(kernels)} kernels, ${grouped(compared)} values, ${failures} failures`;
      const done = count === undefined ? Math.min(performance.now() - start, seconds) / 1000 : kernels;
      progress.update(Math.round(done), count ?? Math.round(seconds / 1000), label);
      onProgress(tally);
    },
    stop: () => progress.stop(),
  };
}

function describeFailure(
  { seed, index, minimal }: FuzzFailure,
  path: string,
  options: FuzzCommandOptions,
  { errColors }: Console,
): string {
  const { launch, disagreement } = minimal;
  const { executor, kind, message } = disagreement;
  const on = executor === 'reference' ? 'cpu' : executor;
  const more = [reproducingOptions(options)].filter(Boolean).map((text) => ` ${text}`);
  const subject = options.subject === undefined ? [] : [` --subject ${options.subject}`];
  return [
    errColors.red(`✗ kernel ${index} of seed ${seed} on ${executor}: ${kind}`),
    ...message
      .split('\n')
      .slice(0, 12)
      .map((line) => `  ${line}`),
    `  block ${launch.block.join(',')}, grid ${launch.grid.join(',')}; its body:`,
    ...bodyLines(launch.ptx).map((line) => errColors.dim(`  ${line}`)),
    `  the minimal case: npx lanewise run ${path} --on ${on}${more.join('')}`,
    `  from the start:   npx lanewise fuzz --seed ${seed} --first ${index} --count 1 --on ${on}${[...more, ...subject].join('')}`,
  ].join('\n');
}

function failureRecord({ seed, index, disagreement, minimal }: FuzzFailure, path: string): object {
  const { executor, kind } = disagreement;
  const { message } = minimal.disagreement;
  return {
    seed,
    index,
    executor,
    kind,
    message,
    case: path,
    block: minimal.launch.block,
    body: bodyLines(minimal.launch.ptx),
  };
}

/**
 * Whether too many kernels were dropped. The behavior of generated kernels is defined, so if the
 * reference drops many of them as undefined, the reference or the generator is wrong.
 */
function dropsTooMany({ kernels, dropped }: FuzzResult): boolean {
  const drops = Object.entries(dropped).reduce((sum, [why, count]) => sum + (why === optimizerFlaw ? 0 : count), 0);
  return drops > 2 && drops > (kernels + drops) * 0.01;
}

function verdict(result: FuzzResult, { on }: FuzzCommandOptions, ms: number, { outColors }: Console): string {
  const { kernels, compared, dropped, failures, found } = result;
  const reasons = Object.entries(dropped).map(([reason, count]) => `${count} ${reason}`);
  const drops = reasons.length > 0 ? `; no tests: ${reasons.join(', ')}` : '';
  const what = `${grouped(kernels)} kernels, ${grouped(compared)} values compared on ${on.join(', ')} (${(ms / 1000).toFixed(1)} s)${drops}`;
  if (dropsTooMany(result))
    return outColors.red(`Too many kernels have undefined behavior, so the reference may be wrong: ${what}`);
  if (compared === 0) return outColors.red(`Nothing was checked: ${what}`);
  return failures === 0
    ? outColors.green(`All agree: ${what}`)
    : outColors.red(`${failures} failures, ${found.length} of them distinct: ${what}`);
}
