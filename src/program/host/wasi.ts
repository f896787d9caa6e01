// WASI (preview 1) for a program: its arguments, clocks, standard streams and files. Source:
// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
import { FileFailure, type Files, type OpenFile } from './files.ts';
import type { GuestMemory } from './guest-memory.ts';
import type { HostFunction, HostWork } from './host-work.ts';

/** The exit code of a program that the system stops, as after `abort`. */
export const abortCode = 134;

/** Ends the program, as `exit` does. */
export class ProgramExit extends Error {
  readonly exitCode: number;

  /** The reason, for an end that the program did not request. */
  readonly reason: string | undefined;

  constructor(exitCode: number, reason?: string) {
    super(reason ?? `exit code ${exitCode}`);
    this.exitCode = exitCode;
    this.reason = reason;
  }
}

export interface WasiOptions {
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly files: Files;
  /** Reads from the standard input. Returns the number of bytes, which is 0 at the end. */
  readonly readInput: (to: Uint8Array) => number;
  /** Receives what the program writes to stdout (1) or stderr (2). */
  readonly write: (stream: 1 | 2, bytes: Uint8Array) => void;
}

/** The codes of errors, by their name in POSIX. */
const codes: Readonly<Record<string, number>> = {
  EACCES: 2, EBADF: 8, EEXIST: 20, EINVAL: 28, EIO: 29, EISDIR: 31, ENOENT: 44, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, EPERM: 63, ESPIPE: 70,
}; // biome-ignore format: a table
const codeOf = (name: string): number => codes[name] ?? 29;

const kinds = { character: 2, folder: 3, file: 4 } as const;
const rootDescriptor = 3;
const allRights = 0x1fff_ffffn;

interface Descriptor {
  readonly kind: 'stream' | 'folder' | 'file';
  readonly path: string;
  readonly file?: OpenFile;
  readonly appends: boolean;
  offset: number;
}

/** Returns a function that returns 0, or the code of the `FileFailure` that `work` throws. */
const guarded =
  <Args extends readonly (number | bigint)[]>(work: (...args: Args) => number | undefined) =>
  (...args: Args): number => {
    try {
      return work(...args) ?? 0;
    } catch (error) {
      if (error instanceof FileFailure) return codeOf(error.code);
      throw error;
    }
  };

/** Returns functions with these names that report that they are not supported. */
export const unsupportedWasi = (names: readonly string[]): Record<string, HostFunction> =>
  Object.fromEntries(names.map((name) => [name, () => codeOf('ENOSYS')]));

