// Runs a compiled program: its host half in a worker, and its kernels on a device.
import { namedVariables, namesSpecial } from '../cpu-ref/interpreter/memory/named-operands.ts';
import type { Module, PtxFunction, Variable } from '../ptx/ast.ts';
import type { ProgramDevice } from './device/program-device.ts';
import type { HostKernel, ProgramMessage, ProgramStart } from './protocol.ts';
import { DeviceServer } from './serve.ts';

/** A program to run. */
export interface Program {
  readonly wasm: Uint8Array;
  /** The modules of the kernels, in the order of the sources. */
  readonly modules: readonly Module[];
  readonly args: readonly string[];
  readonly env: readonly string[];
}

/** A worker that runs `runHost`. */
export interface ProgramWorker {
  /** Settles when the worker fails; it never resolves. */
  readonly failed: Promise<never>;
  onMessage(receive: (message: ProgramMessage) => void): void;
  close(): Promise<void>;
}

export interface RunOptions {
  readonly device: ProgramDevice;
  readonly startWorker: (start: ProgramStart) => ProgramWorker;
  /** Receives what the program writes to stdout (1) or stderr (2). */
  readonly write: (stream: 1 | 2, bytes: Uint8Array) => void;
}

/**
 * Runs a program to its end, and returns its exit code. Rejects with the error of a kernel that
 * cannot be translated, and with the error of a worker that fails.
 */
export async function runProgram(program: Program, { device, startWorker, write }: RunOptions): Promise<number> {
  await device.load(program.modules);
  const { wasm, args, env } = program;
  const worker = startWorker({ wasm, args, env, device: device.facts, modules: program.modules.map(kernelsOf) });
  const server = new DeviceServer(device);
  try {
    const ended = new Promise<number>((resolve, reject) => {
      worker.onMessage((message) => {
        if (message.kind === 'output') write(message.stream, message.bytes);
        else if (message.kind === 'request') server.serve(message.request, message.reply).catch(reject);
        else if (message.kind === 'command') server.command(message.request).catch(reject);
        else {
          if (message.message !== undefined) write(2, new TextEncoder().encode(`${message.message}\n`));
          resolve(message.code);
        }
      });
    });
    return await Promise.race([ended, worker.failed]);
  } finally {
    await worker.close();
  }
}

/** Returns the facts of a module's kernels, by name. */
export function kernelsOf(module: Module): ReadonlyMap<string, HostKernel> {
  const entries = module.functions.filter(({ kind }) => kind === 'entry');
  return new Map(entries.map((entry) => [entry.name, kernelFacts(module, entry)]));
}

function kernelFacts(module: Module, entry: PtxFunction): HostKernel {
  const isVariable = (param: PtxFunction['params'][number]): param is Variable => 'space' in param;
  const parameters = entry.params
    .filter(isVariable)
    .map(({ bytes, pointer = false }) => ({ bytes, isPointer: pointer }));
  // Clang declares the shared variables of all kernels in the module.
  const code = [entry, ...module.functions.filter(({ kind }) => kind === 'func')];
  const named = namedVariables(code, module.variables);
  const shared = [...module.variables, ...entry.variables].filter(
    (variable) => variable.space === 'shared' && named.has(variable),
  );
  const limit = entry.maxThreads ?? [1024, 1, 1];
  return {
    parameters,
    maxThreads: limit.reduce((product, size) => product * size),
    staticSharedBytes: shared.reduce((sum, { bytes }) => sum + bytes, 0),
    syncsGrid: namesSpecial(code, '%envreg'),
  };
}
