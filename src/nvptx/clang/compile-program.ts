// Compiles a whole CUDA program with clang in WebAssembly: PTX of its kernels, and WebAssembly of
// its host code.
import { mountedHeaders, mountedResources, selectPtx } from './compile.ts';
import type { Folder } from './folder.ts';
import { linkArguments, type ProgramOptions, programArguments } from './options.ts';
import { withAbsoluteIncludes } from './parent-includes.ts';
import { type ClangModule, type OnProgress, runTool, type ToolRun } from './run-tool.ts';

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
  /** The first address of the host's memory, and the address after it. */
  readonly base: number;
  readonly end: number;
  readonly onProgress?: OnProgress;
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

/** Compiles and links a program. The first call loads about 100 MB of WebAssembly and headers. */
export async function compileProgram(clang: ClangModule, job: ProgramJob): Promise<CompiledProgram | ProgramFailure> {
  const objects: Record<string, Uint8Array> = {};
  const modules: string[] = [];
  for (const [index, file] of job.sources.entries()) {
    const ir = await half(clang, job, 'device', file, index);
    if (ir.made === undefined) return { messages: ir.messages, undefinedNames: [] };
    const device = selectPtx(file, textOf(ir.made[outputs.device]));
    if ('messages' in device) return { ...device, undefinedNames: [] };
    modules.push(device.ptx);
    const object = await half(clang, job, 'host', file, index);
    if (object.made === undefined) return { messages: object.messages, undefinedNames: [] };
    objects[`host${index}.o`] = bytesOf(object.made[outputs.host]);
  }
  const names = Object.keys(objects);
  const linking = linkArguments(
    names.map((name) => `/${name}`),
    { out: '/program.wasm', resources: mountedResources, provided: '/provided.txt', base: job.base, end: job.end },
  );
  const inputs = { ...objects, 'provided.txt': job.provided.join('\n') };
  const linked = await runTool(clang, ['wasm-ld', ...linking], inputs, job.onProgress);
  if (linked.made !== undefined) return { wasm: bytesOf(linked.made['program.wasm']), modules };
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
): Promise<ToolRun> {
  const places = { file, out: `/${outputs[kind]}`, headers: mountedHeaders, resources: mountedResources };
  const args = programArguments(kind, places, { ...job, binary: '/module.txt' });
  const sources = { ...job.files, [mountedHeaders.slice(1)]: job.headers };
  const files = { ...withAbsoluteIncludes(sources, [...job.includes, mountedHeaders]), 'module.txt': `${index}\0` };
  return await runTool(clang, ['clang', ...args], files, job.onProgress);
}

function bytesOf(file: Folder[string] | undefined): Uint8Array {
  if (file instanceof Uint8Array) return file;
  if (typeof file === 'string') return new TextEncoder().encode(file);
  throw new TypeError('the compiler did not write its output');
}

const textOf = (file: Folder[string] | undefined): string => new TextDecoder().decode(bytesOf(file));
