// The worker that compiles CUDA: clang in WebAssembly, and the selection of PTX.
import { compileWithWasmClang } from '../../src/nvptx/clang/compile.ts';
import { compileProgram } from '../../src/nvptx/clang/compile-program.ts';
import type { ClangModule } from '../../src/nvptx/clang/run-tool.ts';
import { hostBase, hostEnd } from '../../src/program/device/program-device.ts';
import { findUses, useLine } from '../../src/program/function-uses.ts';
import { providedFunctions } from '../../src/program/host/cuda/index.ts';
import type { Handlers, PlainError, Request } from '../workers/protocol.ts';
import { serve } from '../workers/serve.ts';
import { clangFetch, clangScript } from './files.ts';
import { headersFor } from './headers.ts';
import type { ClangProgress, ClangRequests } from './messages.ts';
import { sourceName } from './source-name.ts';

let clang: Promise<ClangModule> | undefined;
let report: (bytes: number) => void;

/** Loads the script of clang. The script fetches its other files when it compiles. */
async function loadClang(base: string): Promise<ClangModule> {
  const load = await clangFetch(base, import.meta.env.VITE_CLANG_VERSION, (bytes) => report(bytes));
  // Clang's script calls the global `fetch`, and requests uncompressed files.
  const original = fetch;
  globalThis.fetch = (input, options) =>
    String(input).startsWith(base) && !/\.packed$/.test(String(input)) ? load(input) : original(input, options);
  const address = new URL(clangScript, base).href;
  return await import(/* @vite-ignore */ address);
}

/** Returns the compiler. Reports the bytes that arrive from now on. */
async function openClang(base: string, progress: (value: ClangProgress) => void): Promise<ClangModule> {
  let bytes = 0;
  report = (more) => {
    bytes += more;
    progress({ bytes });
  };
  clang ??= loadClang(base);
  return await clang;
}

const file = `/${sourceName}`;

const handlers: Handlers<ClangRequests> = {
  async compile({ base, source }, progress) {
    const files = { [sourceName]: source };
    const headers = await headersFor(source);
    return await compileWithWasmClang(await openClang(base, progress), { file, files, headers });
  },

  async compileProgram({ base, source }, progress) {
    const result = await compileProgram(await openClang(base, progress), {
      sources: [file],
      files: { [sourceName]: source },
      headers: await headersFor(source),
      includes: [],
      defines: [],
      folder: '',
      provided: providedFunctions(),
      base: hostBase,
      end: hostEnd,
    });
    if ('wasm' in result) return { compiled: result };
    const uses = result.undefinedNames.flatMap((name) => findUses(name, new Map([[file, source]])));
    return { messages: uses.length === 0 ? result.messages : uses.map((use) => useLine(use)).join('\n') };
  },
};

const plain = (error: unknown): PlainError => {
  // Load the files again for the next request.
  clang = undefined;
  return { name: 'Error', kind: undefined, message: error instanceof Error ? error.message : String(error) };
};

/** Answers all requests, beginning with those in `early`. */
export function answer(early: readonly MessageEvent<Request<ClangRequests>>[]): void {
  serve(handlers, plain, early);
}
