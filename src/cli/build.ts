// `lanewise build`
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, buildKernels } from '../build/build-kernels.ts';
import type { KernelToWrite } from '../build/module-text.ts';
import { writeJavaScript, writeTypeScript } from '../build/write-module.ts';
import { parseModule } from '../harness/executors/load-kernel.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type Console, UsageError } from './console.ts';
import { type KernelText, readKernelText } from './read-kernel-text.ts';
import { writeReport } from './report-files.ts';

/** The options that `withBuilding` adds to a command. */
export interface KernelBuildOptions extends Omit<BuildOptions, 'block' | 'entries' | 'plans'> {
  readonly entry?: readonly string[];
  readonly block?: BuildOptions['block'];
  readonly plan?: BuildOptions['plans'];
  readonly readable?: boolean;
}

export interface BuildCommandOptions extends KernelBuildOptions {
  readonly output: string;
}

/** Translates the kernels of a text. Throws the errors of `buildKernels`. */
export function kernelsOf({ name, text, origins }: KernelText, options: KernelBuildOptions): readonly KernelToWrite[] {
  const { entry: entries, plan: plans, block = [], ...others } = options;
  return buildKernels(parseModule(text, name, origins), { ...others, entries, plans, block });
}

/** Runs the command. Throws `UsageError`, and the errors of `buildKernels`. */
export async function buildCommand(
  file: string,
  { output, readable = false, ...options }: BuildCommandOptions,
  console: Pick<Console, 'err'>,
): Promise<number> {
  const [, ending] = /\.(m?[jt]s)$/.exec(output) ?? [];
  if (ending === undefined)
    throw new UsageError(`-o ${output}: the name of the module must end in .js, .mjs, .ts or .mts`);
  const text = await readKernelText(file);
  if (text.warnings !== '') console.err(`${text.warnings}\n`);
  const kernels = kernelsOf(text, options);
  const writing = { source: basename(file), readable };
  let code: string;
  if (ending.endsWith('ts')) code = writeTypeScript(kernels, writing);
  else {
    const { js, dts } = writeJavaScript(kernels, writing);
    code = js;
    writeReport(output.replace(/\.(m?)js$/, '.d.$1ts'), dts);
  }
  writeReport(output, code);
  const shaders = new Set(kernels.flatMap(({ variants }) => variants.map(({ program }) => program.code))).size;
  const sizes = `${code.length} bytes, ${gzipSync(code).length} compressed`;
  console.err(`${output}: ${kernels.map((kernel) => kernel.name).join(', ')}; ${shaders} shaders; ${sizes}\n`);
  return exitCodes.ok;
}
