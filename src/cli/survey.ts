// `lanewise survey`
import { join } from 'node:path';
import type { ExecutorReport } from '../harness/executors/executor.ts';
import { makeFolder } from '../harness/files/make-folder.ts';
import { saveCase } from '../harness/launches/case-file-node.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { startProgress } from '../harness/runs/progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { freshSeed } from '../harness/suites/index.ts';
import { random } from '../harness/suites/random.ts';
import { type SurveyFile, survey } from '../harness/survey/survey.ts';
import { SurveyTally } from '../harness/survey/tally.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { Console } from './console.ts';
import { type ExecutorOptions, reproducingOptions } from './options.ts';
import { ptxFilesIn } from './ptx-files.ts';
import { probeReport, toJson, toolRecord } from './report-files.ts';

export interface SurveyCommandOptions extends ExecutorOptions {
  readonly seed?: number;
  /** The time limit of `--seconds`, converted to milliseconds. */
  readonly seconds?: number;
  readonly jobs: number;
  readonly attempts: number;
  readonly launches: number;
  readonly filter?: string;
  readonly out: string;
}

/**
 * The time limit of a launch in milliseconds. A constructed launch runs for milliseconds, so a
 * launch that reaches this limit hangs.
 */
const launchLimitMs = 20_000;
/**
 * The time limit in milliseconds for a kernel with all its attempts, each of which may translate
 * and compile the kernel again.
 */
const kernelLimitMs = 120_000;

export async function surveyCommand(folder: string, options: SurveyCommandOptions, console: Console): Promise<number> {
  const seed = options.seed ?? freshSeed();
  const files = shuffled(ptxFilesIn(folder, options.filter), seed);
  probeReport(join(options.out, 'probe'));
  console.err(`seed ${seed}, ${files.length} files\n`);
  const { on, adapter, float, matrix, plan, jobs, attempts, launches, seconds } = options;
  const tally = new SurveyTally();
  const progress = startProgress(console.errStream, 'files');
  const start = performance.now();
  let executors: readonly string[] = [];
  let done = 0;
  try {
    await survey(files, {
      on,
      float,
      matrix,
      seed,
      jobs,
      attempts,
      launches,
      adapter,
      plan,
      ...(seconds === undefined ? {} : { ms: seconds }),
      timeoutMs: options.timeout ?? launchLimitMs,
      compileTimeoutMs: options.compileTimeout ?? options.timeout ?? launchLimitMs,
      kernelMs: kernelLimitMs,
      onOpened(reports) {
        executors = reports.map(describeExecutor);
        console.err(`${executors.join('\n')}\n`);
        refuseSoftware(options, reports);
      },
      onCompiling: (text) => progress.update(done, files.length, text),
      onFile(name, problem) {
        tally.addFile(name, problem);
        progress.update(++done, files.length, tally.line());
      },
      onKernel(kernel) {
        for (const difference of tally.addKernel(kernel)) {
          const path = save(difference.launch, options.out);
          difference.saved(path);
          const more = reproducingOptions(options);
          progress.print(
            `${console.errColors.red(`✗ ${kernel.file} ${kernel.entry} on ${difference.executor}`)}: ${difference.message.split('\n')[0]}\n` +
              `  npx lanewise run ${path} --on ${difference.executor}${more ? ` ${more}` : ''}`,
          );
        }
        progress.update(done, files.length, tally.line());
      },
    });
  } finally {
    progress.stop();
  }
  const ms = Math.round(performance.now() - start);
  if (options.json) {
    const run = { command: 'survey', seed, on, attempts, launches, executors, ms };
    console.out(toJson({ schemaVersion: 1, tool: toolRecord(), run, ...tally.document() }));
  }
  const print = options.json ? console.err : console.out;
  print(`${tally.summary()} (${(ms / 1000).toFixed(1)} s)\n`);
  return tally.passed ? exitCodes.ok : exitCodes.mismatch;
}

/**
 * Shuffles the files, so that the results are a random sample if the time limit ends the survey
 * early.
 */
function shuffled(files: readonly SurveyFile[], seed: number): SurveyFile[] {
  const numbers = random(seed, 'files');
  return files
    .map((file) => ({ file, key: numbers.u32() }))
    .sort((a, b) => a.key - b.key)
    .map(({ file }) => file);
}

function refuseSoftware({ requireHardware }: SurveyCommandOptions, reports: readonly ExecutorReport[]): void {
  const software = reports.find(({ adapter }) => adapter?.software);
  if (requireHardware && software) {
    throw new GpuError('unavailable', `${software.name}: a software adapter, which --require-hardware refuses`);
  }
}

function save(launch: Parameters<typeof saveCase>[0], folder: string): string {
  makeFolder(folder);
  return saveCase(launch, folder);
}
