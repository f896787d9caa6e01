// Runs a compiled program: its host half in a worker, and its kernels on a device.
import type { Module, PtxFunction, Variable } from '../ptx/ast.ts';
import { namedVariables, namesSpecial } from '../ptx/named-operands.ts';
import { writeReply } from './blocking-reply.ts';
import type { ProgramDevice } from './device/program-device.ts';
import type { Files } from './host/files.ts';
import { type ProgramEnd, runHost } from './host/run-host.ts';
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

/** A worker that runs `runBlocking`. */
export interface ProgramWorker {
  /** Settles when the worker fails; it never resolves. */
  readonly failed: Promise<never>;
  onMessage(receive: (message: ProgramMessage) => void): void;
  close(): Promise<void>;
}

type Write = (stream: 1 | 2, bytes: Uint8Array) => void;

export interface RunOptions {
  readonly device: ProgramDevice;
  readonly startWorker: (start: ProgramStart) => ProgramWorker;
  /** Receives what the program writes to stdout (1) or stderr (2). */
  readonly write: Write;
}

/**
 * Runs a program to its end, with its host half in a worker, and returns its exit code. Waits for
 * kernels that still run, because they may print. Rejects with
 * the error of a kernel that cannot be translated, and with the error of a worker that fails.
 */
export async function runProgram(program: Program, { device, startWorker, write }: RunOptions): Promise<number> {
  const worker = startWorker(await load(program, device));
  const server = new DeviceServer(device);
  const serve = async (message: ProgramMessage): Promise<void> => {
    if (message.kind === 'request') writeReply(message.reply, await server.serve(message.request));
    else if (message.kind === 'commands') for (const command of message.commands) server.command(command);
  };
  try {
    const ended = new Promise<number>((resolve, reject) => {
      worker.onMessage((message) => {
        if (message.kind === 'output') write(message.stream, message.bytes);
        else if (message.kind === 'exit') resolve(reportEnd(message, write));
        else serve(message).catch(reject);
      });
    });
    const code = await Promise.race([ended, worker.failed]);
    await server.serve({ op: 'synchronize' });
    return code;
  } finally {
    await worker.close();
  }
}

/**
 * Runs a program to its end on the thread of the device, and returns its exit code. WebAssembly
 * suspends the program while it waits. Rejects with the error of a kernel that cannot be translated.
 */
export async function runSuspending(
  program: Program,
  { device, files, write }: { readonly device: ProgramDevice; readonly files: Files; readonly write: Write },
): Promise<number> {
  const start = await load(program, device);
  const server = new DeviceServer(device);
  const end = await runHost(start, {
    files,
    readInput: () => 0,
    write,
    send: (command) => server.command(command),
    waiting: { kind: 'suspends', request: (request) => server.serve(request) },
  });
  await server.serve({ op: 'synchronize' });
  return reportEnd(end, write);
}

async function load({ modules, wasm, args, env }: Program, device: ProgramDevice): Promise<ProgramStart> {
  await device.load(modules);
  return { wasm, args, env, device: device.facts, modules: modules.map(kernelsOf) };
}

/** Writes the message about a program's end, and returns its exit code. */
function reportEnd({ code, message }: ProgramEnd, write: Write): number {
  if (message !== undefined) write(2, new TextEncoder().encode(`${message}\n`));
  return code;
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
