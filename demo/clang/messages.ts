// The requests of the page to the worker that compiles CUDA.
import type { WasmClangResult } from '../../src/nvptx/clang/compile.ts';
import type { CompiledProgram } from '../../src/nvptx/clang/compile-program.ts';

export interface CompileRequest {
  /** The address of the folder with clang's files. */
  readonly base: string;
  readonly source: string;
}

/** The number of compressed bytes of the compiler that have arrived. */
export interface ClangProgress {
  readonly bytes: number;
}

/** A compiled program, or the messages of the compiler. */
export type ProgramResult = { readonly compiled: CompiledProgram } | { readonly messages: string };

export interface ClangRequests {
  compile: { args: CompileRequest; result: WasmClangResult; progress: ClangProgress };
  /** Compiles both halves of a program with a `main`. */
  compileProgram: { args: CompileRequest; result: ProgramResult; progress: ClangProgress };
}
