// `lanewise run`
import { printable } from '../base/printable.ts';
import type { KernelExecutor } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { githubAnnotations } from '../harness/report/github.ts';
import { jsonDocument } from '../harness/report/json.ts';
import { describeFailure, grouped } from '../harness/report/text.ts';
import { exitCodeOf, exitCodes, type Result, totals } from '../harness/runs/results.ts';
import { runCase } from '../harness/runs/run-case.ts';
import type { Console } from './console.ts';
import { withExecutors } from './open-executors.ts';
import { type ExecutorOptions, reproducingOptions } from './options.ts';
import { readCases, unreadableResults } from './read-cases.ts';
import { toJson, toolRecord } from './report-files.ts';

export interface RunCommandOptions extends ExecutorOptions {
  readonly optimize?: number;
  readonly fresh?: boolean;
}

export async function runCommand(
  paths: readonly string[],
  options: RunCommandOptions,
  console: Console,
): Promise<number> {
  const { launches, unreadable } = readCases(paths, console);
  const started = new Date();
  const print = options.json ? console.err : console.out;
  const colors = options.json ? console.errColors : console.outColors;
  const runAll = async (executors: readonly KernelExecutor[], reference: KernelExecutor): Promise<Result[]> => {
    const all: Result[] = [];
    for (const { path, launch } of launches) {
      const some = await runCase(launch, executors, {
        path,
        reference,
        color: colors.isColorSupported,
        reproduceWith: reproduceWith(options),
        ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
        ...(options.optimize === undefined ? {} : { optimize: options.optimize }),
      });
      for (const result of some) print(`${caseLine(result, colors)}\n${printedLines(result)}`);
      all.push(...some);
    }
    return all;
  };
  const facts = options.fresh ? 'measured' : 'kept';
  // Without a case no browser need be opened.
  const ran =
    launches.length > 0
      ? await withExecutors({ ...options, facts }, console, (opened) => withReference(opened, runAll))
      : [];
  const results = [...ran, ...unreadableResults(unreadable, options.on)];
  if (options.json) {
    const ms = Date.now() - started.getTime();
    const record = { command: 'run', query: paths, started: started.toISOString(), ms } as const;
    console.out(toJson(jsonDocument(toolRecord(), record, results)));
  }
  if (process.env.GITHUB_ACTIONS) for (const line of githubAnnotations(results)) console.annotate(line);
  if (launches.length === 0) return exitCodes.usage;
  const passed = results.filter(({ status }) => status === 'pass').length;
  const sums = totals(results);
  print(
    `${passed} of ${results.length} passed; ${grouped(sums.compared)} elements compared, ${grouped(sums.undefined)} undefined by PTX, ${grouped(sums.mismatches)} mismatches\n`,
  );
  return exitCodeOf(results);
}

/// The reference is interpreted for every case, whether it was asked for as an executor or not.
async function withReference<T>(
  executors: readonly KernelExecutor[],
  work: (executors: readonly KernelExecutor[], reference: KernelExecutor) => Promise<T>,
): Promise<T> {
  const opened = executors.find(({ name }) => name === 'cpu');
  const reference = opened ?? (await openExecutor('cpu'));
  try {
    return await work(executors, reference);
  } finally {
    if (!opened) await reference.close();
  }
}

function reproduceWith(options: RunCommandOptions): string {
  const level = options.optimize === undefined ? '' : `--optimize ${options.optimize}`;
  return [reproducingOptions(options), level].filter(Boolean).join(' ');
}

/// What the kernel printed, further in than what is said about it.
function printedLines({ printed }: Result): string {
  if (printed === undefined) return '';
  const text = printable(printed).replace(/^(?=.)/gm, '    ');
  return text.endsWith('\n') ? text : `${text}\n`;
}

function caseLine(result: Result, colors: Console['outColors']): string {
  if (result.status !== 'pass') return describeFailure(result, colors);
  const { id, executor, compared, undefined: undefinedCount, ms, message } = result;
  const undefinedText = undefinedCount > 0 ? `, ${grouped(undefinedCount)} undefined` : '';
  const note = message ? `  (${message.split('\n')[0]})` : '';
  return `${colors.green('✓')} ${id} on ${executor.name}: ${grouped(compared)} elements${undefinedText}, ${ms.toFixed(1)} ms${note}`;
}
