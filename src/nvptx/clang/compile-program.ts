// Compiles a whole CUDA program with clang in WebAssembly: PTX of its kernels, and WebAssembly of
// its host code.
import { type ClangModule, mountedHeaders, mountedResources, selectPtx } from './compile.ts';
import type { Folder } from './folder.ts';
import { linkArguments, type ProgramOptions, programArguments } from './options.ts';

/** A program that is to be compiled. */
export interface ProgramJob extends ProgramOptions {
  /** The absolute paths of the sources in `files`. */
  readonly sources: readonly string[];
  /** All files that the sources include, under their absolute paths. */
  readonly files: Folder;
  /** CUDA's headers: the contents of `src/nvptx/include`. */
  readonly headers: Folder;
  /** The names of the functions that the program may import. */
  readonly provided: readonly string[];
  /** The first address of the host's memory. */
  readonly base: number;
  /** Called with the numbers of bytes while the compiler's files are loaded. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A compiled program. */
export interface CompiledProgram {
  /** The host half. */
  readonly wasm: Uint8Array;
  /** The PTX of each source, in order. */
  readonly modules: readonly string[];
}

/** The reason why a program could not be compiled. */
export interface ProgramFailure {
  /** The messages of the compiler or linker. */
  readonly messages: string;
  /** The functions that the program uses and that do not exist here. */
  readonly undefinedNames: readonly string[];
}

type Step = { readonly made: Folder } | { readonly messages: string };

/** Compiles and links a program. The first call loads about 100 MB of WebAssembly and headers. */
export async function compileProgram(clang: ClangModule, job: ProgramJob): Promise<CompiledProgram | ProgramFailure> {
  const objects: Record<string, Uint8Array> = {};
  const modules: string[] = [];
  for (const [index, file] of job.sources.entries()) {
    const ir = await half(clang, job, 'device', file, index);
    if ('messages' in ir) return { ...ir, undefinedNames: [] };
    const device = selectPtx(file, textOf(ir.made[outputs.device]));
    if ('messages' in device) return { ...device, undefinedNames: [] };
    modules.push(device.ptx);
    const object = await half(clang, job, 'host', file, index);
    if ('messages' in object) return { ...object, undefinedNames: [] };
    objects[`host${index}.o`] = bytesOf(object.made[outputs.host]);
  }
  const names = Object.keys(objects);
  const linked = await run(
    clang,
    'wasm-ld',
    linkArguments(
      names.map((name) => `/${name}`),
      { out: '/program.wasm', resources: mountedResources, provided: '/provided.txt', base: job.base },
    ),
    { ...objects, 'provided.txt': job.provided.join('\n') },
    job,
  );
  if (!('messages' in linked)) return { wasm: bytesOf(linked.made['program.wasm']), modules };
  const undefinedNames = new Set(
    [...linked.messages.matchAll(/undefined symbol: (.+)$/gm)].map(([, name = '']) => name),
  );
  return { messages: linked.messages, undefinedNames: [...undefinedNames] };
}

const outputs = { device: 'device.ll', host: 'host.o' } as const;

/** Compiles one half of a source. The "binary" of the device is the number of its module. */
async function half(
  clang: ClangModule,
  job: ProgramJob,
  kind: 'device' | 'host',
  file: string,
  index: number,
): Promise<Step> {
  const places = { file, out: `/${outputs[kind]}`, headers: mountedHeaders, resources: mountedResources };
  const args = programArguments(kind, places, { ...job, binary: '/module.txt' });
  const files = { ...job.files, [mountedHeaders.slice(1)]: job.headers, 'module.txt': `${index}\0` };
  return await run(clang, 'clang', args, files, job);
}

async function run(
  clang: ClangModule,
  tool: string,
  args: readonly string[],
  files: Folder,
  { onProgress }: ProgramJob,
): Promise<Step> {
  const decoder = new TextDecoder();
  let messages = '';
  const collect = (bytes: Uint8Array | null): void => {
    if (bytes !== null) messages += decoder.decode(bytes);
  };
  try {
    const made = await clang.runLLVM([tool, ...args], files, {
      stdout: collect,
      stderr: collect,
      fetchProgress: ({ doneLength, totalLength }) => onProgress?.(doneLength, totalLength),
    });
    return made === undefined ? { messages } : { made };
  } catch (error) {
    // The package throws an error with the compiler's exit code. If there are messages, they
    // contain the reason.
    if (messages === '') throw error;
    return { messages };
  }
}

function bytesOf(file: Folder[string] | undefined): Uint8Array {
  if (file instanceof Uint8Array) return file;
  if (typeof file === 'string') return new TextEncoder().encode(file);
  throw new TypeError('the compiler did not write its output');
}

const textOf = (file: Folder[string] | undefined): string => new TextDecoder().decode(bytesOf(file));
