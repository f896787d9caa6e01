// Compiles LLVM IR for NVPTX to PTX.
import type { Diagnostic } from '../ptx/ast.ts';
import { SyntaxFailure } from '../ptx/diagnostics/reporter.ts';
import { parseMetadata } from './parse/metadata.ts';
import { parseModule } from './parse/module.ts';
import { LineTable, type SourcePlace } from './select/lines.ts';
import { selectModule } from './select/module.ts';

/** The result of a compilation: PTX, or the first error. */
export interface CompiledIr {
  /** The PTX of all kernels and functions; undefined if there is an error. */
  readonly ptx: string | undefined;
  /** Errors. Their spans are offsets in the text of LLVM IR. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The positions in the CUDA source of the instruction with the error, if the IR has debug
   * locations. The first is that of the instruction. Those of the calls through which it was
   * inlined follow, from the innermost.
   */
  readonly places: readonly SourcePlace[];
}

/**
 * Compiles the text of an LLVM IR module (`.ll`, LLVM 19 to 22, triple `nvptx64-nvidia-cuda`) to
 * PTX. Optimized IR (`clang -O2 -emit-llvm`) is expected: this step selects instructions and does
 * not optimize.
 */
export function compileIr(text: string): CompiledIr {
  try {
    const module = parseModule(text);
    return { ptx: selectModule(module, new LineTable(module)), diagnostics: [], places: [] };
  } catch (error) {
    if (!(error instanceof SyntaxFailure)) throw error;
    const { diagnostic } = error;
    return { ptx: undefined, diagnostics: [diagnostic], places: placesOf(text, diagnostic.span.start) };
  }
}

/**
 * Returns the positions in the CUDA source of the instruction at an offset. Searches the text,
 * because it may not be possible to parse the line of the instruction.
 */
function placesOf(text: string, offset: number): readonly SourcePlace[] {
  const end = text.indexOf('\n', offset);
  const [, location] = / !dbg !(\d+)/.exec(text.slice(offset, end < 0 ? undefined : end)) ?? [];
  if (location === undefined) return [];
  const lines = new LineTable({ metadata: parseMetadata(text) });
  lines.directivesOf(Number(location));
  return lines.lastPlaces;
}
