// Runs a whole program in a page or in one of its workers: on a WebGPU device, or on the reference.
import { parseModule } from '../../harness/executors/load-kernel.ts';
import type { Module } from '../../ptx/ast.ts';
import { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeOptions } from '../../runtime/runtime-options.ts';
import type { ProgramDevice } from '../device/program-device.ts';
import { memoryFiles } from '../host/memory-files.ts';
import type { ProgramStart } from '../protocol.ts';
import { runProgram, runSuspending } from '../run-program.ts';
import { startHostThread } from './host-thread.ts';
import { canSuspend, waitingProblem } from './waiting.ts';

/** A compiled program, which the page and its workers can send as a message. */
export interface PageProgram {
  /** The host half. */
  readonly wasm: Uint8Array;
  /** The PTX of each source, and the name of the source in diagnostics. */
  readonly modules: readonly { readonly file: string; readonly text: string }[];
  readonly args: readonly string[];
  readonly env: readonly string[];
  /** The files at the start of the program, by their path. */
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
}

export interface PageRunOptions {
  /** Opens the program's device. `print` receives what kernels print, and `warn` why they failed. */
  readonly open: (print: (text: string) => void, warn: (text: string) => void) => Promise<ProgramDevice>;
  /** Receives what the program writes to stdout (1) or stderr (2). */
  readonly write: (stream: 1 | 2, bytes: Uint8Array) => void;
  /** The address of a module that calls `runHostThread` in a worker named `program-host`. */
  readonly hostScript: string;
}

/**
 * Runs a program to its end, and returns its exit code. Rejects if the program cannot wait
 * in this page, and with the errors of `runProgram`.
 */
export async function runInPage(program: PageProgram, { open, write, hostScript }: PageRunOptions): Promise<number> {
  const problem = waitingProblem();
  if (problem !== undefined) throw new Error(problem);
  const encoder = new TextEncoder();
  const device = await open(
    (text) => write(1, encoder.encode(text)),
    (text) => write(2, encoder.encode(`${text}\n`)),
  );
  try {
    const modules = program.modules.map(({ file, text }): Module => parseModule(text, file));
    const { wasm, args, env, files } = program;
    const loaded = { wasm, modules, args, env };
    if (canSuspend()) return await runSuspending(loaded, { device, files: memoryFiles(files), write });
    const startWorker = (start: ProgramStart) => startHostThread(hostScript, { start, files });
    return await runProgram(loaded, { device, startWorker, write });
  } finally {
    await device.close();
  }
}

/** Opens the page's GPU as the device of a program. Rejects with `GpuError` 'unavailable'. */
export async function openWebgpu(
  options: Omit<RuntimeOptions, 'onPrint'>,
  print: (text: string) => void,
  warn: (text: string) => void,
): Promise<ProgramDevice> {
  const { WebgpuDevice } = await import('../device/webgpu-device.ts');
  return new WebgpuDevice(await Runtime.open({ ...options, onPrint: print }), warn);
}

/** Opens the reference as the device of a program. */
export async function openReference(
  print: (text: string) => void,
  warn: (text: string) => void,
): Promise<ProgramDevice> {
  const { ReferenceDevice } = await import('../device/reference-device.ts');
  return new ReferenceDevice(print, warn);
}
