// Translates PTX to WGSL.

import { clusterGrid, oneBlock } from '../base/cluster.ts';
import { countOf } from '../base/dim3.ts';
import { InternalError, missing } from '../base/invariants.ts';
import { portablePlan } from '../base/lane-plan.ts';
import type { Dim3 } from '../base/launch.ts';
import { allWorkarounds } from '../base/workarounds.ts';
import type { Diagnostic, Module, PtxFunction } from '../ptx/ast.ts';
import { bulkPart } from './build/bulk-part.ts';
import { buildProgram } from './build/index.ts';
import { reservedShared } from './build/launch-shape.ts';
import { namesRanks } from './cluster/rank-instructions.ts';
import type { Tree } from './control/tree.ts';
import type { ControlStage } from './control/verify.ts';
import { CompileError, compileDiagnostics, refuse } from './diagnostics.ts';
import { type Emitted, emitProgram } from './emit/index.ts';
import { factsPart } from './facts-part.ts';
import { imageIn, referencesIn } from './image/image-instructions.ts';
import type { lowerImages } from './image/lower-images.ts';
import { inPass } from './in-pass.ts';
import { Builder, Ids } from './ir/builder.ts';
import type { Program } from './ir/nodes.ts';
import { memoryOrderWarnings } from './memory-order.ts';
import { arraysInWorkgroup } from './memory-plan.ts';
import type { TranslateOptions, TranslateResult } from './options.ts';
import { encodePart, variablePart } from './pass-parts.ts';
import { type CodeForm, passesFor, type State } from './pipeline.ts';
import type { WgslProgram } from './program.ts';
import { hasTensors } from './tensor/tensor-instructions.ts';

/** A place without a span, for passes that do not record the instruction that they process. */
const nowhere = { span: undefined };

/** Optional parts of the compiler, which the caller provides. */
export interface Tools {
  /** Makes the parts available that a page loads on use (`parts/load.ts`). */
  readonly provideAllParts: () => void;
  /** Required unless `images` is false. */
  readonly lowerImages: typeof lowerImages;
  /** Required for `observe` and `verify`. */
  readonly inspector: (options: TranslateOptions) => Inspector;
}

/** Receives the kernel after each pass. */
export interface Inspector {
  /** `legal`: whether the program is legal IR. */
  onProgram(pass: string, program: Program, legal: boolean): void;
  onControl(pass: ControlStage, tree: readonly Tree[], kernel: Program['kernel']): void;
}

export interface ToolOptions extends TranslateOptions {
  readonly tools?: Tools | undefined;
}

/**
 * Translates a kernel as `translate` does. Throws InternalError for options that need missing
 * tools.
 */
export function translateWith(module: Module, options: ToolOptions): TranslateResult {
  options.tools?.provideAllParts();
  try {
    // A workgroup runs more threads if each invocation runs a warp.
    const obstacle = bulkPart.ifLoaded?.clusterObstacle(chooseEntry(module, options.entry), options);
    if (obstacle !== undefined)
      return translateFor(module, { ...options, plan: portablePlan('warp'), matrices: [] }, obstacle);
    return options.plan.kind === 'portable' && options.plan.shape === undefined
      ? choosingShape(module, options)
      : translateFor(module, options);
  } catch (error) {
    if (error instanceof CompileError) return { program: undefined, diagnostics: [error.diagnostic] };
    throw error;
  }
}

/**
 * Translates for the portable plan. The plan has one lane per invocation if the block reaches every
 * collective together, and otherwise one warp per invocation.
 */
function choosingShape(module: Module, options: ToolOptions): TranslateResult {
  const { maxWorkgroupBytes = 32_768, observe } = options;
  const seen: (readonly [string, string])[] = [];
  const collect = (name: string, text: string) => void seen.push([name, text]);
  const warnings: Diagnostic[] = [];
  const together = 'the whole block executes each warp instruction';
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
  options: ToolOptions,
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
    const { maxWorkgroupBytes: most = Number.POSITIVE_INFINITY } = options;
    if (workgroupBytes > most)
      refuse(compileDiagnostics.tooMuchWorkgroupMemory(kernel, workgroupBytes, most), chooseEntry(module, kernel).span);
    return { program: emitted.program, diagnostics: warnings };
  }
  throw new RangeError(`not with a lane per invocation: ${emitted.obstacle}`);
}

