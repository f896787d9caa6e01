// `lanewise run FILE.ptx|FILE.cu ARG…`

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';
import { fieldsOf } from '../base/json-value.ts';
import type { BufferParam, Launch, LaunchOutputs } from '../base/launch.ts';
import { elementText } from '../base/number-text.ts';
import { oneLine, printable } from '../base/printable.ts';
import { scalarFormats } from '../base/scalars.ts';
import { compareOutputs } from '../harness/compare/compare.ts';
import type { ExecutorRun, KernelExecutor } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { writeCase } from '../harness/launches/case-file.ts';
import { jsonDocument } from '../harness/report/json.ts';
import { describeExecutor, describeFailure, grouped } from '../harness/report/text.ts';
import { exitCodeOf, type Result } from '../harness/runs/results.ts';
import { runCase } from '../harness/runs/run-case.ts';
import { GpuError } from '../runtime/device/job.ts';
import { type Console, UsageError } from './console.ts';
import type { KernelOptions } from './kernel-file.ts';
import { type KernelLaunch, kernelLaunch } from './kernel-launch.ts';
import { type PrintChoice, type RunCommandOptions, reproducingOptions } from './options.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface RunKernelOptions extends RunCommandOptions, KernelOptions {
  readonly print?: readonly PrintChoice[];
  readonly save?: string;
  /** True if `--on` was not given: any available executor will do. */
  readonly anyExecutor?: boolean;
}

/** The number of a buffer's elements printed without --print, and of differences listed. */
const shownElements = 16;

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
  const reference = await openExecutor('cpu');
  const open: KernelExecutor[] = [];
  try {
    const { executors, missing } = await openForKernel(options, console, open);
    const { results, runs } = await runOn(kernel.launch, executors, reference, { ...options, words }, console);
    const buffers = writtenBuffers(kernel, runs);
    for (const result of results) print(`${resultText(kernel, result, buffers, console, options)}\n`);
    if (results.some(({ status }) => status === 'fail')) {
      print(`    to look for undefined behavior: npx lanewise check ${words}\n`);
    }
    printPrinted(results, print);
    for (const text of bufferTexts(kernel.launch, buffers, runs, options.print)) print(`${text}\n`);
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
        }),
      );
    }
    if (missing !== undefined) throw missing;
    return exitCodeOf(results);
  } finally {
    await Promise.all([...open, reference].map((executor) => executor.close()));
  }
}

