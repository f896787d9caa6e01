// `lanewise bench`

import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { PlanKind } from '../base/lane-plan.ts';
import type { MatrixMode } from '../base/matrix-mode.ts';
import { rateText } from '../base/rate.ts';
import { type BenchDocument, readDocument } from '../harness/bench/document.ts';
import type { BenchEntry } from '../harness/bench/entries/entry.ts';
import type { Measurement } from '../harness/bench/measure.ts';
import { type Bar, ratioPlot } from '../harness/bench/plot.ts';
import { benchTables, jsonEntries, jsonMeans } from '../harness/bench/report.ts';
import { type BenchResults, nativeRatio, seriesOf } from '../harness/bench/results.ts';
import { type EntryResults, runEntries } from '../harness/bench/run.ts';
import type { ToolMeasurement } from '../harness/bench/tool.ts';
import {
  type ExecutorChoice,
  executorNameOf,
  type FloatMode,
  isNative,
  isSoftware,
  type MeasuringExecutor,
} from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { jsonAdapter } from '../harness/report/json.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { showCompilations } from '../harness/runs/compile-progress.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { GpuError } from '../runtime/device/job.ts';
import { compareWith, comparisonExit, comparisonText, readBenchFile } from './bench-against.ts';
import { benchSelection, sampling, selectEntries } from './bench-selection.ts';
import { type Console, UsageError } from './console.ts';
import { type KernelOptions, refuseKernelOptions } from './kernel-file.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

export interface BenchCommandOptions extends KernelOptions {
  /**
   * The executors. If it is undefined, every executor of this machine is used, but at most one
   * software adapter.
   */
  readonly on?: readonly ExecutorChoice[];
  readonly adapter?: string;
  readonly plan?: PlanKind;
  readonly requireHardware?: boolean;
  readonly float: FloatMode | 'both';
  readonly matrix?: MatrixMode;
  readonly seconds?: number;
  /** The time limit of a compilation by the driver, in milliseconds. */
  readonly compileTimeout?: number;
  readonly json?: boolean;
  /**
   * The file of the document. If it is undefined, the document is written to `defaultOut`, or
   * printed with --json.
   */
  readonly out?: string;
  readonly list?: boolean;
  /** The document with which to compare this run. */
  readonly against?: string;
  /** The document to compare with `against`. If it is defined, nothing is measured. */
  readonly from?: string;
  /** The maximum difference of medians in percent. */
  readonly tolerance: number;
}

/** Compares two documents without measuring. */
function compareFiles(
  from: string,
  before: BenchDocument | undefined,
  queries: readonly string[],
  { against = '', tolerance, json }: BenchCommandOptions,
  console: Console,
): number {
  if (!before)
    throw new UsageError('--from compares documents instead of measuring: name the earlier document with --against');
  if (queries.length > 0) throw new UsageError('--from compares whole documents: remove the selection');
  const comparison = compareWith(against, before, readBenchFile(from), tolerance);
  const print = json ? console.err : console.out;
  if (json) console.out(toJson({ schemaVersion: 1, before: against, after: from, ...comparison }));
  print(comparisonText(against, comparison));
  return comparisonExit(comparison);
}

const defaultOut = 'reports/bench.json';

/**
 * The time limit for measurements on a software adapter, in milliseconds. With this limit, a whole
 * run takes at most three minutes.
 */
const softwareLimitMs = 90_000;

