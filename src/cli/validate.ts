// `lanewise validate`

import { availableParallelism } from 'node:os';
import { isNative, isSoftware, type KernelExecutor } from '../harness/executors/executor.ts';
import { githubAnnotations } from '../harness/report/github.ts';
import { htmlDocument } from '../harness/report/html.ts';
import { jsonDocument, type RunRecord } from '../harness/report/json.ts';
import { junitDocument } from '../harness/report/junit.ts';
import { describeFailure, grouped, observedTable, resultTable } from '../harness/report/text.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodeOf, exitCodes, hasFailed, totals } from '../harness/runs/results.ts';
import { type ValidateOptions, type ValidateResult, validate } from '../harness/runs/validate.ts';
import { validateInProcesses } from '../harness/runs/validate-jobs.ts';
import { guard } from '../harness/sessions/open-sessions.ts';
import { freshSeed, type PlannedLaunch, planLaunches, type Suite } from '../harness/suites/index.ts';
import { type Console, UsageError } from './console.ts';
import { withExecutors } from './open-executors.ts';
import { type ExecutorOptions, reproducingOptions } from './options.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface ValidateCommandOptions extends ExecutorOptions {
  readonly exhaustive?: boolean;
  readonly all?: boolean;
  readonly seed?: number;
  /** The number of processes. The default is as many as make the run faster. */
  readonly jobs?: number;
  readonly list?: boolean;
  readonly verbose?: boolean;
  readonly html?: string;
  readonly junit?: string;
}

const reportPath = 'reports/validate.json';
/** The maximum number of failures that are printed in full. The report contains all failures. */
const maxPrinted = 10;

export async function validateCommand(
  queries: readonly string[],
  options: ValidateCommandOptions,
  console: Console,
): Promise<number> {
  const seed = options.seed ?? freshSeed();
  const exhaustive = options.exhaustive === true;
  // Report a query that selects no suite before any executor is opened.
  const whole = planLaunches({ queries, seed, exhaustive });
  if (options.list) {
    console.out([...suitesOf(whole).map(({ id }) => id), ''].join('\n'));
    return exitCodes.ok;
  }
  for (const path of [options.html, options.junit]) if (path !== undefined) probeReport(path);
  const report = options.json ? undefined : defaultReport(console);
  const started = new Date();
  let brief = false;
  const results = await withExecutors(options, console, (executors) => {
    brief = isBrief(queries, options, executors);
    const plan = brief ? planLaunches({ queries, seed, exhaustive, brief }) : whole;
    const count = grouped(suitesOf(plan).length);
    console.err(`${count} suites in ${grouped(plan.length)} launches, seed ${seed}\n`);
    if (brief) console.err(`${briefNote(plan, whole)}\n`);
    const progress = startProgress(console.errStream, 'launches');
    const release = guard({ close: async () => progress.stop(), kill: () => progress.stop() });
    let printed = 0;
    const jobs = options.jobs ?? jobsFor(plan, executors);
    const { on, adapter, float, matrix } = options;
    const compileTimeoutMs = options.compileTimeout;
    const work: ValidateOptions = {
      queries,
      seed,
      exhaustive,
      brief,
      executors,
      color: console.errColors.isColorSupported,
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
      reproduceWith: reproducingOptions(options),
      onProgress({ done, total, label, failed }) {
        if (failed && printed++ < maxPrinted) progress.print(describeFailure(failed, console.errColors));
        progress.update(done, total, label);
      },
    };
    const running =
      jobs > 1
        ? validateInProcesses({ ...work, jobs, on, adapter, float, matrix, plan: options.plan, compileTimeoutMs })
        : validate(work);
    return running.finally(() => {
      progress.stop();
      release();
    });
  });
  const record: RunRecord = {
    command: 'validate',
    query: queries,
    seed,
    exhaustive,
    ...(brief ? { brief } : {}),
    started: started.toISOString(),
    ms: Date.now() - started.getTime(),
  };
  writeReports(results, record, { ...options, report }, console);
  // The suites' kernels are supported PTX. If a kernel cannot be translated, the fault is in the
  // program and not in the user's input.
  const code = exitCodeOf(results);
  return code === exitCodes.usage ? exitCodes.mismatch : code;
}

const suitesOf = (plan: readonly PlannedLaunch[]): readonly Suite[] => [
  ...new Set(plan.flatMap(({ suites }) => suites)),
];

/**
 * Returns whether a run without queries uses only some suites of every instruction. This is the
 * case if every adapter is software, which would compile for minutes.
 */
export function isBrief(
  queries: readonly string[],
  { all, exhaustive }: Pick<ValidateCommandOptions, 'all' | 'exhaustive'>,
  executors: readonly Pick<KernelExecutor, 'describe'>[],
): boolean {
  const adapters = executors.flatMap((executor) => executor.describe().adapter ?? []);
  return (
    queries.length === 0 && !all && !exhaustive && adapters.length > 0 && adapters.every(({ software }) => software)
  );
}

/**
 * Returns the number of processes with which a run is fastest. On a GPU, nearly all the time is
 * processor time, for operands, the reference and compilation. A software adapter uses one
 * processor per device for compilation. A few launches finish before other processes would have
 * started.
 */
