// Translates PTX to WGSL.

import { missing } from '../base/invariants.ts';
import { portablePlan } from '../base/lane-plan.ts';
import { allWorkarounds } from '../base/workarounds.ts';
import type { Diagnostic, Module, PtxFunction } from '../ptx/ast.ts';
import { buildProgram } from './build/index.ts';
import { CompileError, compileDiagnostics, refuse } from './diagnostics.ts';
import { type Emitted, emitProgram } from './emit/index.ts';
import { kernelFacts } from './emit/kernel-facts.ts';
import { imageIn, lowerImages, referencesIn } from './image/lower-images.ts';
import { inPass } from './in-pass.ts';
import { Builder, Ids } from './ir/builder.ts';
import { printProgram } from './ir/print.ts';
import { assertValid } from './ir/verify.ts';
import { memoryOrderWarnings } from './memory-order.ts';
import type { TranslateOptions, TranslateResult } from './options.ts';
import { passes, type State } from './pipeline.ts';
import type { WgslProgram } from './program.ts';

export type { FloatProfile } from '../base/float-profile.ts';
export { type LanePlan, planFor } from '../base/lane-plan.ts';
export { statusCodes, statusPlaces } from './emit/program/status.ts';
export { layOutHeap, type ModuleMemory } from './layout.ts';
export type { TranslateOptions, TranslateResult } from './options.ts';
export { passNames } from './pass-names.ts';
export { passes } from './pipeline.ts';
export type { MessageSite, ParamPlace, StatusBuffer, WgslProgram } from './program.ts';

/** A place without a span, for passes that do not record the instruction that they process. */
const nowhere = { span: undefined };

/**
 * Translates a kernel to WGSL. Never throws for invalid or unsupported PTX, which `diagnostics`
 * reports; an `InternalError` is a fault of the compiler.
 *
 * @example
 * ```js
 * import { parsePtxOrThrow, planFor, translate } from 'lanewise';
 *
 * const float = { mode: 'exact', denormals: 'flushed', fma: 'unfused', contracts: true, div: 'approx', sqrt: 'approx' };
 * const { program, diagnostics } = translate(parsePtxOrThrow(ptx), { block: [256, 1, 1], plan: planFor(32), float });
 * console.log(program?.code);
 * ```
 */
export function translate(module: Module, options: TranslateOptions): TranslateResult {
  try {
    return options.plan.kind === 'portable' && options.plan.shape === undefined
      ? choosingShape(module, options)
      : translateFor(module, options);
  } catch (error) {
    if (error instanceof CompileError) return { program: undefined, diagnostics: [error.diagnostic] };
    throw error;
  }
}

/**
 * Translates for the portable plan: one lane per invocation if the block reaches every collective
 * together, else one warp per invocation.
 */
function choosingShape(module: Module, options: TranslateOptions): TranslateResult {
  const { maxWorkgroupBytes = 32_768, observe } = options;
  const seen: (readonly [string, string])[] = [];
  const collect = (name: string, text: string) => void seen.push([name, text]);
  const warnings: Diagnostic[] = [];
  const together = 'the block comes together to what its lanes do together';
  const own = { ...options, plan: portablePlan('lane'), ...(observe === undefined ? {} : { observe: collect }) };
  const emitted = run(module, own, warnings, together);
  const obstacle =
    'obstacle' in emitted
      ? emitted.obstacle
      : emitted.program.workgroupBytes > maxWorkgroupBytes
        ? `${emitted.program.workgroupBytes} bytes of workgroup memory, where the adapter has ${maxWorkgroupBytes}`
        : undefined;
  if (obstacle !== undefined || !('program' in emitted))
    return translateFor(module, { ...options, plan: portablePlan('warp') }, obstacle);
  for (const [name, text] of seen) observe?.(name, text);
  return { program: emitted.program, diagnostics: warnings };
}

