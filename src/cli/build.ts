// `lanewise build`
import { basename } from 'node:path';
import { promisedFloats } from '../base/float-profile.ts';
import { planFor } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import { parseModule } from '../harness/executors/load-kernel.ts';
import { chooseEntry } from '../harness/infer/index.ts';
import { exitCodes } from '../harness/runs/results.ts';
import type { Diagnostic, PtxFunction } from '../ptx/ast.ts';
import { type BuiltKernel, buildModule } from '../runtime/build/built-module.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';
import { signatureOf } from '../runtime/launch/signature.ts';
import { translate, type WgslProgram } from '../translate/index.ts';
import { type Console, UsageError } from './console.ts';
import { readKernelText } from './read-kernel-text.ts';
import { writeReport } from './report-files.ts';

export interface BuildCommandOptions {
  readonly entry?: readonly string[];
  readonly block: Dim3;
  readonly shared: number;
  readonly output: string;
  readonly float: 'exact' | 'fast';
}

/** The subgroup sizes that adapters have; 0 for the portable plan. */
const sizes = [32, 64, 128, 16, 8, 4, 0] as const;

/**
 * Throws `UsageError`. Throws `KernelError` if the PTX cannot be translated, or if a kernel needs
 * memory other than the buffers of its parameters.
 */
export async function buildCommand(
  file: string,
  options: BuildCommandOptions,
  console: Pick<Console, 'err'>,
): Promise<number> {
  const { output } = options;
  if (!/\.m?js$/.test(output)) throw new UsageError(`-o ${output}: the name of the module must end in .js or .mjs`);
  const { name, text, origins, warnings } = await readKernelText(file);
  if (warnings !== '') console.err(`${warnings}\n`);
  const module = parseModule(text, name, origins);
  const entries = module.functions.filter(({ kind }) => kind === 'entry');
  const chosen = options.entry?.map((wanted) => chooseEntry(module, wanted)) ?? entries;
  const kernels = chosen.map((entry): BuiltKernel => {
    const programs = new Map(sizes.map((size) => [size, programOf(entry, size)] as const));
    return { name: entry.name, parameters: signatureOf(entry), programs };
  });
  const { js, dts, ownBytes } = buildModule(kernels, basename(file));
  writeReport(output, js);
  writeReport(output.replace(/\.(m?)js$/, '.d.$1ts'), dts);
  console.err(
    `${output}: ${chosen.map((entry) => entry.name).join(', ')}; ${ownBytes} bytes beside ${js.length - ownBytes} of shaders\n`,
  );
  return exitCodes.ok;

  function programOf(entry: PtxFunction, size: number): WgslProgram {
    const { program, diagnostics } = translate(module, {
      entry: entry.name,
      block: options.block,
      sharedBytes: options.shared,
      images: false,
      // Some browsers lack `subgroup_id`.
      plan: planFor(size, { subgroupId: false }),
      float: { mode: options.float, ...promisedFloats },
    });
    if (!program) throw new KernelError('unsupported', module.source, diagnostics);
    if (program.heap) throw new KernelError('unsupported', module.source, [needsHeap(entry, program)]);
    return program;
  }
}

function needsHeap({ name, span, params }: PtxFunction, { unclearParams }: WgslProgram): Diagnostic {
  const unclear = unclearParams.map((param) => `\`${params[param]?.name}\``).join(', ');
  const why =
    unclear === ''
      ? `\`${name}\` uses addresses as numbers, or variables of its module`
      : `PTX does not show whether ${unclear} of \`${name}\` is a number added to an address from memory`;
  return {
    code: 'LW2011',
    severity: 'error',
    message: `${why}: a built module has only the buffers of its parameters`,
    span,
    labels: [],
    hint: `${unclear === '' ? '' : 'declare each pointer as one (`.param .u64 .ptr p`), or '}load the PTX with \`lanewise/runtime\``,
  };
}