export async function benchCommand(
  queries: readonly string[],
  options: BenchCommandOptions,
  console: Console,
): Promise<number> {
  refuseKernelOptions(options);
  const before = options.against === undefined ? undefined : readBenchFile(options.against);
  if (options.from !== undefined) return compareFiles(options.from, before, queries, options, console);
  const asked = benchSelection(queries);
  // The adapter determines the length of loops, but not the ids.
  const all = selectEntries(asked, false);
  if (options.list) {
    console.out([...all.map(({ id }) => id), ''].join('\n'));
    return exitCodes.ok;
  }
  const out = options.out ?? (options.json ? undefined : defaultOut);
  if (out !== undefined) probeReport(out);
  const started = new Date();
  const machines: MeasuringExecutor[] = [];
  const missing: string[] = [];
  try {
    await openMachines(options, console, machines, missing);
    const onSoftware = machines.some(isSoftware);
    const results = await measureEntries(selectEntries(asked, onSoftware), machines, options, console);
    const reports = machines.map((machine) => machine.describe());
    const opened = measuring(options.on).filter((choice) =>
      machines.some(({ name }) => name === executorNameOf(choice)),
    );
    // The next measurement opens its own session.
    await Promise.all(machines.splice(0).map((machine) => machine.close()));
    const tool = asked.sections.has('tool') ? await measureToolItself(opened, onSoftware, options, console) : [];
    const whole: BenchResults = { ...results, tool, notes: [...missing, ...results.notes] };
    const document = {
      schemaVersion: 2,
      tool: toolRecord(),
      run: {
        command: 'bench',
        query: queries,
        float: options.float,
        ...(options.matrix ? { matrix: options.matrix } : {}),
        started: started.toISOString(),
        ms: Date.now() - started.getTime(),
      },
      machine: machineRecord(),
      executors: reports.map((report) => ({
        name: report.name,
        lanePlan: report.lanePlan?.kind ?? null,
        adapter: jsonAdapter(report),
        limits: isNative(report.name) ? report.adapter?.limits : undefined,
      })),
      ...documentBody(whole),
    };
    const print = options.json ? console.err : console.out;
    print(`${benchTables(whole, console.outColors)}\n\n`);
    const written = out === undefined ? [] : writeReports(whole, out, document);
    const comparison = before && compareWith(options.against ?? '', before, readDocument(document), options.tolerance);
    if (options.json)
      console.out(toJson(comparison ? { ...document, against: { file: options.against, ...comparison } } : document));
    if (comparison) print(comparisonText(options.against ?? '', comparison));
    if (written.length > 0) print(`Report: ${written.join(', ')}\n`);
    const code = exitCode(whole, missing.length > 0 && options.on !== undefined);
    return code === exitCodes.ok && comparison ? comparisonExit(comparison) : code;
  } finally {
    await Promise.all(machines.map((machine) => machine.close()));
  }
}

type MeasuringChoice = Exclude<ExecutorChoice, 'cpu'>;

/**
 * Returns the executors on which to measure: the requested ones, or all that a machine may have.
 */
function measuring(on: readonly ExecutorChoice[] = ['chrome', 'dawn', 'cuda']): MeasuringChoice[] {
  return on.filter((choice): choice is MeasuringChoice => choice !== 'cpu');
}

/**
 * Opens the executors on which to measure. Adds them to `machines`, and the reasons why others
 * could not be opened to `missing`. Throws `GpuError` 'unavailable' if none can be opened.
 */
export async function openMachines(
  options: BenchCommandOptions,
  console: Console,
  machines: MeasuringExecutor[],
  missing: string[],
): Promise<void> {
  const { on, adapter, plan, matrix, requireHardware } = options;
  const { onPhase } = showCompilations(console.errStream);
  for (const choice of measuring(on)) {
    const name = executorNameOf(choice);
    if (on === undefined && name === 'dawn' && machines.some(isSoftware)) continue;
    try {
      const machine = await openExecutor(choice, {
        adapter,
        plan,
        matrix,
        compileTimeoutMs: options.compileTimeout,
        onPhase,
      });
      const refused = requireHardware && isSoftware(machine);
      if (!refused) machines.push(machine);
      const line = describeExecutor(machine.describe());
      if (refused) missing.push(`${line}: a software adapter, which --require-hardware refuses`);
      console.err(`${refused ? missing.at(-1) : line}\n`);
      if (refused) await machine.close();
    } catch (error) {
      if (!(error instanceof GpuError) || error.kind !== 'unavailable') throw error;
      missing.push(`${name} was not measured: ${error.message.split(/[\n(]/)[0]?.trim()}`);
      console.err(`${missing.at(-1)}\n`);
    }
  }
  if (machines.length === 0) throw new GpuError('unavailable', missing.join('\n') || 'no executor to measure on');
}

