// Measures the time from PTX to the first result, for kernels without launches.

import type { Launch } from '../../base/launch.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { parsePtx } from '../../ptx/index.ts';
import { CompileTimeout } from '../../runtime/device/job.ts';
import type { ExecutorName } from '../executors/executor.ts';
import type { GpuExecutor } from '../executors/gpu-executor.ts';
import { rememberKernel } from '../executors/load-kernel.ts';
import { inferKernel } from '../infer/index.ts';
import { failureOf } from '../runs/failure.ts';
import { drawLaunch } from './draw-launch.ts';
import { tryLaunch } from './survey-entry.ts';

/** The parts of the time until the first result, in milliseconds and in chronological order. */
export interface CompileParts {
  /** The time to parse the module, which its kernels share. */
  readonly parseMs: number;
  readonly translateMs: number;
  /** The time until the browser or Dawn has checked the WGSL, in milliseconds. */
  readonly moduleMs: number;
  /** The time until the driver has compiled the pipeline, in milliseconds. */
  readonly pipelineMs: number;
  /**
   * The time of the first run including its transfers, in milliseconds. Undefined if no launch of
   * the kernel could be constructed.
   */
  readonly runMs?: number;
}

/**
 * The outcome for a kernel on an executor.
 * - `measured`: the executor compiled the kernel, and ran it if a launch could be constructed.
 * - `abandoned`: the driver did not compile the kernel within the time limit.
 * - `refused`: the executor does not support the kernel.
 * - `failed`: another error occurred.
 */
export interface CompiledKernel {
  readonly file: string;
  readonly entry: string;
  readonly executor: ExecutorName;
  readonly status: 'measured' | 'abandoned' | 'refused' | 'failed';
  /** The error, or the reason why the kernel did not run; otherwise ''. */
  readonly message: string;
  /** The size of the shader in bytes, if it was compiled. */
  readonly wgslBytes?: number;
  /** The measured times, if the kernel was compiled. */
  readonly parts?: CompileParts;
}

export interface CompileFile {
  /** The file's name in results. */
  readonly name: string;
  read(): Promise<string>;
}

/** The members of an executor that a measurement uses. */
export type CompilingExecutor = Pick<GpuExecutor, 'name' | 'compile' | 'run'>;

export interface CompileOptions {
  readonly executors: readonly CompilingExecutor[];
  /** The name of the kernel to measure; undefined for all kernels. */
  readonly entry?: string;
  /** The time limit of the first run, in milliseconds. */
  readonly timeoutMs?: number;
  /** The seed of the random numbers for constructed launches. */
  readonly seed: number;
  /** The time in milliseconds after which no measurement of another kernel starts. */
  readonly ms?: number;
  readonly onFile?: (file: string, problem: string | undefined) => void;
  readonly onKernel?: (kernel: CompiledKernel) => void;
}

/** The number of launches to draw for a kernel. The time to draw them is not measured. */
const attempts = 3;

/** The size of the buffers of a launch that is compiled but does not run, in bytes. */
const idleBufferBytes = 4096;

/** Measures every kernel of the files on every executor, one after the other. */
export async function measureCompilation(
  files: readonly CompileFile[],
  { executors, entry: only, seed, timeoutMs, ms, onFile, onKernel }: CompileOptions,
): Promise<CompiledKernel[]> {
  const deadline = performance.now() + (ms ?? Number.POSITIVE_INFINITY);
  const all: CompiledKernel[] = [];
  for (const { name, read } of files) {
    const text = await read();
    const start = performance.now();
    const { module, diagnostics } = parsePtx(text, { file: name, dialect: 'module' });
    const parseMs = performance.now() - start;
    const [first] = diagnostics;
    onFile?.(name, module === undefined ? `${first?.code}: ${first?.message}` : undefined);
    if (module === undefined) continue;
    const entries = module.functions.filter((each) => each.kind === 'entry' && (only ?? each.name) === each.name);
    for (const entry of entries) {
      const drawn = drawFor(module, entry, seed);
      for (const executor of executors) {
        if (performance.now() > deadline) return all;
        const kernel = { file: name, entry: entry.name, executor: executor.name };
        const timed: CompiledKernel =
          drawn === undefined
            ? { ...kernel, status: 'refused', message: 'has parameters that a launch cannot provide' }
            : { ...kernel, ...(await timesOn(executor, drawn, parseMs, timeoutMs)) };
        all.push(timed);
        onKernel?.(timed);
      }
    }
  }
  return all;
}

interface Drawn {
  readonly launch: Launch;
  /** The reason why the launch must not run; undefined if the launch may run. */
  readonly idle: string | undefined;
}

/**
 * Draws a launch. If the sanitizer reports errors for every launch drawn, the last launch only
 * determines the shader.
 */
function drawFor(module: Module, entry: PtxFunction, seed: number): Drawn | undefined {
  const use = inferKernel(module, entry);
  const id = entry.name;
  const reasons: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const kept = tryLaunch(module, entry, use, { id, seed, attempt });
    if (!('reason' in kept)) {
      rememberKernel(kept.launch, module);
      return { launch: kept.launch, idle: undefined };
    }
    reasons.push(kept.reason);
    if (kept.unsupported) break;
  }
  const launch = drawLaunch(module, entry, use, { id, seed, attempt: 0, bufferBytes: idleBufferBytes });
  if (launch === undefined) return undefined;
  rememberKernel(launch, module);
  return { launch, idle: `did not run: ${[...new Set(reasons)].join(', ')}` };
}

type Times = Pick<CompiledKernel, 'status' | 'message' | 'wgslBytes' | 'parts'>;

async function timesOn(
  executor: CompilingExecutor,
  { launch, idle }: Drawn,
  parseMs: number,
  timeoutMs: number | undefined,
): Promise<Times> {
  let compiled: Times | undefined;
  try {
    const { program, translateMs, moduleMs, pipelineMs } = await executor.compile(launch);
    const parts = { parseMs, translateMs, moduleMs, pipelineMs };
    const wgslBytes = program.code.length;
    compiled = { status: 'measured', message: idle ?? '', wgslBytes, parts };
    if (idle !== undefined) return compiled;
    const start = performance.now();
    await executor.run(launch, timeoutMs === undefined ? {} : { timeoutMs });
    return { ...compiled, parts: { ...parts, runMs: performance.now() - start } };
  } catch (error) {
    const { status, message } = failureOf(error, false);
    if (error instanceof CompileTimeout) return { status: 'abandoned', message };
    return { ...compiled, status: status === 'unsupported' ? 'refused' : 'failed', message };
  }
}
