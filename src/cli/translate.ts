// `lanewise translate`
import { promisedFloats } from '../base/float-profile.ts';
import { planFor } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import { allWorkarounds, type Workarounds } from '../base/workarounds.ts';
import { parseModule } from '../harness/executors/load-kernel.ts';
import { fragmentToKernel } from '../harness/launches/fragment-kernel.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { renderDiagnostic } from '../ptx/index.ts';
import { KernelError } from '../runtime/launch/kernel-error.ts';
import { translate } from '../translate/index.ts';
import { passNames } from '../translate/pass-names.ts';
import { type Console, UsageError } from './console.ts';
import { readKernelText } from './read-kernel-text.ts';
import { probeReport, toJson, writeReport } from './report-files.ts';

export interface TranslateCommandOptions {
  readonly entry?: string;
  readonly block: Dim3;
  readonly subgroupSize: number;
  readonly printAfter?: string;
  readonly sourceMap?: string;
  readonly warnMemoryOrder?: boolean;
  /** Ids of workarounds to leave out. */
  readonly without?: readonly string[];
  readonly float: 'exact' | 'fast';
}

export async function translateCommand(
  file: string,
  options: TranslateCommandOptions,
  console: Console,
): Promise<number> {
  const { printAfter, sourceMap } = options;
  if (printAfter !== undefined && !passNames.includes(printAfter)) {
    throw new UsageError(`there is no pass '${printAfter}': use ${passNames.join(', ')}`);
  }
  if (printAfter !== undefined && sourceMap !== undefined) {
    throw new UsageError('--source-map tells of the WGSL, which --print-after leaves out: give one of them');
  }
  if (sourceMap !== undefined) probeReport(sourceMap);
  const { name, text, origins, warnings } = await readKernelText(file);
  if (warnings !== '') console.err(`${warnings}\n`);
  const module = fragmentToKernel(parseModule(text, name, origins));
  // The adapter is unknown.
  const workarounds = withoutThose(options.without ?? []);
  let printed: string | undefined;
  const { program, diagnostics } = translate(module, {
    ...(options.entry === undefined ? {} : { entry: options.entry }),
    block: options.block,
    plan: planFor(options.subgroupSize),
    float: { mode: options.float, ...promisedFloats },
    warnMemoryOrder: options.warnMemoryOrder ?? false,
    workarounds,
    observe: (pass, text) => {
      if (pass === options.printAfter) printed = text;
    },
  });
  // The form after an early pass is there even if a later one refuses the kernel.
  if (printed !== undefined) {
    console.out(printed.endsWith('\n') ? printed : `${printed}\n`);
    return exitCodes.ok;
  }
  if (!program) throw new KernelError('unsupported', module.source, diagnostics);
  const color = console.errColors.isColorSupported;
  for (const warning of diagnostics) console.err(`${renderDiagnostic(module.source, warning, { color })}\n`);
  if (sourceMap !== undefined) {
    const { kernel, plan, mode, sourceMap: lines } = program;
    const shape = plan.shape === undefined ? {} : { shape: plan.shape, shapeReason: program.shapeReason ?? null };
    const how = { lanePlan: plan.kind, ...shape, mode, reason: program.reason ?? null };
    const document = { schemaVersion: 1, ptx: name, kernel, ...how, workarounds: [...workarounds], lines };
    writeReport(sourceMap, toJson(document));
  }
  console.out(program.code);
  return exitCodes.ok;
}

function withoutThose(ids: readonly string[]): Workarounds {
  const all = [...allWorkarounds];
  const unknown = ids.find((id) => !all.some((known) => known === id));
  if (unknown !== undefined) throw new UsageError(`there is no workaround '${unknown}': use ${all.join(', ')}`);
  return new Set(all.filter((id) => !ids.includes(id)));
}
