// Runs the host half of a program to its end. The thread waits for the device, so it must be a
// worker.
import { missing } from '../../base/invariants.ts';
import { hostBase, hostEnd } from '../device/program-device.ts';
import type { ProgramMessage, ProgramStart } from '../protocol.ts';
import { type GuestFunctions, HostContext } from './cuda/host-context.ts';
import { cudaFunctions } from './cuda/index.ts';
import { exceptionFunctions } from './exceptions.ts';
import type { Files } from './files.ts';
import { GuestMemory } from './guest-memory.ts';
import { abortCode, ProgramExit, unsupportedWasi, wasiImports } from './wasi.ts';

export interface HostSystem {
  readonly files: Files;
  readonly readInput: (to: Uint8Array) => number;
  readonly post: (message: ProgramMessage) => void;
}

/** Runs a program. Posts its output, its requests, and finally its exit code. */
export async function runHost(start: ProgramStart, { files, readInput, post }: HostSystem): Promise<void> {
  let running: { readonly memory: GuestMemory; readonly functions: GuestFunctions } | undefined;
  const memory = (): GuestMemory => (running ?? missing('the program')).memory;
  const functions = (): GuestFunctions => (running ?? missing('the program')).functions;
  const context = new HostContext(start, memory, functions, post);
  const module = await WebAssembly.compile(start.wasm as BufferSource);
  const wasiNames = WebAssembly.Module.imports(module).flatMap(({ module: from, name }) =>
    from === 'env' ? [] : [name],
  );
  const imports = {
    env: { ...cudaFunctions(context), ...exceptionFunctions(memory, functions) },
    wasi_snapshot_preview1: {
      ...unsupportedWasi(wasiNames),
      ...wasiImports(memory, {
        args: start.args,
        env: start.env,
        files,
        readInput,
        write: (stream, bytes) => post({ kind: 'output', stream, bytes }),
      }),
    },
  };
  const instance = await WebAssembly.instantiate(module, imports as WebAssembly.Imports);
  const { exports } = instance;
  running = { memory: new GuestMemory(exports.memory as WebAssembly.Memory), functions: guestFunctions(exports) };
  try {
    functionOf(exports, '_start')();
    post({ kind: 'exit', code: 0 });
  } catch (error) {
    const { code, message } = exitOf(error, context);
    post(message === undefined ? { kind: 'exit', code } : { kind: 'exit', code, message });
  }
}

/** Returns the exit code of a program that ends with an error, and the reason if there is one. */
function exitOf(error: unknown, context: HostContext): { code: number; message?: string } {
  if (error instanceof ProgramExit) {
    const { exitCode: code, reason } = error;
    const lines = [...(reason === undefined ? [] : [reason]), ...(code === 0 ? [] : memoryNotes(context))];
    return lines.length === 0 ? { code } : { code, message: lines.join('\n') };
  }
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  const lines = [`the program stopped: ${error.message}`, ...memoryNotes(context)];
  if (/out of bounds/.test(error.message)) lines.push(addressHint);
  return { code: abortCode, message: lines.join('\n') };
}

const gibibytes = (bytes: number): string => `${bytes / 2 ** 30} GiB`;

/** Returns a note about the first allocation that failed, if one has failed. */
function memoryNotes({ failedAllocation, facts }: HostContext): string[] {
  if (failedAllocation === undefined) return [];
  const { memory, bytes } = failedAllocation;
  const limit = memory === 'host' ? hostEnd - hostBase : facts.totalBytes;
  return [`note: an allocation of ${bytes} bytes failed: the ${memory} has at most ${gibibytes(limit)} of memory`];
}

const addressHint = 'hint: pointers and `size_t` have 32 bits, so sizes of 4 GiB and more wrap around';

function functionOf(exports: WebAssembly.Exports, name: string): (...args: readonly number[]) => unknown {
  const found = exports[name];
  return typeof found === 'function' ? (found as (...args: readonly number[]) => unknown) : missing('the export', name);
}

function guestFunctions(exports: WebAssembly.Exports): GuestFunctions {
  const table = exports.__indirect_function_table as WebAssembly.Table;
  const [malloc, free] = [functionOf(exports, '__wrap_malloc'), functionOf(exports, 'free')];
  return {
    malloc: (bytes) => Number(malloc(bytes)) >>> 0,
    free: (address) => void free(address),
    call: (address, ...args) => void table.get(address)(...args),
  };
}
