// Compiles LLVM IR for NVPTX to PTX.
import type { Diagnostic } from '../ptx/ast.ts';
import { SyntaxFailure } from '../ptx/diagnostics/reporter.ts';
import { parseModule } from './parse/module.ts';
import { LineTable, type SourcePlace } from './select/lines.ts';
import { selectModule } from './select/module.ts';

/** The result of a compilation: PTX, or the first error. */
export interface CompiledIr {
  /** The PTX of all kernels and functions; undefined if there is an error. */
  readonly ptx: string | undefined;
  /** Errors. Their spans are offsets in the text of LLVM IR. */
  readonly diagnostics: readonly Diagnostic[];
  /** The place in the CUDA source of the instruction with the error, if the IR has debug locations. */
  readonly place: SourcePlace | undefined;
}

/**
 * Compiles the text of an LLVM IR module (`.ll`, LLVM 19 to 22, triple `nvptx64-nvidia-cuda`) to PTX.
 * Optimized IR (`clang -O2 -emit-llvm`) is expected: this step selects instructions and does not
 * optimize.
 */
export function compileIr(text: string): CompiledIr {
  let lines: LineTable | undefined;
  try {
    const module = parseModule(text);
    lines = new LineTable(module);
    return { ptx: selectModule(module, lines), diagnostics: [], place: undefined };
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    return { ptx: undefined, diagnostics: [error.diagnostic], place: lines?.lastPlace };
  }
}