function translateFor(
  module: Module,
  options: TranslateOptions,
  shapeReason?: string,
  matrixNote?: string,
): TranslateResult {
  const warnings: Diagnostic[] = [];
  const emitted = run(module, options, warnings, shapeReason, matrixNote);
  if ('obstacle' in emitted && options.matrices !== undefined && options.matrices.length > 0)
    return translateFor(
      module,
      { ...options, matrices: [] },
      shapeReason,
      `No subgroup matrices: ${emitted.obstacle}.`,
    );
  if ('program' in emitted) {
    const { kernel, workgroupBytes } = emitted.program;
    const { maxWorkgroupBytes: most = Number.POSITIVE_INFINITY, sharedBytes = 0 } = options;
    if (workgroupBytes > most)
      refuse(
        compileDiagnostics.tooMuchShared(kernel, workgroupBytes, sharedBytes, most),
        chooseEntry(module, kernel).span,
      );
    return { program: emitted.program, diagnostics: warnings };
  }
  throw new RangeError(`not with a lane per invocation: ${emitted.obstacle}`);
}

function run(
  module: Module,
  options: TranslateOptions,
  warnings: Diagnostic[],
  shapeReason: string | undefined,
  matrixNote?: string,
): Emitted {
  const { block, plan, float, workarounds = allWorkarounds } = options;
  const { sharedBytes = 0, cooperative = false, reportTraps = false } = options;
  const { heapStart = 0, maxPolls = 2 ** 22, maxInvocations = 1024 } = options;
  const entry = chooseEntry(module, options.entry);
  const threads = block[0] * block[1] * block[2];
  if (threads < 1 || threads > 1024) refuse(compileDiagnostics.blockTooLarge(threads), entry.span);
  const references = options.references ?? referencesIn(entry);
  if (options.images === false) refuseImages(module, entry);
  const lowered = inPass('lower-images', module.source, nowhere, () => lowerImages(module, entry, references));
  const kernel = lowered === module ? entry : chooseEntry(lowered, entry.name);
  const built = new Builder(new Ids());
  const shape = {
    block,
    dynamicShared: sharedBytes,
    pointerParams: options.pointerParams,
    cooperative,
    reportTraps,
    explicitCluster: kernel.explicitCluster,
  };
  const { program, ids } = inPass('build', lowered.source, built, () => buildProgram(lowered, kernel, shape, built));
  const state: State = { program, builder: new Builder(ids), options, workarounds, memory: undefined, rare: new Set() };
  const report = (name: string, legal: boolean) => {
    if (options.verify) assertValid(state.program, name, { legal });
    options.observe?.(name, printProgram(state.program));
  };
  if (options.warnMemoryOrder) warnings.push(...memoryOrderWarnings(program));
  report('build', false);
  for (const { name, run: pass, legal = false } of passes) {
    inPass(name, lowered.source, state.builder, () => pass(state));
    report(name, legal);
  }
  const { memory } = state;
  if (memory === undefined) return missing('the plan of memory');
  const emitting = {
    plan,
    float,
    workarounds,
    block,
    foldedGrid: foldedGrid(options),
    heapStart,
    maxPolls,
    maxInvocations,
    shapeReason,
    matrixNote: matrixNote ?? state.matrixNote,
    memory,
    facts: () => kernelFacts(state.program, memory, block),
    observe: options.observe,
    verify: options.verify,
  };
  return inPass('emit', lowered.source, nowhere, () => emitProgram(state.program, emitting));
}

function foldedGrid({ grid, maxWorkgroups = 65535 }: TranslateOptions): WgslProgram['foldedGrid'] {
  return grid === 'overrides' || grid?.some((size) => size > maxWorkgroups) ? grid : undefined;
}

/** Refuses the first texture or surface instruction that the kernel may reach. */
function refuseImages(module: Module, entry: PtxFunction): void {
  for (const fn of [entry, ...module.functions.filter(({ kind }) => kind === 'func')]) {
    const image = imageIn(fn);
    if (image) refuse(compileDiagnostics.notSupported('a texture or surface', 'read from memory instead'), image.span);
  }
}

function chooseEntry(module: Module, name: string | undefined): PtxFunction {
  const entries = module.functions.filter((fn) => fn.kind === 'entry');
  const names = entries.map((fn) => fn.name);
  const [first] = entries;
  const nowhere = { start: 0, end: Math.min(1, module.source.text.length) };
  if (name !== undefined)
    return entries.find((fn) => fn.name === name) ?? refuse(compileDiagnostics.noEntry(name, names), nowhere);
  if (first === undefined) return refuse(compileDiagnostics.noEntry(undefined, []), nowhere);
  if (entries.length > 1) return refuse(compileDiagnostics.severalEntries(names), first.span);
  return first;
}
