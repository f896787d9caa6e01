// The diagnostic of a kernel that the driver did not compile within the time limit.

import type { Diagnostic, Source } from '../../ptx/ast.ts';
import { renderDiagnostic } from '../../ptx/diagnostics/render.ts';
import type { WgslProgram } from '../../translate/index.ts';
import { CompileTimeout } from '../device/gpu-error.ts';

/** The names of the settings that may help if a compilation exceeds the time limit. */
export interface WaysOut {
  /** The setting for fast f32. */
  readonly float: string;
  readonly plan: string;
  readonly limit: string;
}

/** The settings of the command line that may help. */
export const cliWaysOut: WaysOut = { float: '--float fast', plan: '--plan', limit: '--compile-timeout' };

/** The settings of `Runtime.open` that may help. */
export const runtimeWaysOut: WaysOut = { float: "float: 'fast'", plan: 'plan', limit: 'compileTimeout' };

/** A kernel whose compilation was abandoned. */
export interface Abandoned {
  readonly program: Pick<WgslProgram, 'kernel' | 'code' | 'block'>;
  readonly source: Source;
  /** The place of the kernel in the PTX. */
  readonly span: Diagnostic['span'];
  /** Whether the kernel's f32 arithmetic is already fast. */
  readonly isFast: boolean;
}

/**
 * Returns an error for a compilation that was abandoned after `limitMs` milliseconds. It states the
 * cause, and the settings that may help.
 */
export function compileTimeout(
  { program, source, span, isFast }: Abandoned,
  limitMs: number,
  ways: WaysOut,
): CompileTimeout {
  const { kernel, code, block } = program;
  const attempts = [
    ...(isFast ? [] : [`fast f32 (\`${ways.float}\`), whose shaders are shorter`]),
    `another lane plan (\`${ways.plan}\`)`,
    ...(block[0] * block[1] * block[2] > 32 ? ['a smaller block'] : []),
  ];
  const diagnostic: Diagnostic = {
    code: 'LW2016',
    severity: 'error',
    message: `the driver did not compile \`${kernel}\` within ${limitMs / 1000} s: its shader has ${Math.ceil(code.length / 1024)} KiB of WGSL`,
    span,
    labels: [],
    hint: `try ${attempts.join(', or ')}, or allow more time (\`${ways.limit}\`)`,
  };
  return new CompileTimeout(renderDiagnostic(source, diagnostic), limitMs);
}