/** What earlier translations of the kernel found. */
interface Found {
  /** The functions that must be inlined. */
  readonly inlined: ReadonlySet<string>;
  /** The form in which drivers compile the kernel fast enough. */
  readonly form: CodeForm;
  /** The bytes of workgroup memory for arrays. The rest of the adapter's is for other variables. */
  readonly arrayBytes: number;
}

type Translated = Exclude<Emitted, { readonly unstructured: string } | { readonly isLarge: true }>;

/** What the next translation must change, because drivers reject the shader or compile it slowly. */
type Retry = Pick<Found, 'form'> | Pick<Found, 'arrayBytes'>;

/**
 * Translates a kernel. If the kernel is large, changes its form. If its variables exceed workgroup
 * memory, or leave no room for subgroup matrices, moves arrays to a buffer. If a function cannot be
 * structured, inlines it. Then translates again.
 */
function run(
  module: Module,
  options: ToolOptions,
  warnings: Diagnostic[],
  shapeReason: string | undefined,
  matrixNote?: string,
): Translated {
  const inlined = new Set<string>();
  const { maxWorkgroupBytes = Number.POSITIVE_INFINITY } = options;
  let found: Found = { inlined, form: 'unrolled', arrayBytes: maxWorkgroupBytes };
  for (;;) {
    const own: Diagnostic[] = [];
    const emitted = runOnce(module, options, own, found, shapeReason, matrixNote);
    if ('form' in emitted || 'arrayBytes' in emitted) {
      found = { ...found, ...emitted };
      continue;
    }
    if (!('unstructured' in emitted)) {
      warnings.push(...own);
      return emitted;
    }
    if (inlined.has(emitted.unstructured)) throw new InternalError(`${emitted.unstructured} is not inlined`);
    inlined.add(emitted.unstructured);
  }
}

