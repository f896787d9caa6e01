// Converts the messages of the driver's compiler to diagnostics at their lines.

import { type Launch, sourceOf } from '../../base/launch.ts';
import type { Diagnostic, Span } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type CudaError, results } from '../cuda/cuda-error.ts';

/** The results of the driver for PTX that may be valid, but not on this GPU and driver. */
const unsupported: ReadonlySet<number> = new Set([results.noBinaryForGpu, results.unsupportedPtxVersion]);
/**
 * Matches messages about PTX that may be valid on another GPU or driver, for example "Instruction
 * 'redux.f32' not supported on .target 'sm_90'". "Missing .version" is included, because the driver
 * compiles only whole modules, but a fragment may be valid elsewhere.
 */
const needsAnother =
  /not supported on|requires (?:\.target|PTX)|Unsupported \.version|does not support \.target|SM version|Missing \.version/;

/**
 * Returns the `KernelError` for PTX that the driver rejected. Its kind is 'unsupported' if the PTX
 * requires another GPU or driver, and otherwise 'invalid'.
 */
export function jitError(launch: Launch, error: CudaError): KernelError {
  const source = sourceOf(launch);
  const found = diagnosticsOf(source.text, error);
  const elsewhere = unsupported.has(error.code) || found.every(({ message }) => needsAnother.test(message));
  return new KernelError(elsewhere ? 'unsupported' : 'invalid', source, found);
}

/**
 * Returns at least one diagnostic. If the log names no line, the error itself is reported at the
 * start of the text.
 */
function diagnosticsOf(text: string, { code, log, message }: CudaError): Diagnostic[] {
  const make = (line: number, words: string): Diagnostic => ({
    code: `CUDA${code}`,
    severity: 'error',
    message: words,
    span: spanOf(text, line),
    labels: [],
    hint: undefined,
  });
  // An error looks like this: "ptxas application ptx input, line 8; error : Unknown symbol 'x'"
  const found = [...log.matchAll(/line (\d+); (?:fatal|error)\s*: (.*)/g)].map(([, line, words = '']) =>
    make(Number(line), words.trim()),
  );
  return found.length > 0 ? found : [make(1, message)];
}

/** Returns the span of a line without its indentation. Lines start at 1. */
function spanOf(text: string, line: number): Span {
  const lines = text.split('\n');
  const index = Math.min(line, lines.length) - 1;
  const start = lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0);
  const words = lines[index] ?? '';
  return { start: start + (words.length - words.trimStart().length), end: start + words.trimEnd().length };
}
