// The requests of the page to the worker that compiles CUDA.
import type { WasmClangResult } from '../../src/nvptx/clang/compile.ts';

export interface CompileRequest {
  /** The address of the folder with clang's files. */
  readonly base: string;
  readonly source: string;
}

/** The number of compressed bytes of the compiler that have arrived. */
export interface ClangProgress {
  readonly bytes: number;
}

export interface ClangRequests {
  compile: { args: CompileRequest; result: WasmClangResult; progress: ClangProgress };
}
