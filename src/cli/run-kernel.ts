// The command `lanewise run FILE.ptx|FILE.cu ARG…`.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { fieldsOf } from '../base/json-value.ts';
import type { Launch } from '../base/launch.ts';
import { oneLine, printable } from '../base/printable.ts';
import { shellQuoted } from '../base/shell.ts';
import type { ExecutorRun, KernelExecutor } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { writeCase } from '../harness/launches/case-file.ts';
import { noWriteAdvice } from '../harness/report/advice.ts';
import { jsonDocument } from '../harness/report/json.ts';
import { describeExecutor, describeFailure, grouped } from '../harness/report/text.ts';
import { type OnKernelPhase, showCompilations } from '../harness/runs/compile-progress.ts';
import { exitCodeOf, exitCodes, type Result } from '../harness/runs/results.ts';
import { runCase } from '../harness/runs/run-case.ts';
import { GpuError } from '../runtime/device/job.ts';
import { type Console, UsageError } from './console.ts';
import { bufferTexts, checkPrints, jsonBuffers, type WrittenBuffer, writtenBuffers } from './kernel-buffers.ts';
import { countersText, jsonCounters } from './kernel-counters.ts';
import type { KernelOptions } from './kernel-file.ts';
import { type KernelLaunch, kernelLaunch } from './kernel-launch.ts';
import { type PrintChoice, type RunCommandOptions, reproducingOptions } from './options.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface RunKernelOptions extends RunCommandOptions, KernelOptions {
  readonly print?: readonly PrintChoice[];
  readonly save?: string;
  /**
   * Whether `--on` was not given, so that the command uses the first executor that is available.
   */
  readonly anyExecutor?: boolean;
}

/**
 * Runs one kernel, compares it with the reference and prints the buffers that it wrote. Returns the
 * exit code.
 */
export async function runKernelCommand(
  file: string,
  args: readonly string[],
  options: RunKernelOptions,
  console: Console,
): Promise<number> {
  const started = new Date();
  const kernel = await kernelLaunch(file, args, options, console);
  checkPrints(kernel, options.print);
  if (options.save !== undefined) probeReport(options.save);
  const print = options.json ? console.err : console.out;
  print(`${headText(kernel)}\n`);
  const words = commandWords(file, args, options);
  const reference = await openExecutor('cpu', { matrix: options.matrix });
  const open: KernelExecutor[] = [];
  const compiling = showCompilations(console.errStream);
  try {
    const { executors, missing } = await openForKernel(options, console, open, compiling.onPhase);
    const { results: judged, runs } = await runOn(kernel.launch, executors, reference, { ...options, words }, console);
    const isAlone = missing === undefined && executors.every(({ name }) => name === 'cpu');
    const results = isAlone ? judged.map(ranAlone) : judged;
    const buffers = writtenBuffers(kernel, runs);
    for (const result of results) print(`${resultText(kernel, result, buffers, console, options)}\n`);
    if (results.some(({ status }) => status === 'fail')) {
      print(`    to look for undefined behavior: npx lanewise check ${words}\n`);
    }
    printPrinted(results, print);
    for (const text of bufferTexts(kernel.launch, buffers, runs, options.print)) print(`${text}\n`);
    if (results.some((result) => result.status === 'pass' && wroteNothing(result, buffers)))
      print(`${noWriteAdvice}\n`);
    const counters = runs.get('cpu')?.counters;
    if (counters !== undefined) print(`${countersText(kernel.launch, counters)}\n`);
    if (options.save !== undefined) console.err(`${saveKernelCase(kernel.launch, buffers, runs, options.save)}\n`);
    if (options.json) {
      const record = {
        command: 'run',
        query: [file, ...args],
        started: started.toISOString(),
        ms: Date.now() - started.getTime(),
      } as const;
      const document = jsonDocument(toolRecord(), record, results);
      console.out(
        toJson({
          ...document,
          kernel: jsonKernel(kernel),
          buffers: jsonBuffers(kernel.launch, buffers, runs, options.print),
          ...(counters === undefined ? {} : { counters: jsonCounters(kernel.launch, counters) }),
        }),
      );
    }
    if (missing !== undefined) throw missing;
    const isDone = isAlone && results.every(({ status }) => status === 'pass');
    return isDone ? exitCodes.ok : exitCodeOf(results);
  } finally {
    compiling.stop();
    await Promise.all([...open, reference].map((executor) => executor.close()));
  }
}

