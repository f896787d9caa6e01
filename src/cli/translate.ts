// `lanewise translate`
import { promisedFloats } from '../base/float-profile.ts';
import { planFor } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import type { MatrixMode } from '../base/matrix-mode.ts';
import { oneLine } from '../base/printable.ts';
import { allWorkarounds, type Workarounds } from '../base/workarounds.ts';
import { parseModule } from '../harness/executors/load-kernel.ts';
import { chooseEntry, entriesOf, entryTitle } from '../harness/infer/index.ts';
import { fragmentToKernel } from '../harness/launches/fragment-kernel.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { type Module, offsetOf, originOf, renderDiagnostic } from '../ptx/index.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';
import { translate, type WgslProgram } from '../translate/index.ts';
import { passNames } from '../translate/pass-names.ts';
import { type Console, UsageError } from './console.ts';
import { reportError } from './errors.ts';
import { readKernelText } from './read-kernel-text.ts';
import { jsonOrigin, probeReport, toJson, writeReport } from './report-files.ts';

export interface TranslateCommandOptions {
  readonly entry?: string;
  readonly block: Dim3;
  readonly subgroupSize: number;
  readonly printAfter?: string;
  readonly sourceMap?: string;
  readonly warnMemoryOrder?: boolean;
  /** Ids of the workarounds to omit. */
  readonly without?: readonly string[];
  readonly float: 'exact' | 'fast';
  readonly matrix?: MatrixMode;
}

export async function translateCommand(
  file: string,
  options: TranslateCommandOptions,
  console: Console,
): Promise<number> {
  const { printAfter, sourceMap } = options;
  if (printAfter !== undefined && !passNames.includes(printAfter)) {
    throw new UsageError(`unknown pass '${printAfter}': expected one of ${passNames.join(', ')}`);
  }
  if (printAfter !== undefined && sourceMap !== undefined) {
    throw new UsageError('--source-map describes the WGSL, which --print-after replaces: use only one of them');
  }
  if (sourceMap !== undefined) probeReport(sourceMap);
  const { name, text, origins, warnings } = await readKernelText(file);
  if (warnings !== '') console.err(`${warnings}\n`);
  const module = fragmentToKernel(parseModule(text, name, origins));
  // The adapter is unknown, so all workarounds apply.
  const workarounds = withoutThose(options.without ?? []);
  const chosen = options.entry === undefined ? entriesOf(module) : [chooseEntry(module, options.entry)];
  if (sourceMap !== undefined && chosen.length > 1) {
    throw new UsageError(
      `--source-map describes one kernel, but ${name} has ${chosen.length}: choose one with --entry`,
    );
  }
  const color = console.errColors.isColorSupported;
  let code: number = exitCodes.ok;
  // If the file does not contain a kernel, the translator reports this.
  for (const [index, entry] of (chosen.length === 0 ? [undefined] : chosen).entries()) {
    let printed: string | undefined;
    const { program, diagnostics } = translate(module, {
      ...(entry === undefined ? {} : { entry: entry.name }),
      block: options.block,
      plan: planFor(options.subgroupSize),
      float: { mode: options.float, matrix: options.matrix, ...promisedFloats },
      warnMemoryOrder: options.warnMemoryOrder ?? false,
      workarounds,
      observe: (pass, text) => {
        if (pass === printAfter) printed = text;
      },
    });
    if (entry !== undefined && chosen.length > 1) {
      console.out(
        `${index === 0 ? '' : '\n'}// Kernel ${index + 1} of ${chosen.length}: ${oneLine(entryTitle(entry.name), 300)}\n`,
      );
    }
    // Print the IR after an early pass even if a later pass refuses the kernel.
    if (printed !== undefined) {
      console.out(printed.endsWith('\n') ? printed : `${printed}\n`);
      continue;
    }
    if (!program) {
      const error = new KernelError('unsupported', module.source, diagnostics);
      if (chosen.length <= 1) throw error;
      // If a kernel cannot be translated, still translate the others.
      console.out('// Not supported: the message is on stderr.\n');
      code = reportError(error, console);
      continue;
    }
    for (const warning of diagnostics) console.err(`${renderDiagnostic(module.source, warning, { color })}\n`);
    if (sourceMap !== undefined) writeReport(sourceMap, toJson(mapDocument(module, name, program, workarounds)));
    console.out(program.code);
  }
  return code;
}

/**
 * Returns the source map: for each line of the WGSL, its line of the PTX and, if known, of the CUDA
 * source.
 */
function mapDocument(module: Module, ptx: string, program: WgslProgram, workarounds: Workarounds): object {
  const { kernel, plan, mode, sourceMap } = program;
  const shape = plan.shape === undefined ? {} : { shape: plan.shape, shapeReason: program.shapeReason ?? null };
  const how = { lanePlan: plan.kind, ...shape, mode, reason: program.reason ?? null };
  const lines = sourceMap.map((each) => {
    const start = offsetOf(module.source, each.ptxLine, 1);
    const origin = start === undefined ? undefined : originOf(module.source, start);
    return origin === undefined ? each : { ...each, cuda: jsonOrigin(origin) };
  });
  return { schemaVersion: 1, ptx, kernel, ...how, workarounds: [...workarounds], lines };
}

function withoutThose(ids: readonly string[]): Workarounds {
  const all = [...allWorkarounds];
  const unknown = ids.find((id) => !all.some((known) => known === id));
  if (unknown !== undefined) throw new UsageError(`unknown workaround '${unknown}': expected one of ${all.join(', ')}`);
  return new Set(all.filter((id) => !ids.includes(id)));
}