function jobsFor(plan: readonly PlannedLaunch[], executors: readonly KernelExecutor[]): number {
  if (plan.length < 100) return 1;
  const processors = availableParallelism();
  if (executors.some(isSoftware)) return Math.min(mostSoftwareJobs, processors);
  return Math.max(1, Math.min(maxJobs, Math.floor((processors * 7) / 8)));
}

/**
 * The maximum number of processes, and that on software adapters. Each process has its own browsers
 * or drivers.
 */
const maxJobs = 16;
const mostSoftwareJobs = 4;

function briefNote(plan: readonly PlannedLaunch[], whole: readonly PlannedLaunch[]): string {
  const left = grouped(suitesOf(whole).length - suitesOf(plan).length);
  return `no GPU was found: running some suites of every instruction and leaving out ${left} (--all runs them too)`;
}

/**
 * Returns the default path of a run's report. If the path cannot be written, prints a warning and
 * returns undefined.
 */
function defaultReport(console: Console): string | undefined {
  try {
    probeReport(reportPath);
    return reportPath;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.err(`${console.errColors.yellow('warning')}: ${error.message}; the results are only printed\n`);
    return undefined;
  }
}

/**
 * Prints and writes the results. Prints first, so that the results appear even if a file cannot be
 * written.
 */
function writeReports(
  results: readonly ValidateResult[],
  record: RunRecord,
  options: ValidateCommandOptions & { readonly report: string | undefined },
  console: Console,
): void {
  const document = toJson(jsonDocument(toolRecord(), record, results));
  const command = reproducingCommand(record, options);
  if (process.env.GITHUB_ACTIONS) for (const line of githubAnnotations(results)) console.annotate(line);
  if (options.json) console.out(document);
  else console.out(`${tables(results, options, console)}\n\n`);
  const print = options.json ? console.err : console.out;
  print(`${verdict(results, record, console)}\n`);
  print(`To run the same cases again: ${command}\n`);
  if (record.brief) print(`These were some suites of every instruction. To run all of them: ${command} --all\n`);
  if (options.report) writeReport(options.report, document);
  if (options.html) writeReport(options.html, htmlDocument(toolRecord(), command, results));
  if (options.junit) writeReport(options.junit, junitDocument(results));
  const files = [options.report, options.html, options.junit].filter((path) => path !== undefined);
  if (files.length > 0) print(`Report: ${files.join(', ')}\n`);
}

/** Rows of the table for suites that are not instructions. */
const together: Readonly<Record<string, string>> = { special: 'special registers', example: 'examples' };

function tables(results: readonly ValidateResult[], { verbose }: ValidateCommandOptions, console: Console): string {
  const suites = new Map(results.map(({ id, suite }) => [id, suite]));
  const nameOf = ({ id }: { id: string }): string => {
    const suite = suites.get(id);
    const short = (!verbose && together[suite?.row ?? '']) || [suite?.row, suite?.mods].filter(Boolean).join(' ');
    return verbose ? `${short} ${suite?.form}` : short;
  };
  const rowOf = ({ id }: { id: string }): string => suites.get(id)?.row ?? id;
  return [...new Set(results.map(({ executor }) => executor.name))]
    .map((name) => {
      const own = results.filter(({ executor }) => executor.name === name);
      // Show observed lanes only for native execution. For WebGPU, they are only in the report,
      // because the values of a translation in these lanes are not those of a GPU.
      const observed = isNative(name) ? observedTable(own, rowOf, console.outColors) : '';
      const parts = [console.outColors.bold(name), resultTable(own, nameOf, console.outColors)];
      return [...parts, ...(observed ? ['', observed] : [])].join('\n');
    })
    .join('\n\n');
}

function verdict(results: readonly ValidateResult[], { ms }: RunRecord, { outColors }: Console): string {
  const { compared, cases, mismatches } = totals(results);
  const bad = results.filter(hasFailed);
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  if (compared === 0) return outColors.red(`Nothing was checked (${seconds}).`);
  if (bad.length === 0) {
    return outColors.green(
      `All ${grouped(compared)} lane results of ${grouped(cases)} cases agree with the reference (${seconds}).`,
    );
  }
  const names = bad.slice(0, 5).map(({ id, executor, status, first }) => {
    const agreement = first?.agreement ? ` (${first.agreement})` : '';
    return `  ${status}: ${id} on ${executor.name}${agreement}`;
  });
  const more = bad.length > names.length ? [`  and ${bad.length - names.length} more`] : [];
  const head = `${grouped(mismatches)} mismatches; ${bad.length} of ${results.length} suites did not pass (${seconds}):`;
  return outColors.red([head, ...names, ...more].join('\n'));
}

function reproducingCommand({ query, seed, exhaustive }: RunRecord, options: ValidateCommandOptions): string {
  return [
    'npx lanewise validate',
    ...query.map((text) => `'${text}'`),
    `--seed ${seed}`,
    ...(exhaustive ? ['--exhaustive'] : []),
    ...(options.all ? ['--all'] : []),
    `--on ${options.on.join(',')}`,
    reproducingOptions(options),
  ]
    .join(' ')
    .trimEnd();
}