/** Returns the arguments that repeat this launch, quoted for a shell. */
export function commandWords(
  file: string,
  args: readonly string[],
  { entry, grid, block, cluster, shared }: KernelOptions,
): string {
  const options = [
    ...(entry === undefined ? [] : ['--entry', entry]),
    ...(grid === undefined ? [] : ['--grid', grid.join(',')]),
    ...(block === undefined ? [] : ['--block', block.join(',')]),
    ...(cluster === undefined ? [] : ['--cluster', cluster.join(',')]),
    ...(shared === undefined ? [] : ['--shared', String(shared)]),
  ];
  const quoted = (word: string): string => (/^[\w./:=,@+-]+$/.test(word) ? word : shellQuoted(word));
  return [file, ...options, ...args].map(quoted).join(' ');
}

interface Opened {
  readonly executors: readonly KernelExecutor[];
  /** The reason why no executor could be opened. */
  readonly missing?: GpuError;
}

/**
 * Opens the executors in --on, or without --on the first one that is available. If none is
 * available, only the reference runs.
 */
async function openForKernel(
  options: RunKernelOptions,
  console: Console,
  open: KernelExecutor[],
  onPhase: OnKernelPhase,
): Promise<Opened> {
  const { on, anyExecutor, adapter, float, matrix, plan, fresh, requireHardware } = options;
  const facts = fresh ? 'measured' : 'kept';
  const opening = { adapter, float, matrix, plan, facts, compileTimeoutMs: options.compileTimeout, onPhase } as const;
  const choices = anyExecutor ? (['chrome', 'dawn', 'firefox'] as const) : on;
  const failures: GpuError[] = [];
  for (const choice of choices) {
    try {
      const executor = await openExecutor(choice, opening);
      open.push(executor);
      const report = executor.describe();
      if (requireHardware && report.adapter?.software) {
        throw new GpuError(
          'unavailable',
          `${describeExecutor(report)}: a software adapter, which --require-hardware refuses`,
        );
      }
      if (anyExecutor) return { executors: [executor] };
    } catch (error) {
      const isMissing = error instanceof GpuError && error.kind === 'unavailable';
      // A RangeError means that the executor does not know the adapter's name, which may belong to
      // another executor.
      if (!anyExecutor || !(isMissing || error instanceof RangeError)) throw error;
      if (isMissing) failures.push(error);
    }
  }
  if (!anyExecutor) return { executors: [...open] };
  const [missing = new GpuError('unavailable', `no browser or driver of this machine has the adapter '${adapter}'`)] =
    failures;
  console.err('no adapter was found: these are the results of the reference\n');
  return { executors: [], missing };
}

interface Runs {
  readonly results: readonly Result[];
  readonly runs: ReadonlyMap<string, ExecutorRun>;
}

async function runOn(
  launch: Launch,
  executors: readonly KernelExecutor[],
  reference: KernelExecutor,
  { timeout, optimize, counters = false, words, ...others }: RunKernelOptions & { readonly words: string },
  console: Console,
): Promise<Runs> {
  const runs = new Map<string, ExecutorRun>();
  const keeping = (executor: KernelExecutor): KernelExecutor => ({
    ...executor,
    name: executor.name,
    describe: () => executor.describe(),
    close: () => executor.close(),
    async run(given, limits) {
      const run = await executor.run(given, limits);
      runs.set(executor.name, run);
      return run;
    },
  });
  const alone = executors.length === 0;
  const results = await runCase(launch, alone ? [keeping(reference)] : executors.map(keeping), {
    reference: keeping(reference),
    path: words,
    reproduceWith: reproducingOptions(others),
    color: console.outColors.isColorSupported,
    counters,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(optimize === undefined ? {} : { optimize }),
  });
  return { results, runs };
}

function headText({ title, launch, parameters, toleranceReason }: KernelLaunch): string {
  const { grid, block, sharedBytes } = launch;
  const shared = sharedBytes === 0 ? '' : `, ${sharedBytes} bytes of dynamic shared memory`;
  const lines = parameters.map(({ name, text }) => `  ${oneLine(name, 100)}: ${text}`);
  const note = toleranceReason === undefined ? [] : [`  floats are compared within a tolerance: ${toleranceReason}`];
  return [`${oneLine(title, 300)}, grid ${sizeText(grid)}, block ${sizeText(block)}${shared}`, ...lines, ...note].join(
    '\n',
  );
}

const sizeText = (size: readonly number[]): string => size.join(',').replace(/(,1)+$/, '');

