// Runs the host half of a program to its end.
import { missing } from '../../base/invariants.ts';
import { hostBase, hostEnd } from '../device/program-device.ts';
import type { DeviceCommand, DeviceReply, DeviceRequest, ProgramStart } from '../protocol.ts';
import { type GuestFunctions, HostContext } from './cuda/host-context.ts';
import { cudaFunctions } from './cuda/index.ts';
import { exceptionFunctions } from './exceptions.ts';
import type { Files } from './files.ts';
import { GuestMemory } from './guest-memory.ts';
import {
  type HostFunction,
  type HostWait,
  mayWait,
  performAsync,
  performBlocking,
  type WaitingFunction,
} from './host-work.ts';
import { abortCode, ProgramExit, unsupportedWasi, wasiImports } from './wasi.ts';

export interface HostSystem {
  readonly files: Files;
  readonly readInput: (to: Uint8Array) => number;
  /** Receives what the program writes to stdout (1) or stderr (2). */
  readonly write: (stream: 1 | 2, bytes: Uint8Array) => void;
  /** Sends a command that has no reply. */
  readonly send: (command: DeviceCommand) => void;
  readonly waiting: Waiting;
}

/**
 * How a program waits. Its thread may block, if it is not the thread of the device. Or WebAssembly
 * suspends the program until a promise resolves (JSPI), on any thread.
 */
export type Waiting =
  | {
      readonly kind: 'blocks';
      readonly request: (request: DeviceRequest) => DeviceReply;
      readonly sleep: (ms: number) => void;
    }
  | { readonly kind: 'suspends'; readonly request: (request: DeviceRequest) => Promise<DeviceReply> };

/** The end of a program. */
export interface ProgramEnd {
  readonly code: number;
  /** The reason, for an end that the program did not request, and notes about failed allocations. */
  readonly message?: string;
}

/** Runs a program. Rejects with the errors of its requests. */
export async function runHost(start: ProgramStart, system: HostSystem): Promise<ProgramEnd> {
  const { files, readInput, write, send } = system;
  let running: { readonly memory: GuestMemory; readonly functions: GuestFunctions } | undefined;
  let table: WebAssembly.Table | undefined;
  const memory = (): GuestMemory => (running ?? missing('the program')).memory;
  const functions = (): GuestFunctions => (running ?? missing('the program')).functions;
  const context = new HostContext(start, memory, functions, send);
  const module = await WebAssembly.compile(start.wasm as BufferSource);
  const wasiNames = WebAssembly.Module.imports(module).flatMap(({ module: from, name }) =>
    from === 'env' ? [] : [name],
  );
  const waits = waitsOf(system.waiting, (address) => (table ?? missing('the program')).get(address));
  const imports = {
    env: waits.imports({ ...cudaFunctions(context), ...exceptionFunctions(memory, functions) }),
    wasi_snapshot_preview1: waits.imports({
      ...unsupportedWasi(wasiNames),
      ...wasiImports(memory, { args: start.args, env: start.env, files, readInput, write }),
    }),
  };
  const { exports } = await WebAssembly.instantiate(module, imports);
  table = exports.__indirect_function_table as WebAssembly.Table;
  running = { memory: new GuestMemory(exports.memory as WebAssembly.Memory), functions: guestFunctions(exports) };
  try {
    await waits.call(functionOf(exports, '_start'), []);
    return endWith(0, memoryNotes(context));
  } catch (error) {
    return endOf(error, context);
  }
}

type Functions = Readonly<Record<string, HostFunction>>;
type GuestFunction = (...args: readonly number[]) => unknown;

/** Returns the imports of a program for a way of waiting, and the function that calls the program. */
function waitsOf(waiting: Waiting, functionAt: (address: number) => GuestFunction) {
  const converted = (list: Functions, convert: (work: WaitingFunction) => HostFunction): WebAssembly.ModuleImports =>
    Object.fromEntries(Object.entries(list).map(([name, work]) => [name, mayWait(work) ? convert(work) : work]));
  if (waiting.kind === 'blocks') {
    const wait = (what: HostWait): DeviceReply | undefined => {
      if (what.kind === 'request') return waiting.request(what.request);
      if (what.kind === 'sleep') waiting.sleep(what.ms);
      else functionAt(what.address)(...what.args);
      return undefined;
    };
    return {
      imports: (list: Functions) =>
        converted(
          list,
          (work) =>
            (...args) =>
              performBlocking(work(...args), wait),
        ),
      call: async (work: GuestFunction, args: readonly number[]) => work(...args),
    };
  }
  const call = async (work: GuestFunction, args: readonly number[]) => await WebAssembly.promising(work)(...args);
  const wait = async (what: HostWait): Promise<DeviceReply | undefined> => {
    if (what.kind === 'request') return await waiting.request(what.request);
    if (what.kind === 'sleep') await new Promise((resolve) => setTimeout(resolve, what.ms));
    else await call(functionAt(what.address), what.args);
    return undefined;
  };
  return {
    imports: (list: Functions) =>
      converted(list, (work) => new WebAssembly.Suspending((...args) => performAsync(work(...args), wait))),
    call,
  };
}

/** Returns the end of a program that ends with an error. */
function endOf(error: unknown, context: HostContext): ProgramEnd {
  if (error instanceof ProgramExit) {
    const { exitCode: code, reason } = error;
    return endWith(code, [...(reason === undefined ? [] : [reason]), ...memoryNotes(context)]);
  }
  if (!(error instanceof WebAssembly.RuntimeError)) throw error;
  const lines = [`the program stopped: ${error.message}`, ...memoryNotes(context)];
  if (/out of bounds/.test(error.message)) lines.push(addressHint);
  return endWith(abortCode, lines);
}

const endWith = (code: number, lines: readonly string[]): ProgramEnd =>
  lines.length === 0 ? { code } : { code, message: lines.join('\n') };

const gibibytes = (bytes: number): string => `${bytes / 2 ** 30} GiB`;

/** Returns a note about the first allocation that failed, if one has failed. */
function memoryNotes({ failedAllocation, facts }: HostContext): string[] {
  if (failedAllocation === undefined) return [];
  const { memory, bytes } = failedAllocation;
  const limit = memory === 'host' ? hostEnd - hostBase : facts.totalBytes;
  return [`note: an allocation of ${bytes} bytes failed: the ${memory} has at most ${gibibytes(limit)} of memory`];
}

const addressHint = 'hint: pointers and `size_t` have 32 bits, so sizes of 4 GiB and more wrap around';

function functionOf(exports: WebAssembly.Exports, name: string): GuestFunction {
  const found = exports[name];
  return typeof found === 'function' ? (found as GuestFunction) : missing('the export', name);
}

function guestFunctions(exports: WebAssembly.Exports): GuestFunctions {
  const [malloc, free] = [functionOf(exports, '__wrap_malloc'), functionOf(exports, 'free')];
  return {
    malloc: (bytes) => Number(malloc(bytes)) >>> 0,
    free: (address) => void free(address),
  };
}
