// `lanewise bench compile FILE|FOLDER…`: measures the time from PTX to the first result.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { GpuExecutor } from '../harness/executors/gpu-executor.ts';
import { type GpuExecutorChoice, startGpuExecutor } from '../harness/executors/open-gpu-executor.ts';
import { jsonAdapter } from '../harness/report/json.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { showCompilations } from '../harness/runs/compile-progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { compileTable, totalOf } from '../harness/survey/compile-report.ts';
import { type CompileFile, measureCompilation } from '../harness/survey/compile-times.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { BenchCommandOptions } from './bench.ts';
import { type Console, UsageError } from './console.ts';
import { ptxFilesIn } from './ptx-files.ts';
import { readKernelText } from './read-kernel-text.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

/**
 * The time limit of a compilation in milliseconds. A longer compilation is abandoned, so that the
 * measurement of a folder ends.
 */
const compileLimitMs = 20_000;
const seed = 1;

/**
 * Environment variables that disable the caches of drivers, which would hide the cost of a
 * compilation.
 */
const withoutCaches = { __GL_SHADER_DISK_CACHE: '0', MESA_SHADER_CACHE_DISABLE: 'true' } as const;

/**
 * Measures the kernels and prints the results. Returns the exit code. A kernel that is abandoned or
 * refused counts as a result, not as an error.
 */
export async function benchCompileCommand(
  paths: readonly string[],
  options: BenchCommandOptions,
  console: Console,
): Promise<number> {
  if (paths.length === 0) throw new UsageError('bench compile requires .ptx or .cu files, or folders of .ptx files');
  if (options.against !== undefined || options.from !== undefined)
    throw new UsageError('--against and --from compare the documents of throughput, not of `bench compile`');
  const files = paths.flatMap(filesAt);
  if (options.out !== undefined) probeReport(options.out);
  Object.assign(process.env, withoutCaches);
  const watch = showCompilations(console.errStream);
  const executors = await openAll(options, watch.onPhase);
  const start = performance.now();
  try {
    for (const executor of executors) console.err(`${describeExecutor(executor.describe())}\n`);
    const kernels = await measureCompilation(files, {
      executors,
      seed,
      ...(options.entry === undefined ? {} : { entry: options.entry }),
      ...(options.seconds === undefined ? {} : { ms: options.seconds }),
      onFile(file, problem) {
        if (problem !== undefined) console.err(`${file} does not parse: ${problem}\n`);
      },
      onKernel({ entry, executor, status, parts }) {
        watch.stop();
        const at = ((performance.now() - start) / 1000).toFixed(0).padStart(4);
        const total = parts === undefined ? status : `${totalOf(parts).toFixed(0)} ms`;
        console.err(`${at} s  ${entry} on ${executor}: ${total}\n`);
      },
    });
    if (kernels.length === 0) throw new UsageError('the files contain no such kernel');
    const document = {
      schemaVersion: 1,
      tool: toolRecord(),
      run: { command: 'bench compile', query: paths, float: floatOf(options), compileTimeoutMs: limitOf(options) },
      executors: executors.map((executor) => {
        const report = executor.describe();
        return { name: report.name, lanePlan: report.lanePlan?.kind ?? null, adapter: jsonAdapter(report) };
      }),
      results: kernels.map(({ parts, ...kernel }) => ({ ...kernel, ...parts })),
    };
    if (options.json) console.out(toJson(document));
    if (options.out !== undefined) writeReport(options.out, toJson(document));
    const print = options.json ? console.err : console.out;
    print(`${compileTable(kernels, options.json ? console.errColors : console.outColors)}\n`);
    if (kernels.some(({ status }) => status === 'measured' || status === 'abandoned')) return exitCodes.ok;
    return kernels.some(({ status }) => status === 'failed') ? exitCodes.device : exitCodes.usage;
  } finally {
    watch.stop();
    await Promise.all(executors.map((executor) => executor.close()));
  }
}

const limitOf = ({ compileTimeout = compileLimitMs }: BenchCommandOptions): number => compileTimeout;
const floatOf = ({ float }: BenchCommandOptions): 'exact' | 'fast' => (float === 'fast' ? 'fast' : 'exact');

function filesAt(path: string): CompileFile[] {
  const read = async (file: string): Promise<string> => (await readKernelText(file)).text;
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [{ name: path, read: () => read(path) }];
  return ptxFilesIn(path).map((file) => ({ name: join(path, file.name), read: () => read(file.path) }));
}

/**
 * Opens the executors in `--on`, or without `--on` the first one that is available. Throws
 * `UsageError` for an executor that does not compile shaders.
 */
async function openAll(
  options: BenchCommandOptions,
  onPhase: NonNullable<Parameters<typeof startGpuExecutor>[1]['onPhase']>,
): Promise<GpuExecutor[]> {
  const { on, adapter, plan, matrix, requireHardware } = options;
  const opening = { adapter, plan, matrix, float: floatOf(options), compileTimeoutMs: limitOf(options), onPhase };
  const open = async (choice: GpuExecutorChoice): Promise<GpuExecutor> =>
    await (await startGpuExecutor(choice, opening)).opened;
  const executors: GpuExecutor[] = [];
  try {
    for (const choice of on ?? (['chrome', 'dawn', 'firefox'] as const)) {
      if (choice === 'cpu' || choice === 'cuda')
        throw new UsageError(`bench compile measures shaders, which ${choice} does not compile`);
      try {
        executors.push(await open(choice));
      } catch (error) {
        const isMissing = error instanceof RangeError || (error instanceof GpuError && error.kind === 'unavailable');
        if (on !== undefined || !isMissing) throw error;
        continue;
      }
      const report = executors.at(-1)?.describe();
      if (requireHardware && report?.adapter?.software)
        throw new GpuError(
          'unavailable',
          `${describeExecutor(report)}: a software adapter, which --require-hardware refuses`,
        );
      if (on === undefined) break;
    }
    if (executors.length === 0)
      throw new GpuError('unavailable', 'no browser or driver of this machine has the adapter');
    return executors;
  } catch (error) {
    await Promise.all(executors.map((executor) => executor.close()));
    throw error;
  }
}