/** Whether the reference ran the launch, but there were no results to compare. */
const isUncompared = ({ executor, status, errorKind }: Result): boolean =>
  executor.name === 'cpu' && status === 'error' && errorKind === 'other';

/**
 * Changes the error of an uncompared launch to a pass, because the user requested only the
 * reference.
 */
const ranAlone = (result: Result): Result =>
  isUncompared(result)
    ? { ...result, status: 'pass', errorKind: undefined, message: 'ran on the reference alone: nothing was compared' }
    : result;

const uncomparedText = ({ id }: Launch): string =>
  `– ${oneLine(id)} ran on the reference interpreter alone: nothing was compared`;

function resultText(
  { launch }: KernelLaunch,
  result: Result,
  buffers: readonly WrittenBuffer[],
  { outColors, errColors }: Console,
  { json }: RunKernelOptions,
): string {
  const colors = json ? errColors : outColors;
  if (result.status !== 'pass') {
    return isUncompared(result) ? uncomparedText(launch) : describeFailure(result, colors);
  }
  if (result.compared === 0) return uncomparedText(launch);
  if (wroteNothing(result, buffers))
    return `– ran on ${describeExecutor(result.executor)}, but no buffer changed, so nothing was checked`;
  const written = buffers.reduce((sum, { written = 0 }) => sum + written, 0);
  const undefinedText = result.undefined > 0 ? `, ${grouped(result.undefined)} undefined by PTX` : '';
  const note = result.message === '' ? '' : `\n    ${result.message}`;
  return `${colors.green('✓')} agrees with the reference on ${describeExecutor(result.executor)}: ${grouped(written)} elements written, ${grouped(result.compared)} compared${undefinedText}, ${result.ms.toFixed(1)} ms${note}`;
}

/**
 * Whether the launch neither wrote a buffer nor printed text, so that its agreement is not
 * significant.
 */
const wroteNothing = ({ printed }: Result, buffers: readonly WrittenBuffer[]): boolean =>
  buffers.length === 0 && printed === undefined;

function printPrinted(results: readonly Result[], print: (text: string) => void): void {
  for (const { printed } of results.slice(0, 1)) {
    if (printed !== undefined)
      print(
        `printed:\n${printable(printed)
          .replace(/^(?=.)/gm, '  ')
          .replace(/\n?$/, '\n')}`,
      );
  }
}

function jsonKernel({ title, launch }: KernelLaunch): object {
  const { entry, grid, block, cluster, sharedBytes } = launch;
  return { name: title, entry, grid, block, ...(cluster && { cluster }), sharedBytes };
}

/** Saves the launch with the reference's results as `expect`. Returns the written paths. */
function saveKernelCase(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  runs: ReadonlyMap<string, ExecutorRun>,
  path: string,
): string {
  if (!path.endsWith('.json')) throw new UsageError(`--save ${path}: the name of a case file must end in .json`);
  const expected = runs.get('cpu')?.outputs;
  const params = launch.params.map((param, index) => {
    const expect = buffers.some((buffer) => buffer.index === index) ? expected?.get(index) : undefined;
    return param.kind === 'buffer' && expect !== undefined ? { ...param, expect } : param;
  });
  const from = relative(dirname(path), launch.ptxFile);
  const isBelow = existsSync(launch.ptxFile) && from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
  const ptxName = isBelow ? from : basename(path).replace(/\.json$/, '.ptx');
  if (!isBelow) writePtx(path, ptxName, launch.ptx);
  const saved = {
    ...launch,
    id: basename(path)
      .replace(/\.json$/, '')
      .replace(/[^A-Za-z0-9_.:-]/g, '_'),
    params,
  };
  writeReport(path, writeCase(saved, ptxName, { readable: true }));
  return isBelow ? `saved ${path}` : `saved ${path} and its PTX, ${ptxName}`;
}

/**
 * Writes the PTX of a case. Replaces an existing file with other PTX only if the replaced case also
 * refers to that file.
 */
function writePtx(path: string, name: string, text: string): void {
  const file = `${dirname(path)}/${name}`;
  if (existsSync(file) && readFileSync(file, 'utf8') !== text && namedPtx(path) !== name) {
    throw new UsageError(`--save ${path}: ${file} exists and has other PTX: choose another name`);
  }
  writeReport(file, text);
}

function namedPtx(path: string): unknown {
  try {
    return fieldsOf(JSON.parse(readFileSync(path, 'utf8'))).ptx;
  } catch {
    return undefined;
  }
}