/** Returns the arguments that repeat this launch, quoted for a shell. */
export function commandWords(
  file: string,
  args: readonly string[],
  { entry, grid, block, shared }: KernelOptions,
): string {
  const options = [
    ...(entry === undefined ? [] : ['--entry', entry]),
    ...(grid === undefined ? [] : ['--grid', grid.join(',')]),
    ...(block === undefined ? [] : ['--block', block.join(',')]),
    ...(shared === undefined ? [] : ['--shared', String(shared)]),
  ];
  const quoted = (word: string): string => (/^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  return [file, ...options, ...args].map(quoted).join(' ');
}

interface Opened {
  readonly executors: readonly KernelExecutor[];
  /** Why no executor could be opened. */
  readonly missing?: GpuError;
}

/**
 * Opens the executors that --on names. Without --on, opens the first one available; if there is
 * none, the reference runs alone.
 */
async function openForKernel(
  { on, anyExecutor, adapter, float, plan, fresh, requireHardware }: RunKernelOptions,
  console: Console,
  open: KernelExecutor[],
): Promise<Opened> {
  const choices = anyExecutor ? (['chrome', 'dawn', 'firefox'] as const) : on;
  const failures: GpuError[] = [];
  for (const choice of choices) {
    try {
      const executor = await openExecutor(choice, { adapter, float, plan, facts: fresh ? 'measured' : 'kept' });
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
      // An adapter that one executor does not know may belong to another one.
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
  /** The runs by executor. */
  readonly runs: ReadonlyMap<string, ExecutorRun>;
}

async function runOn(
  launch: Launch,
  executors: readonly KernelExecutor[],
  reference: KernelExecutor,
  { timeout, optimize, words, ...others }: RunKernelOptions & { readonly words: string },
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
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(optimize === undefined ? {} : { optimize }),
  });
  return { results, runs };
}

interface WrittenBuffer {
  readonly index: number;
  readonly param: BufferParam;
  /** The number of elements that a thread wrote; undefined if the reference did not run. */
  readonly written: number | undefined;
}

/**
 * Returns the buffers that the kernel wrote in the reference. If the reference failed, returns
 * those that it may write.
 */
function writtenBuffers({ launch, parameters }: KernelLaunch, runs: ReadonlyMap<string, ExecutorRun>): WrittenBuffer[] {
  const writers = runs.get('cpu')?.writers;
  return launch.params.flatMap((param, index): WrittenBuffer[] => {
    if (param.kind !== 'buffer') return [];
    const threads = writers?.get(index);
    if (writers === undefined) return parameters[index]?.writes ? [{ index, param, written: undefined }] : [];
    const { bytes: width } = scalarFormats[param.type];
    let written = 0;
    for (let at = 0; threads !== undefined && at < threads.length; at += width) {
      if (threads.subarray(at, at + width).some((thread) => thread >= 0)) written++;
    }
    return written === 0 ? [] : [{ index, param, written }];
  });
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

function resultText(
  { launch }: KernelLaunch,
  result: Result,
  buffers: readonly WrittenBuffer[],
  { outColors, errColors }: Console,
  { json }: RunKernelOptions,
): string {
  const colors = json ? errColors : outColors;
  if (result.status !== 'pass') {
    // If the reference runs alone, there is nothing to compare it with.
    if (result.executor.name === 'cpu' && result.status === 'error' && result.errorKind === 'other') {
      return `– ${oneLine(launch.id)} ran on the reference interpreter alone: nothing was compared`;
    }
    return describeFailure(result, colors);
  }
  const written = buffers.reduce((sum, { written = 0 }) => sum + written, 0);
  const undefinedText = result.undefined > 0 ? `, ${grouped(result.undefined)} undefined by PTX` : '';
  const note = result.message === '' ? '' : `\n    ${result.message}`;
  return `${colors.green('✓')} agrees with the reference on ${describeExecutor(result.executor)}: ${grouped(written)} elements written, ${grouped(result.compared)} compared${undefinedText}, ${result.ms.toFixed(1)} ms${note}`;
}

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

/** Returns the outputs to show: an adapter's, or the reference's. */
function shownOutputs(runs: ReadonlyMap<string, ExecutorRun>): LaunchOutputs {
  const [first] = [...runs].filter(([name]) => name !== 'cpu');
  return (first?.[1] ?? runs.get('cpu'))?.outputs ?? new Map();
}

function checkPrints({ launch }: KernelLaunch, prints: readonly PrintChoice[] = []): void {
  for (const { name } of prints) {
    if (launch.params.some((param) => param.kind === 'buffer' && param.name === name)) continue;
    const names = launch.params.flatMap((param) => (param.kind === 'buffer' ? [param.name] : []));
    throw new UsageError(
      `--print ${name}: unknown buffer; expected ${names.join(', ') || 'no name, since the kernel has no buffers'}`,
    );
  }
}

interface ShownBuffer {
  readonly index: number;
  readonly param: BufferParam;
  readonly written: number | undefined;
  readonly count: number;
}

/** Returns the buffers that --print names, or else the written ones. */
function chosenBuffers(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  prints: readonly PrintChoice[] | undefined,
): ShownBuffer[] {
  if (prints === undefined) return buffers.map((buffer) => ({ ...buffer, count: shownElements }));
  return prints.flatMap(({ name, count = shownElements }) => {
    const index = launch.params.findIndex((param) => param.name === name);
    const param = launch.params[index];
    const written = buffers.find((buffer) => buffer.index === index)?.written;
    return param?.kind === 'buffer' ? [{ index, param, written, count }] : [];
  });
}

function bufferTexts(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  runs: ReadonlyMap<string, ExecutorRun>,
  prints: readonly PrintChoice[] | undefined,
): string[] {
  const outputs = shownOutputs(runs);
  const masks = runs.get('cpu')?.undefinedMasks;
  const chosen = chosenBuffers(launch, buffers, prints);
  if (chosen.length === 0 && runs.size > 0) return ['the kernel wrote no buffer'];
  return chosen.flatMap(({ index, param, written, count }) => {
    const bytes = outputs.get(index);
    if (bytes === undefined) return [];
    const { bytes: width } = scalarFormats[param.type];
    const total = Math.floor(bytes.length / width);
    const mask = masks?.get(index);
    const isUndefined = (element: number): boolean =>
      mask?.subarray(element * width, (element + 1) * width).some((bits) => bits !== 0) === true;
    const values = Array.from({ length: Math.min(count, total) }, (_, element) =>
      isUndefined(element) ? 'undefined' : elementText(param.type, bytes, element),
    );
    const writtenText = written === undefined ? '' : `, ${grouped(written)} written`;
    const left = total - values.length;
    const more = left > 0 ? [`  … ${grouped(left)} more (--print ${param.name}:${total} prints all)`] : [];
    return [
      [
        `${oneLine(param.name, 100)}: ${param.type}[${total}]${writtenText}`,
        ...rowsOf(values),
        ...more,
        ...differenceLines(launch, index, param, runs),
      ].join('\n'),
    ];
  });
}

/** Formats values in rows of eight aligned columns. */
function rowsOf(values: readonly string[]): string[] {
  const perRow = 8;
  const width = values.reduce((most, { length }) => Math.max(most, length), 0);
  const labels = String(Math.max(0, values.length - 1)).length + 2;
  return Array.from({ length: Math.ceil(values.length / perRow) }, (_, row) => {
    const cells = values.slice(row * perRow, (row + 1) * perRow).map((value) => value.padStart(width));
    return `  ${`[${row * perRow}]`.padStart(labels)}  ${cells.join('  ')}`;
  });
}

/** Returns lines for the first elements in which an executor and the reference differ. */
function differenceLines(
  launch: Launch,
  index: number,
  param: BufferParam,
  runs: ReadonlyMap<string, ExecutorRun>,
): string[] {
  const reference = runs.get('cpu');
  const wanted = reference?.outputs.get(index);
  if (reference === undefined || wanted === undefined) return [];
  const { bytes: width } = scalarFormats[param.type];
  return [...runs].flatMap(([name, run]) => {
    const got = run.outputs.get(index);
    if (name === 'cpu' || got === undefined) return [];
    const lines: string[] = [];
    const { params, ...rest } = launch;
    let count = 0;
    for (let element = 0; (element + 1) * width <= wanted.length; element++) {
      const part = (bytes: Uint8Array | undefined) => bytes?.subarray(element * width, (element + 1) * width);
      if (Buffer.compare(part(wanted) ?? wanted, part(got) ?? got) === 0) continue;
      // Compares one element as a buffer of its own, because the comparison handles tolerances and
      // undefined bits.
      const one: Launch = {
        ...rest,
        params: params.map((each, at) => (at === index ? { ...param, bytes: width } : each)),
      };
      const mask = part(reference.undefinedMasks?.get(index));
      const { mismatches } = compareOutputs(
        one,
        new Map([[index, part(wanted) ?? wanted]]),
        new Map([[index, part(got) ?? got]]),
        {
          ...(mask === undefined ? {} : { undefinedMasks: new Map([[index, mask]]) }),
        },
      );
      if (mismatches === 0) continue;
      if (++count <= shownElements) {
        lines.push(
          `    [${element}]  reference ${elementText(param.type, wanted, element)}, ${name} ${elementText(param.type, got, element)}`,
        );
      }
    }
    if (count > shownElements) lines.push(`    … and ${grouped(count - shownElements)} more`);
    return count === 0
      ? []
      : [`  ${grouped(count)} ${count === 1 ? 'element differs' : 'elements differ'} on ${name}:`, ...lines];
  });
}

function jsonKernel({ title, launch }: KernelLaunch): object {
  const { entry, grid, block, sharedBytes } = launch;
  return { name: title, entry, grid, block, sharedBytes };
}

function jsonBuffers(
  launch: Launch,
  buffers: readonly WrittenBuffer[],
  runs: ReadonlyMap<string, ExecutorRun>,
  prints: readonly PrintChoice[] | undefined,
): object[] {
  const outputs = shownOutputs(runs);
  return chosenBuffers(launch, buffers, prints).map(({ index, param, written, count }) => {
    const bytes = outputs.get(index) ?? new Uint8Array(); // Absent: no executor finished.
    const total = Math.floor(bytes.length / scalarFormats[param.type].bytes);
    const values = Array.from({ length: Math.min(count, total) }, (_, element) =>
      elementText(param.type, bytes, element),
    );
    return { name: param.name, type: param.type, elements: total, written: written ?? null, values };
  });
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

/** Replaces an existing file of that name only if the replaced case refers to it too. */
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
