// `lanewise litmus`
import { existsSync, readFileSync } from 'node:fs';
import { engineOf, isSoftware, type KernelExecutor } from '../harness/executors/executor.ts';
import { histogramText, litmusJson, litmusResult } from '../harness/litmus/litmus-text.ts';
import { mutantsOf } from '../harness/litmus/mutants.ts';
import { hardwareSizes, softwareSizes } from '../harness/litmus/plan.ts';
import { progressTests, runProgress } from '../harness/litmus/progress.ts';
import { type LitmusResult, runLitmus, weakCount } from '../harness/litmus/run-litmus.ts';
import { builtInTests, defaultTests } from '../harness/litmus/select-tests.ts';
import { jsonAdapter, jsonDocument } from '../harness/report/json.ts';
import { failureOf } from '../harness/runs/failure.ts';
import { exitCodeOf, exitCodes, type Result } from '../harness/runs/results.ts';
import { freshSeed } from '../harness/suites/random.ts';
import { type LitmusTest, parseLitmus, verdictOf } from '../memory-model/index.ts';
import { type Console, UsageError } from './console.ts';
import { withExecutors } from './open-executors.ts';
import type { ExecutorOptions } from './options.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface LitmusCommandOptions extends ExecutorOptions {
  readonly launches?: number;
  readonly seconds: number;
  readonly seed?: number;
  readonly mutants?: boolean;
  readonly progress?: boolean;
  readonly list?: boolean;
  readonly out?: string;
}

/** The default number of launches of a test: on software adapters and the reference, and on hardware. */
const smallLaunches = 8;
const manyLaunches = 256;

/** The maximum number of blocks of a test of progress, and the limit of its waits. */
const smallProgress = { blocks: 64, polls: 1 << 13 };
const manyProgress = { blocks: 65_535, polls: 1 << 16 };

const isSmall = (executor: KernelExecutor): boolean => engineOf(executor.name) === 'reference' || isSoftware(executor);

interface MutantResult {
  readonly change: string;
  readonly result: LitmusResult;
}

/**
 * Runs litmus tests on every executor. The exit code is 1 if an executor shows an outcome that PTX
 * forbids, or if a file expects another verdict than the model's.
 */
export async function litmusCommand(
  names: readonly string[],
  options: LitmusCommandOptions,
  console: Console,
): Promise<number> {
  const tests = names.length === 0 ? defaultTests() : names.flatMap(testsOf);
  if (options.list) {
    for (const test of tests) console.out(`${test.name}: ${verdictOf(test)}: ${test.conditionText}\n`);
    return exitCodes.ok;
  }
  const wrong = tests.filter((test) => test.expectation !== 'exists' && test.expectation !== verdictOf(test));
  for (const test of wrong)
    console.err(`${test.name}: the file says ${test.expectation}, PTX says ${verdictOf(test)}\n`);
  if (options.out !== undefined) probeReport(options.out);
  const seed = options.seed ?? freshSeed();
  console.err(`seed ${seed}\n`);
  const report = new Report(options.out, names, seed);
  return withExecutors(options, console, async (executors) => {
    let code: number = wrong.length > 0 ? exitCodes.mismatch : exitCodes.ok;
    const documents: unknown[] = [];
    for (const executor of executors) {
      const results: unknown[] = [];
      const progress = options.progress ? await runProgressTests(executor, options, console) : undefined;
      for (const test of options.progress ? [] : tests) {
        const own = await runTest(test, executor, { ...options, seed }, console);
        code = Math.max(code, own.code);
        results.push(own.json);
        report.add(own.results.map((result) => litmusResult(result, executor.describe())));
      }
      documents.push({ executor: executor.name, adapter: jsonAdapter(executor.describe()), results, progress });
    }
    if (options.json) console.out(toJson({ seed, executors: documents }));
    return code;
  });
}

/** A report in a file, which is complete after each test. */
class Report {
  private readonly start = performance.now();
  private readonly started = new Date().toISOString();
  private readonly results: Result[] = [];
  private readonly file: string | undefined;
  private readonly query: readonly string[];
  private readonly seed: number;

