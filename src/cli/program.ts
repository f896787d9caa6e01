// The command `lanewise program SOURCE… [ARGUMENT…]`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ExecutorChoice, isWebDriver } from '../harness/executors/executor.ts';
import { parseModule } from '../harness/executors/load-kernel.ts';
import { originsBelow } from '../harness/launches/origin-files.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { bundledProgram } from '../harness/sessions/dist-folder.ts';
import type { ProgramDevice } from '../program/device/program-device.ts';
import { type ProgramBrowser, runInBrowser } from '../program/page/run-in-browser.ts';
import type { PageProgram } from '../program/page/run-in-page.ts';
import type { ProgramMessage, ProgramStart } from '../program/protocol.ts';
import { type ProgramWorker, runProgram } from '../program/run-program.ts';
import { writeCompilations } from '../runtime/device/compilations.ts';
import { GpuError } from '../runtime/device/gpu-error.ts';
import { compileWholeProgram } from './compile/compile-whole-program.ts';
import { type Console, UsageError } from './console.ts';
import { filesBelow } from './program-files.ts';

export interface ProgramCommandOptions {
  readonly on?: readonly ExecutorChoice[];
  readonly include?: readonly string[];
  readonly define?: readonly string[];
  readonly float: 'exact' | 'fast';
}

const isSource = (word: string): boolean => /\.(cu|cpp|cc|cxx)$/.test(word);

/**
 * Compiles and runs a program. Returns its exit code. Throws `UsageError` if it cannot be compiled,
 * and the errors of its device.
 */
export async function programCommand(
  words: readonly string[],
  options: ProgramCommandOptions,
  console: Console,
): Promise<number> {
  const executor = executorOf(options.on ?? []);
  const count = words.findIndex((word) => !isSource(word));
  const sources = count < 0 ? words : words.slice(0, count);
  const [first] = sources;
  if (first === undefined) throw new UsageError(`'${words[0] ?? ''}' is not a source file: expected .cu, .cpp or .cc`);
  const absent = sources.find((source) => !existsSync(source));
  if (absent !== undefined) throw new UsageError(`cannot read ${absent}: the file does not exist`);
  const { include = [], define = [] } = options;
  const compiled = await compileWholeProgram(sources, {
    includes: include.map((folder) => resolve(folder)),
    defines: define,
    folder: process.cwd(),
  });
  const args = [first.replace(/\.\w+$/, ''), ...words.slice(sources.length)];
  const env = Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ''}`);
  const nameOf = (index: number): string => `${sources[index] ?? first} (by clang in WebAssembly)`;
  if (executor === 'chrome' || executor === 'firefox') {
    const modules = compiled.modules.map((text, index) => ({ file: nameOf(index), text }));
    const program = { wasm: compiled.wasm, modules, args, env, files: filesBelow(process.cwd()) };
    return await browserProgram(executor, program, options);
  }
  const modules = compiled.modules.map((ptx, index) => {
    const source = sources[index] ?? first;
    return parseModule(ptx, nameOf(index), originsBelow(ptx, source));
  });
  const device = await openDevice(executor, options, console);
  try {
    return await runProgram({ wasm: compiled.wasm, modules, args, env }, { device, startWorker, write });
  } finally {
    await device.close();
  }
}

const write = (stream: 1 | 2, bytes: Uint8Array): void =>
  void (stream === 1 ? process.stdout : process.stderr).write(bytes);

/** Runs a program in a headless browser, and returns its exit code. */
async function browserProgram(
  browser: ProgramBrowser,
  program: PageProgram,
  { float }: ProgramCommandOptions,
): Promise<number> {
  const end = await runInBrowser(browser, { program, float }, ({ stream, bytes }) => write(stream, bytes));
  if ('code' in end) return end.code;
  write(2, new TextEncoder().encode(`${end.error}\n`));
  return end.isUsage ? exitCodes.usage : exitCodes.mismatch;
}

/** Starts the thread of a program. */
export function startWorker(start: ProgramStart): ProgramWorker {
  const worker = new Worker(bundledProgram('program/host/node-worker'), { workerData: start });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined);
  return {
    failed,
    onMessage: (receive) => worker.on('message', (message: ProgramMessage) => receive(message)),
    close: async () => void (await worker.terminate()),
  };
}

/** Returns the executor in --on; undefined without --on. Throws `UsageError`. */
function executorOf([name, more]: readonly ExecutorChoice[]): ProgramBrowser | 'cpu' | 'dawn' | undefined {
  if (more !== undefined) throw new UsageError('a program runs on one executor: --on cpu, dawn, chrome or firefox');
  if (name !== undefined && (name === 'cuda' || isWebDriver(name)))
    throw new UsageError(`a program cannot run on ${name}: use cpu, dawn, chrome or firefox`);
  return name;
}

/** Opens a device. Without a name, opens Dawn if it has an adapter, and the reference otherwise. */
async function openDevice(
  name: 'cpu' | 'dawn' | undefined,
  { float }: ProgramCommandOptions,
  console: Console,
): Promise<ProgramDevice> {
  const print = (text: string): void => void process.stdout.write(text);
  const warn = (text: string): void => console.err(`${text}\n`);
  const reference = async () =>
    new (await import('../program/device/reference-device.ts')).ReferenceDevice(print, warn);
  if (name === 'cpu') return await reference();
  try {
    const { openDawnRuntime } = await import('../program/device/open-dawn.ts');
    const { WebgpuDevice } = await import('../program/device/webgpu-device.ts');
    return new WebgpuDevice(await openDawnRuntime({ float, onPrint: print, onCompile: writeCompilations(warn) }), warn);
  } catch (error) {
    const isMissing = error instanceof GpuError && error.kind === 'unavailable';
    if (name !== undefined || !isMissing) throw error;
    console.err('no adapter was found: the program runs on the reference\n');
    return await reference();
  }
}
