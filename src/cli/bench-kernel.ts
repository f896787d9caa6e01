// `lanewise bench FILE.ptx|FILE.cu ARG…` and `lanewise bench CASE.json`: measures the time of one
// launch.
import type { LaunchParam } from '../base/launch.ts';
import { oneLine } from '../base/printable.ts';
import { rateText } from '../base/rate.ts';
import type { BenchEntry } from '../harness/bench/entries/entry.ts';
import { type Measurement, measure } from '../harness/bench/measure.ts';
import { isSoftware, type MeasuringExecutor } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import type { LaunchSequence, SequenceArgument } from '../harness/launches/launch-sequence.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type BenchCommandOptions, exitCodeOfMeasurements, openMachines } from './bench.ts';
import { sampling } from './bench-selection.ts';
import { caseLaunch } from './case-launch.ts';
import { type Console, UsageError } from './console.ts';
import { countersText, jsonCounters } from './kernel-counters.ts';
import { isKernelFile, refuseKernelOptions } from './kernel-file.ts';
import { type KernelLaunch, kernelLaunch } from './kernel-launch.ts';
import { probeReport, toJson, toolRecord, writeReport } from './report-files.ts';

/**
 * Compares the launch with the reference, then measures it on every executor. Returns the exit
 * code.
 */
export async function benchKernelCommand(
  file: string,
  args: readonly string[],
  options: BenchCommandOptions,
  console: Console,
): Promise<number> {
  if (options.against !== undefined || options.from !== undefined) {
    throw new UsageError('--against and --from compare whole documents, not the launch of one kernel');
  }
  const isKernel = isKernelFile(file);
  if (!isKernel) refuseKernelOptions(options);
  const kernel = isKernel ? await kernelLaunch(file, args, options, console) : caseLaunch(file, args);
  const bytes = bytesMoved(kernel);
  const entry = entryOf(kernel, bytes);
  if (options.out !== undefined) probeReport(options.out);
  const machines: MeasuringExecutor[] = [];
  const missing: string[] = [];
  const reference = await openExecutor('cpu');
  try {
    await openMachines(options, console, machines, missing);
    const measured = await measure(entry, machines, {
      reference,
      ...(machines.some(isSoftware) ? sampling.software : sampling.hardware),
      modes: options.float === 'both' ? ['exact', 'fast'] : [options.float],
    });
    const lines = measured.map((each) => lineOf(each, bytes, nativeTime(measured, bytes)));
    const print = options.json ? console.err : console.out;
    const { grid, block } = kernel.launch;
    print(`${oneLine(kernel.title, 300)}, grid ${grid.join(',')}, block ${block.join(',')}\n`);
    print(`${lines.map((line) => `  ${line}`).join('\n')}\n`);
    if (bytes > 0) print('Rates count each buffer once if the kernel reads it, and once if it writes it.\n');
    if (measured.some((each) => !each.software && (timeOf(each, bytes) ?? shortMs) < shortMs)) print(`${shortNote}\n`);
    const counters = options.counters ? (await reference.run(kernel.launch, { counters: true })).counters : undefined;
    if (counters !== undefined) print(`${countersText(kernel.launch, counters)}\n`);
    const document = {
      schemaVersion: 1,
      tool: toolRecord(),
      kernel: { name: kernel.title, entry: kernel.launch.entry, grid, block, bytes },
      results: measured.map((each) => ({ ...each, msPerLaunch: timeOf(each, bytes) ?? null })),
      ...(counters === undefined ? {} : { counters: jsonCounters(kernel.launch, counters) }),
    };
    if (options.json) console.out(toJson(document));
    if (options.out !== undefined) writeReport(options.out, toJson(document));
    const code = exitCodeOfMeasurements(measured);
    return code === exitCodes.ok && missing.length > 0 && options.on !== undefined ? exitCodes.unavailable : code;
  } finally {
    await Promise.all([...machines, reference].map((executor) => executor.close()));
  }
}

/** If a launch takes less than this time in milliseconds, its start is a large part of the time. */
const shortMs = 0.02;
const shortNote = `Starting a launch costs several microseconds, so rates and shares of launches below ${1000 * shortMs} µs say little about the kernel. Use more data.`;

