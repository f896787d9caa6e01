// The cases of `lanewise run`.

import type { Launch } from '../base/launch.ts';
import { printable } from '../base/printable.ts';
import {
  type ExecutorName,
  executorNameOf,
  type KernelExecutor,
  type RunOptions,
} from '../harness/executors/executor.ts';
import { translateAhead } from '../harness/executors/launch-program.ts';
import { likelyAdapter } from '../harness/executors/preflight-store.ts';
import { githubAnnotations } from '../harness/report/github.ts';
import { jsonDocument } from '../harness/report/json.ts';
import { describeFailure, grouped } from '../harness/report/text.ts';
import { exitCodeOf, exitCodes, type Result, totals } from '../harness/runs/results.ts';
import { runCase } from '../harness/runs/run-case.ts';
import { translate } from '../translate/index.ts';
import type { Console } from './console.ts';
import { type Opening, openedExecutors } from './open-executors.ts';
import { type RunCommandOptions, reproducingOptions } from './options.ts';
import { readCases, unreadableResults } from './read-cases.ts';
import { toJson, toolRecord } from './report-files.ts';

/** Runs the readable cases while executors are still opening. Returns the exit code. */
export async function runCases(
  paths: readonly string[],
  options: RunCommandOptions,
  console: Console,
  { opening, reference }: { readonly opening: Opening; readonly reference: KernelExecutor },
): Promise<number> {
  const started = new Date();
  const { launches, unreadable } = readCases(paths, console);
  const print = options.json ? console.err : console.out;
  const colors = options.json ? console.errColors : console.outColors;
  const limit = options.timeout === undefined ? {} : { timeoutMs: options.timeout };
  const results: Result[] = [];
  const [first] = launches;
  if (first !== undefined) {
    const begun = startedWith(first.launch, reference, limit);
    translateForLikely(first.launch, options);
    const executors = await openedExecutors(opening, options, console);
    for (const { path, launch } of launches) {
      const some = await runCase(launch, executors, {
        path,
        reference: begun,
        color: colors.isColorSupported,
        reproduceWith: reproduceWith(options),
        ...limit,
        ...(options.optimize === undefined ? {} : { optimize: options.optimize }),
      });
      for (const result of some) print(`${caseLine(result, colors)}\n${printedLines(result)}`);
      results.push(...some);
    }
  }
  results.push(...unreadableResults(unreadable, options.on));
  if (options.json) {
    const ms = Date.now() - started.getTime();
    const record = { command: 'run', query: paths, started: started.toISOString(), ms } as const;
    console.out(toJson(jsonDocument(toolRecord(), record, results)));
  }
  if (process.env.GITHUB_ACTIONS) for (const line of githubAnnotations(results)) console.annotate(line);
  if (first === undefined) return exitCodes.usage;
  const passed = results.filter(({ status }) => status === 'pass').length;
  const sums = totals(results);
  print(
    `${passed} of ${results.length} passed; ${grouped(sums.compared)} elements compared, ${grouped(sums.undefined)} undefined by PTX, ${grouped(sums.mismatches)} mismatches\n`,
  );
  return exitCodeOf(results);
}

/** Returns an executor whose first run, that of `first`, has already started. */
function startedWith(first: Launch, executor: KernelExecutor, options: RunOptions): KernelExecutor {
  const running = executor.run(first, options);
  running.catch(() => undefined);
  return { ...executor, run: (launch, more) => (launch === first ? running : executor.run(launch, more)) };
}

/**
 * Translates for the adapter of the previous run, because this run most probably opens the same
 * adapter.
 */
function translateForLikely(launch: Launch, { on, fresh, plan, float, matrix }: RunCommandOptions): void {
  for (const host of on.flatMap((choice) => hosts[executorNameOf(choice)] ?? [])) {
    const likely = fresh ? undefined : likelyAdapter(host);
    if (likely) translateAhead(launch, translate, likely.preflight, likely, { plan, float, matrix });
  }
}

/** Patterns of `AdapterReport.host` for the executors whose measured facts are stored. */
const hosts: Partial<Record<ExecutorName, RegExp>> = {
  chrome: /^(Headless)?Chrome\//,
  dawn: /^Dawn /,
  firefox: /^Firefox\//i,
};

function reproduceWith(options: RunCommandOptions): string {
  const level = options.optimize === undefined ? '' : `--optimize ${options.optimize}`;
  return [reproducingOptions(options), level].filter(Boolean).join(' ');
}

/** Returns the kernel's own output, indented. */
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