  constructor(file: string | undefined, query: readonly string[], seed: number) {
    this.file = file;
    this.query = query;
    this.seed = seed;
  }

  add(results: readonly Result[]): void {
    if (this.file === undefined) return;
    this.results.push(...results);
    const { query, seed, started } = this;
    const run = { command: 'litmus', query, seed, started, ms: performance.now() - this.start } as const;
    writeReport(this.file, toJson(jsonDocument(toolRecord(), run, this.results)));
  }
}

/** Runs the tests of forward progress, and returns their results as JSON. */
async function runProgressTests(
  executor: KernelExecutor,
  { timeout, json }: LitmusCommandOptions,
  console: Console,
): Promise<readonly unknown[]> {
  const { blocks, polls } = isSmall(executor) ? smallProgress : manyProgress;
  const results: unknown[] = [];
  for (const test of progressTests(blocks)) {
    try {
      const { gaveUp } = await runProgress(test, executor, polls, timeout);
      const verdict = gaveUp === 0 ? 'progress' : `no progress: ${gaveUp} threads gave up`;
      if (!json) console.out(`${executor.name}: ${test.name}: ${verdict} (${test.what})\n`);
      results.push({ name: test.name, what: test.what, blocks: test.blocks, gaveUp });
    } catch (error) {
      const { message } = failureOf(error, console.errColors.isColorSupported);
      console.err(`${executor.name}: ${test.name}: ${message}\n`);
      results.push({ name: test.name, what: test.what, blocks: test.blocks, error: message });
    }
  }
  return results;
}

/** The tests of a file, or the built-in tests of a name or pattern. */
function testsOf(name: string): readonly LitmusTest[] {
  if (existsSync(name)) return parseLitmus({ file: name, text: readFileSync(name, 'utf8') });
  const found = builtInTests(name);
  if (found.length === 0) {
    throw new UsageError(`no file and no built-in test '${name}': \`lanewise litmus --list '*'\` lists the tests`);
  }
  return found;
}

async function runTest(
  test: LitmusTest,
  executor: KernelExecutor,
  { launches, seconds, seed, mutants, timeout, json }: LitmusCommandOptions & { readonly seed: number },
  console: Console,
): Promise<{ readonly code: number; readonly json: unknown; readonly results: readonly LitmusResult[] }> {
  const small = isSmall(executor);
  const settings = {
    sizes: small ? softwareSizes : hardwareSizes,
    launches: launches ?? (small ? smallLaunches : manyLaunches),
    seed,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
  const title = `${executor.name}: `;
  try {
    const result = await runLitmus(test, executor, settings);
    if (!json) console.out(title + histogramText(result));
    const untilShown = { launches: Number.POSITIVE_INFINITY, untilShown: true, untilMs: seconds * 1000 };
    const shown: MutantResult[] = [];
    for (const { change, test: mutant } of mutants ? mutantsOf(test) : []) {
      shown.push({ change, result: await runLitmus(mutant, executor, { ...settings, ...untilShown }) });
    }
    if (!json && shown.length > 0) console.out(mutantsText(shown));
    return {
      code: result.forbidden > 0 ? exitCodes.mismatch : exitCodes.ok,
      json: {
        ...litmusJson(result),
        mutants: shown.map((own) => ({ change: own.change, ...litmusJson(own.result) })),
      },
      results: [result, ...shown.map((own) => own.result)],
    };
  } catch (error) {
    const failure = failureOf(error, console.errColors.isColorSupported);
    console.err(`${title}${test.name}: ${failure.message}\n`);
    const json = { name: test.name, error: failure.message };
    return { code: exitCodeOf([{ ...failure, compared: 0 }]), json, results: [] };
  }
}

function mutantsText(mutants: readonly MutantResult[]): string {
  const lines = mutants.map(({ change, result }) => {
    const count = weakCount(result);
    return `    ${change}: ${count === 0 ? 'not shown' : `shown, ${count} of ${result.instances}`}`;
  });
  const shown = mutants.filter(({ result }) => weakCount(result) > 0).length;
  return [`  mutants: ${shown} of ${mutants.length} shown`, ...lines, ''].join('\n');
}
