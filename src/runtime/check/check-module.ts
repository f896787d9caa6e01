// Checks before a launch whether kernels can run on the device.

import type { Dim3 } from '../../base/launch.ts';
import { reachableFrom } from '../../harness/infer/reachable.ts';
import type { Diagnostic, Module, PtxFunction, Source } from '../../ptx/ast.ts';
import { PtxError } from '../../ptx/diagnostics/error.ts';
import { renderDiagnostic } from '../../ptx/diagnostics/render.ts';
import { KernelError } from '../launch/kernel-error.ts';

/**
 * A reason why a kernel cannot run on the device. `LoadedModule.check` returns a list of such
 * reasons.
 */
export interface KernelProblem {
  /** The name of the kernel. */
  readonly kernel: string;
  /** The size of the blocks for which the kernel was checked. */
  readonly block: Dim3;
  /** The problem, with its place in the PTX. */
  readonly diagnostic: Diagnostic;
  /** The diagnostic with its code frame. */
  readonly text: string;
}

/**
 * Returns the problems of a kernel. `compile` throws `PtxError` or `KernelError` if the kernel
 * cannot run.
 */
export function problemsOf(
  module: Module,
  entry: PtxFunction,
  block: Dim3,
  compile: () => void,
): readonly KernelProblem[] {
  const text = (diagnostic: Diagnostic) => renderDiagnostic(module.source, diagnostic, { color: false });
  return diagnosticsOf(compile, module.source, unsupportedIn(module, entry)).map((diagnostic) => ({
    kernel: entry.name,
    block,
    diagnostic,
    text: text(diagnostic),
  }));
}

function diagnosticsOf(compile: () => void, source: Source, unsupported: readonly Diagnostic[]): readonly Diagnostic[] {
  try {
    compile();
    return [];
  } catch (error) {
    const isOfKernel = error instanceof PtxError || error instanceof KernelError;
    if (!isOfKernel || error.source !== source) throw error;
    // The translator stops at the first unsupported instruction, so report all of them.
    const stopsAtOne = error.diagnostics.some((diagnostic) => unsupported.includes(diagnostic));
    return stopsAtOne ? unsupported : error.diagnostics;
  }
}

/** Returns a diagnostic for each unsupported instruction that the kernel can reach. */
const unsupportedIn = (module: Module, entry: PtxFunction): readonly Diagnostic[] =>
  reachableFrom(module, entry).flatMap(({ body }) =>
    body.flatMap((statement) => (statement.kind === 'unsupported' ? [statement.diagnostic] : [])),
  );