async function measureEntries(
  entries: readonly BenchEntry[],
  machines: readonly MeasuringExecutor[],
  { float, seconds }: BenchCommandOptions,
  console: Console,
): Promise<EntryResults> {
  const onSoftware = machines.some(isSoftware);
  const began = Date.now();
  const reference = await openExecutor('cpu');
  const measuring = runEntries({
    reference,
    ...(onSoftware ? sampling.software : sampling.hardware),
    modes: float === 'both' ? ['exact', 'fast'] : [float],
    entries,
    machines,
    limitMs: seconds ?? (onSoftware ? softwareLimitMs : undefined),
    onProgress: () => undefined,
    onMeasured({ entry, measurements }) {
      const rates = measurements.map((measurement) => {
        const name = seriesOf(measurement, entry);
        if (!measurement.rate) return `${name} ${measurement.status}: ${measurement.message}`;
        return `${name} ${rateText(measurement.rate.median, measurement.unit)}`;
      });
      const at = ((Date.now() - began) / 1000).toFixed(0).padStart(4);
      console.err(`${at} s  ${entry.id}  ${rates.join(', ')}\n`);
    },
  });
  return await measuring.finally(() => reference.close());
}

async function measureToolItself(
  on: readonly MeasuringChoice[],
  onSoftware: boolean,
  { adapter }: BenchCommandOptions,
  console: Console,
): Promise<ToolMeasurement[]> {
  const { measureTool } = await import('../harness/bench/tool.ts');
  const onProgress = (label: string): void => console.err(`tool: ${label}\n`);
  return await measureTool({ on, adapter, software: onSoftware, onProgress });
}

function documentBody(results: BenchResults): object {
  const { tool, cub, skipped, notes, shuffleLimit } = results;
  return {
    shuffleLimit: shuffleLimit ?? null,
    results: jsonEntries(results),
    means: jsonMeans(results),
    toolResults: tool,
    cub,
    skipped,
    notes,
  };
}

/** Writes the document, and a plot for each section. Returns their paths. */
function writeReports(results: BenchResults, out: string, document: object): string[] {
  writeReport(out, toJson(document));
  const written = [out];
  for (const section of ['instructions', 'kernels'] as const) {
    const plot = ratioPlot(`${section}: speed of WebGPU relative to native PTX`, barsOf(results, section));
    if (plot === undefined) continue;
    const path = `${out.replace(/\.json$/, '')}-${section}.svg`;
    writeReport(path, plot);
    written.push(path);
  }
  return written;
}

function barsOf({ entries }: BenchResults, section: BenchEntry['section']): Bar[] {
  return entries.flatMap(({ entry, measurements }) =>
    entry.section !== section
      ? []
      : measurements.flatMap((measurement) => {
          const ratio = nativeRatio(measurement, measurements);
          const name = entry.id.replace(/^kernel:/, '');
          return ratio === undefined ? [] : [{ name, series: seriesOf(measurement, entry), ratio }];
        }),
  );
}

/**
 * Returns the exit code of a run. Wrong results are a mismatch. An instruction that an older GPU
 * does not support natively is not a mismatch.
 */
function exitCode({ entries, tool }: BenchResults, lacking: boolean): number {
  const all = entries.flatMap(({ measurements }) => measurements);
  if (all.some(({ status }) => status === 'wrong')) return exitCodes.mismatch;
  if (lacking) return exitCodes.unavailable;
  const isTool = tool.length > 0 && all.every(({ status }) => status !== 'error');
  return isTool ? exitCodes.ok : exitCodeOfMeasurements(all);
}

/** Returns the exit code of measurements. A run without any measurement fails. */
export function exitCodeOfMeasurements(all: readonly Pick<Measurement, 'status'>[]): number {
  if (all.some(({ status }) => status === 'wrong')) return exitCodes.mismatch;
  if (all.some(({ status }) => status === 'error')) return exitCodes.device;
  return all.some(({ status }) => status === 'measured') ? exitCodes.ok : exitCodes.mismatch;
}

/** Returns the processor, and the clocks and power that the NVIDIA driver reports. */
function machineRecord(): object {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    gpu: nvidiaState(),
  };
}

function nvidiaState(): Readonly<Record<string, string>> | null {
  const fields = [
    'name',
    'driver_version',
    'clocks.sm',
    'clocks.max.sm',
    'clocks.mem',
    'clocks.max.mem',
    'power.draw',
    'power.limit',
    'temperature.gpu',
  ];
  try {
    const query = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader'];
    const text = execFileSync('nvidia-smi', query, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const values = text.split('\n')[0]?.split(', ') ?? [];
    return Object.fromEntries(fields.map((field, index) => [field, values[index] ?? '']));
  } catch {
    // The driver or its tools are missing.
    return null;
  }
}