/** The functions of WASI, for the imports of a program. */
export function wasiImports(memory: () => GuestMemory, options: WasiOptions): Record<string, HostFunction> {
  const { args, env, files } = options;
  const open = new Map<number, Descriptor>();
  for (const stream of [0, 1, 2]) open.set(stream, { kind: 'stream', path: '', appends: false, offset: 0 });
  open.set(rootDescriptor, { kind: 'folder', path: '.', appends: false, offset: 0 });
  let next = rootDescriptor + 1;

  const descriptor = (number: number): Descriptor => {
    const found = open.get(number);
    if (found === undefined) throw new FileFailure('EBADF');
    return found;
  };
  const fileOf = (number: number): { found: Descriptor; file: OpenFile } => {
    const found = descriptor(number);
    if (found.file === undefined) throw new FileFailure(found.kind === 'folder' ? 'EISDIR' : 'ESPIPE');
    return { found, file: found.file };
  };
  const pathAt = (folder: number, address: number, bytes: number): string => {
    const name = new TextDecoder().decode(memory().bytes(address, bytes).slice());
    return `${descriptor(folder).path}/${name}`;
  };
  /** Calls `use` for each range of an array of `iovec`, until `use` returns fewer bytes. */
  const transfer = (list: number, count: number, use: (bytes: Uint8Array, done: number) => number): number => {
    let done = 0;
    for (let index = 0; index < count; index++) {
      const bytes = memory().bytes(memory().u32(list + 8 * index), memory().u32(list + 8 * index + 4));
      const moved = use(bytes, done);
      done += moved;
      if (moved < bytes.length) break;
    }
    return done;
  };
  const writeTexts = (texts: readonly string[], pointers: number, buffer: number): void => {
    let at = buffer;
    for (const [index, text] of texts.entries()) {
      const bytes = new TextEncoder().encode(`${text}\0`);
      memory().setU32(pointers + 4 * index, at);
      memory().bytes(at, bytes.length).set(bytes);
      at += bytes.length;
    }
  };
  const writeSizes = (texts: readonly string[], count: number, size: number): void => {
    memory().setU32(count, texts.length);
    memory().setU32(
      size,
      texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length + 1, 0),
    );
  };
  const writeFacts = (address: number, kind: number, bytes: number): void => {
    memory().bytes(address, 64).fill(0);
    memory().bytes(address + 16, 1)[0] = kind;
    memory().setU64(address + 24, 1n);
    memory().setU64(address + 32, BigInt(bytes));
  };
  const writeAll = (number: number, list: number, count: number): number => {
    if (number === 1 || number === 2)
      return transfer(list, count, (bytes) => {
        if (bytes.length > 0) options.write(number, bytes.slice());
        return bytes.length;
      });
    const { found, file } = fileOf(number);
    if (found.appends) found.offset = file.size();
    return transfer(list, count, (bytes) => {
      file.write(found.offset, bytes);
      found.offset += bytes.length;
      return bytes.length;
    });
  };
  const readAll = (number: number, list: number, count: number): number => {
    if (number === 0) return transfer(list, count, (bytes) => options.readInput(bytes));
    const { found, file } = fileOf(number);
    return transfer(list, count, (bytes) => {
      const moved = file.read(found.offset, bytes);
      found.offset += moved;
      return moved;
    });
  };

  return {
    args_get: guarded((pointers: number, buffer: number) => void writeTexts(args, pointers, buffer)),
    args_sizes_get: guarded((count: number, size: number) => void writeSizes(args, count, size)),
    environ_get: guarded((pointers: number, buffer: number) => void writeTexts(env, pointers, buffer)),
    environ_sizes_get: guarded((count: number, size: number) => void writeSizes(env, count, size)),
    clock_res_get: guarded((_clock: number, result: number) => void memory().setU64(result, 1000n)),
    clock_time_get: guarded((clock: number, _precision: bigint, result: number) => {
      const ms = clock === 0 ? Date.now() : performance.now();
      memory().setU64(result, BigInt(Math.round(ms * 1e6)));
      return 0;
    }),
    random_get: guarded((address: number, bytes: number) => {
      for (let at = 0; at < bytes; at += 65_536)
        crypto.getRandomValues(memory().bytes(address + at, Math.min(65_536, bytes - at)));
      return 0;
    }),
    sched_yield: () => 0,
    proc_exit: (code: number) => {
      throw new ProgramExit(code);
    },
    proc_raise: () => {
      throw new ProgramExit(abortCode);
    },
    *poll_oneoff(subscriptions: number, events: number, count: number, result: number): HostWork<number> {
      // A program only sleeps in this way. All subscriptions to clocks elapse at once, and all
      // others are ready.
      for (let index = 0; index < count; index++) {
        const at = subscriptions + 48 * index;
        if (memory().bytes(at + 8, 1)[0] === 0)
          yield { kind: 'sleep', ms: Number(memory().view.getBigUint64(at + 24, true)) / 1e6 };
        memory()
          .bytes(events + 32 * index, 32)
          .fill(0);
        memory().setU64(events + 32 * index, memory().view.getBigUint64(at, true));
        memory().bytes(events + 32 * index + 10, 1)[0] = memory().bytes(at + 8, 1)[0] ?? 0;
      }
      memory().setU32(result, count);
      return 0;
    },
    fd_prestat_get: guarded((number: number, result: number) => {
      if (number !== rootDescriptor) return codeOf('EBADF');
      memory().setU32(result, 0);
      memory().setU32(result + 4, 1);
      return 0;
    }),
    fd_prestat_dir_name: guarded((_number: number, address: number) => void memory().bytes(address, 1).fill(46)),
    fd_fdstat_get: guarded((number: number, result: number) => {
      const { kind, appends } = descriptor(number);
      memory().bytes(result, 24).fill(0);
      memory().bytes(result, 1)[0] = kind === 'stream' ? kinds.character : kinds[kind];
      memory().view.setUint16(result + 2, appends ? 1 : 0, true);
      memory().setU64(result + 8, kind === 'stream' ? allRights & ~0x24n : allRights);
      memory().setU64(result + 16, allRights);
      return 0;
    }),
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: guarded((number: number, result: number) => {
      const { kind, file } = descriptor(number);
      writeFacts(result, kind === 'stream' ? kinds.character : kinds[kind], file?.size() ?? 0);
      return 0;
    }),
    fd_filestat_set_size: guarded((number: number, bytes: bigint) => void fileOf(number).file.resize(Number(bytes))),
    fd_read: guarded((number: number, list: number, count: number, result: number) => {
      memory().setU32(result, readAll(number, list, count));
      return 0;
    }),
    fd_write: guarded((number: number, list: number, count: number, result: number) => {
      memory().setU32(result, writeAll(number, list, count));
      return 0;
    }),
    fd_seek: guarded((number: number, offset: bigint, whence: number, result: number) => {
      const { found, file } = fileOf(number);
      const base = whence === 0 ? 0 : whence === 1 ? found.offset : file.size();
      const target = base + Number(offset);
      if (target < 0) return codeOf('EINVAL');
      found.offset = target;
      memory().setU64(result, BigInt(target));
      return 0;
    }),
    fd_tell: guarded(
      (number: number, result: number) => void memory().setU64(result, BigInt(fileOf(number).found.offset)),
    ),
    fd_sync: () => 0,
    fd_datasync: () => 0,
    fd_advise: () => 0,
    fd_close: guarded((number: number) => {
      descriptor(number).file?.close();
      open.delete(number);
      return 0;
    }),
    fd_renumber: guarded((from: number, to: number) => {
      open.get(to)?.file?.close();
      open.set(to, descriptor(from));
      open.delete(from);
      return 0;
    }),
    fd_readdir: guarded((number: number, buffer: number, bytes: number, cookie: bigint, result: number) => {
      const { kind, path } = descriptor(number);
      if (kind !== 'folder') return codeOf('ENOTDIR');
      let at = 0;
      for (const [index, name] of files.list(path).entries()) {
        if (BigInt(index) < cookie) continue;
        const encoded = new TextEncoder().encode(name);
        const entry = new Uint8Array(24 + encoded.length);
        const view = new DataView(entry.buffer);
        view.setBigUint64(0, BigInt(index + 1), true);
        view.setUint32(16, encoded.length, true);
        entry[20] = kinds[files.facts(`${path}/${name}`).kind];
        entry.set(encoded, 24);
        const fits = entry.subarray(0, bytes - at);
        memory()
          .bytes(buffer + at, fits.length)
          .set(fits);
        at += fits.length;
        if (fits.length < entry.length) break;
      }
      memory().setU32(result, at);
      return 0;
    }),
    path_open: guarded(
      (
        folder: number,
        _lookup: number,
        address: number,
        bytes: number,
        flags: number,
        rights: bigint,
        _inheriting: bigint,
        mode: number,
        result: number,
      ) => {
        const path = pathAt(folder, address, bytes);
        const [create, wantsFolder, exclusive, truncate] = [1, 2, 4, 8].map((bit) => (flags & bit) !== 0);
        const made = openAt(path, create === true, wantsFolder === true, exclusive === true, truncate === true, rights);
        open.set(next, { ...made, path, appends: (mode & 1) !== 0, offset: 0 });
        memory().setU32(result, next++);
        return 0;
      },
    ),
    path_filestat_get: guarded((folder: number, _lookup: number, address: number, bytes: number, result: number) => {
      const facts = files.facts(pathAt(folder, address, bytes));
      writeFacts(result, kinds[facts.kind], facts.bytes);
      return 0;
    }),
    path_create_directory: guarded(
      (folder: number, address: number, bytes: number) => files.makeFolder(pathAt(folder, address, bytes)) ?? 0,
    ),
    path_remove_directory: guarded(
      (folder: number, address: number, bytes: number) => files.removeFolder(pathAt(folder, address, bytes)) ?? 0,
    ),
    path_unlink_file: guarded(
      (folder: number, address: number, bytes: number) => files.remove(pathAt(folder, address, bytes)) ?? 0,
    ),
    path_rename: guarded(
      (folder: number, address: number, bytes: number, toFolder: number, to: number, toBytes: number) => {
        files.rename(pathAt(folder, address, bytes), pathAt(toFolder, to, toBytes));
        return 0;
      },
    ),
    path_readlink: () => codeOf('EINVAL'),
  };

  function openAt(
    path: string,
    create: boolean,
    wantsFolder: boolean,
    exclusive: boolean,
    truncate: boolean,
    rights: bigint,
  ): { kind: 'folder' } | { kind: 'file'; file: OpenFile } {
    if (wantsFolder || (!create && files.facts(path).kind === 'folder')) {
      if (files.facts(path).kind !== 'folder') throw new FileFailure('ENOTDIR');
      return { kind: 'folder' };
    }
    const writes = (rights & 0x40n) !== 0n;
    return { kind: 'file', file: files.open(path, { create, exclusive, truncate, writes }) };
  }
}
