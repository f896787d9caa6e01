// The worker that compiles CUDA to PTX: clang in WebAssembly, and the selection of PTX.
import { compileWithWasmClang } from '../../src/nvptx/clang/compile.ts';
import { folderOf } from '../../src/nvptx/clang/folder.ts';
import type { ClangModule } from '../../src/nvptx/clang/run-tool.ts';
import type { Handlers, PlainError, Request } from '../workers/protocol.ts';
import { serve } from '../workers/serve.ts';
import { clangFetch, clangScript } from './files.ts';
import type { ClangRequests } from './messages.ts';
import { sourceName } from './source-name.ts';

const headerPrefix = '../../src/nvptx/include/';
const headerTexts: Readonly<Record<string, string>> = import.meta.glob('../../src/nvptx/include/**/*', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const headers = folderOf(
  Object.entries(headerTexts).map(([path, text]) => [path.slice(headerPrefix.length), text] as const),
);

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

const handlers: Handlers<ClangRequests> = {
  async compile({ base, source }, progress) {
    let bytes = 0;
    report = (more) => {
      bytes += more;
      progress({ bytes });
    };
    clang ??= loadClang(base);
    return await compileWithWasmClang(await clang, {
      file: `/${sourceName}`,
      files: { [sourceName]: source },
      headers,
    });
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