/**
 * Returns the number of bytes of the buffers that the kernel reads, plus the number of bytes of
 * those that it writes.
 */
function bytesMoved({ launch, parameters }: KernelLaunch): number {
  return launch.params.reduce((sum, param, index) => {
    const { reads = false, writes = false } = parameters[index] ?? {}; // Each launch parameter has an entry.
    return sum + (param.kind === 'buffer' ? param.bytes * (Number(reads) + Number(writes)) : 0);
  }, 0);
}

function entryOf({ launch, parameters }: KernelLaunch, bytes: number): BenchEntry {
  const { ptx, ptxFile, entry, grid, block, cluster, sharedBytes, params, id } = launch;
  const buffers = params.flatMap((param, index): LaunchSequence['buffers'] => {
    if (param.kind !== 'buffer') return [];
    const { name, type, data, tolerance } = param;
    const isResult = parameters[index]?.writes === true;
    const element =
      type === 'b8' ? 'u8' : type === 'b16' ? 'u16' : type === 'b32' ? 'u32' : type === 'b64' ? 'u64' : type;
    return [
      {
        name,
        type: element,
        bytes: Math.ceil(param.bytes / 4) * 4,
        ...(data === undefined ? {} : { data: padded(data) }),
        ...(isResult ? { result: tolerance === undefined ? {} : { tolerance } } : {}),
      },
    ];
  });
  const shape = { grid, block, ...(cluster && { cluster }), sharedBytes };
  const step = { ptx, ptxFile, entry, ...shape, args: params.map(argumentOf) };
  const sequence: LaunchSequence = { id, buffers, prepare: [], steps: [step] };
  return {
    id,
    section: 'instructions',
    unit: bytes > 0 ? 'bytes' : 'launches',
    float: params.some((param) => param.kind === 'buffer' && param.type === 'f32'),
    grows: 'repeat',
    make: () => ({ sequence, work: Math.max(1, bytes) }),
  };
}

function padded(data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(data.length / 4) * 4);
  whole.set(data);
  return whole;
}

function argumentOf(param: LaunchParam): SequenceArgument {
  if (param.kind === 'buffer') return param.name;
  if (param.kind === 'bytes')
    throw new UsageError(`bench cannot measure a kernel with a struct by value, '${param.name}'`);
  const value = Number(param.value);
  if (typeof param.value === 'bigint' && BigInt(value) !== param.value) {
    throw new UsageError(`bench cannot pass ${param.value} for '${param.name}': integers up to 9007199254740992 fit`);
  }
  return { type: param.type, value };
}

/** Returns the time of one launch in milliseconds. */
function timeOf({ sample, work }: Measurement, bytes: number): number | undefined {
  return sample === undefined || work === undefined ? undefined : (sample.median * Math.max(1, bytes)) / work;
}

const nativeTime = (all: readonly Measurement[], bytes: number): number | undefined =>
  all.flatMap((each) => (each.float === 'native' ? (timeOf(each, bytes) ?? []) : []))[0];

function lineOf(each: Measurement, bytes: number, native: number | undefined): string {
  const name =
    `${each.machine}${each.float === 'native' ? ' (native)' : `, ${each.float} f32`}${each.software ? ' (software)' : ''}`.padEnd(
      32,
    );
  const ms = timeOf(each, bytes);
  if (ms === undefined || each.rate === undefined) return `${name} ${each.status}: ${oneLine(each.message, 500)}`;
  const rate = bytes > 0 ? `, ${rateText(each.rate.median, 'bytes')}` : '';
  const relative =
    native === undefined || each.float === 'native' ? '' : `, ${((100 * native) / ms).toFixed(0)} % of native speed`;
  return `${name} ${timeText(ms)}${rate}${relative}; agrees with the reference in ${each.compared} elements`;
}

function timeText(ms: number): string {
  if (ms >= 1) return `${ms.toPrecision(4)} ms`;
  return `${(ms * 1000).toPrecision(4)} µs`;
}