function runOnce(
  module: Module,
  options: ToolOptions,
  warnings: Diagnostic[],
  { inlined, form, arrayBytes }: Found,
  shapeReason: string | undefined,
  matrixNote: string | undefined,
): Translated | { readonly unstructured: string } | Retry {
  const { plan, float, workarounds = allWorkarounds } = options;
  const { sharedBytes = 0, cooperative = false, reportTraps = false } = options;
  const { heapStart = 0, maxPolls = 2 ** 22, maxInvocations = 1024 } = options;
  const entry = chooseEntry(module, options.entry);
  const threads = countOf(options.block);
  if (threads < 1 || threads > 1024) refuse(compileDiagnostics.blockTooLarge(threads), entry.span);
  // Without the part, the text contains no instruction and no special register of a cluster. Then
  // each workgroup runs one block.
  const clusters = bulkPart.ifLoaded?.planCluster(entry, options);
  const size = clusters ? clusters.size : oneBlock;
  const blocks = countOf(size);
  // A workgroup runs the threads of all blocks of a cluster in one row.
  const block: Dim3 = clusters ? [clusters.lanes, 1, 1] : options.block;
  const tools = () => options.tools ?? missing('the tools of the compiler');
  const withoutImages = inPass('lower-images', module.source, nowhere, () => {
    if (options.images !== false) return tools().lowerImages(module, entry, options.references ?? referencesIn(entry));
    refuseImages(module, entry);
    return module;
  });
  const lowered = inPass('lower-tensors', module.source, nowhere, () =>
    hasTensors(withoutImages) ? bulkPart.content.lowerTensors(withoutImages, entry.name, blocks) : withoutImages,
  );
  const checked = inPass('check-ranks', module.source, nowhere, () =>
    namesRanks(lowered) ? bulkPart.content.checkRanks(lowered, blocks) : lowered,
  );
  const isPartial = blocks > 1 && threads % 32 !== 0;
  const whole = isPartial ? bulkPart.content.endMissingLanes(checked, entry, threads) : checked;
  const kernel = whole === module ? entry : chooseEntry(whole, entry.name);
  const built = new Builder(new Ids());
  const cluster =
    clusters && bulkPart.content.clusterShape(size, options.block, whole, kernel, sharedBytes, reservedShared);
  const shape = {
    block: options.block,
    cluster,
    dynamicShared: sharedBytes,
    pointerParams: options.pointerParams,
    cooperative,
    reportTraps,
    explicitCluster: kernel.explicitCluster || options.cluster !== undefined,
  };
  const { program, ids } = inPass('build', checked.source, built, () =>
    buildProgram(whole, kernel, shape, built, inlined),
  );
  const state: State = {
    program,
    builder: new Builder(ids),
    options: { ...options, block },
    workarounds,
    memory: undefined,
    rare: new Set(),
    arrayBytes,
    form,
  };
  const inspector = options.observe || options.verify ? tools().inspector(options) : undefined;
  if (options.warnMemoryOrder) warnings.push(...memoryOrderWarnings(program));
  inspector?.onProgram('build', state.program, false);
  for (const { name, run: pass, legal = false } of passesFor(form)) {
    inPass(name, checked.source, state.builder, () => pass(state));
    inspector?.onProgram(name, state.program, legal);
  }
  const { memory } = state;
  if (memory === undefined) return missing('the plan of memory');
  if (state.matrixArrayBytes !== undefined) return { arrayBytes: state.matrixArrayBytes };
  // Without the part, the text has no shared memory.
  variablePart.ifLoaded?.checkShared(entry, state.program.variables, sharedBytes, cluster?.stride);
  // A page that did not load the part translates small kernels.
  const { isUnrolled = false } = state;
  const sizes = { plan, memory, driver: options.driver, isUnrolled };
  const maxPairs = form === 'encoded' ? undefined : encodePart.ifLoaded?.maxPairs(state.program, sizes);
  const larger: Retry = { form: isUnrolled ? 'rolled' : 'encoded' };
  if (maxPairs !== undefined && maxPairs < 0) return larger;
  const emitting = {
    plan,
    float,
    workarounds,
    block,
    foldedGrid: foldedGrid(options, size),
    heapStart,
    maxPolls,
    maxInvocations,
    maxPairs,
    shapeReason,
    matrixNote: matrixNote ?? state.matrixNote,
    copyNote: state.copyNote,
    memory,
    facts: () => factsPart.content.kernelFacts(state.program, memory, block),
    ...(inspector && {
      onControl: (pass: ControlStage, tree: readonly Tree[]) => inspector.onControl(pass, tree, state.program.kernel),
    }),
  };
  const emitted = inPass('emit', checked.source, nowhere, () => emitProgram(state.program, emitting));
  if ('isLarge' in emitted) return larger;
  if ('program' in emitted) {
    const { workgroupBytes } = emitted.program;
    const { maxWorkgroupBytes = Number.POSITIVE_INFINITY } = options;
    const ofArrays = arraysInWorkgroup(memory);
    // The plan also counts arrays that the shader does not use, so their size alone may not suffice.
    if (workgroupBytes > maxWorkgroupBytes && ofArrays > 0)
      return { arrayBytes: Math.min(ofArrays - 1, maxWorkgroupBytes - (workgroupBytes - ofArrays)) };
  }
  if (cluster === undefined || !('program' in emitted)) return emitted;
  return { program: { ...emitted.program, block: options.block, cluster: size } };
}

function foldedGrid(
  { grid: given, maxWorkgroups = 65535 }: TranslateOptions,
  cluster: Dim3,
): WgslProgram['foldedGrid'] {
  const grid = typeof given === 'object' ? clusterGrid(given, cluster) : given;
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
