// Translates PTX to WGSL; lists the passes in order.
import type { FloatProfile } from '../base/float-profile.ts';
import { missing } from '../base/invariants.ts';
import { exchangesInWorkgroup, hasWholeWarps, type LanePlan, portablePlan, workgroupSize } from '../base/lane-plan.ts';
import { allWorkarounds, type Workarounds } from '../base/workarounds.ts';
import type { Diagnostic, Module, PtxFunction } from '../ptx/ast.ts';
import { maximaIn, threadRanges } from './analysis/ranges.ts';
import { readOnlyLoads } from './analysis/read-only.ts';
import { buildProgram } from './build/index.ts';
import { CompileError, compileDiagnostics, refuse } from './diagnostics.ts';
import { type Emitted, emitProgram } from './emit/index.ts';
import { kernelFacts } from './emit/kernel-facts.ts';
import { imageIn, lowerImages, referencesIn } from './image/lower-images.ts';
import { inPass } from './in-pass.ts';
import { Builder, Ids } from './ir/builder.ts';
import type { Func, Program } from './ir/nodes.ts';
import { printProgram } from './ir/print.ts';
import { assertValid } from './ir/verify.ts';
import { legalize } from './legalize/index.ts';
import { legalizeMemory } from './legalize/memory/memory.ts';
import { memoryOrderWarnings } from './memory-order.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { PassName } from './pass-names.ts';
import { cleanUp } from './passes/clean-up.ts';
import { compareNext } from './passes/compare-next.ts';
import { hideNegativeZeros } from './passes/hide-negative-zeros.ts';
import { hoistLoads } from './passes/hoist-loads.ts';
import { joinLoopWays } from './passes/join-loop-ways.ts';
import { joinProducts } from './passes/join-products.ts';
import { joinWaits } from './passes/join-waits.ts';
import { partBitTests } from './passes/part-bit-tests.ts';
import { resolveMemory } from './passes/resolve-memory.ts';
import { scheduleWaits } from './passes/schedule-waits.ts';
import { selectByVotes } from './passes/select-by-votes.ts';
import { shareGuards } from './passes/share-guards/index.ts';
import { unrollLoops } from './passes/unroll/index.ts';
import type { WgslProgram } from './program.ts';

export type { FloatProfile } from '../base/float-profile.ts';
export { type LanePlan, planFor } from '../base/lane-plan.ts';
export { statusCodes, statusPlaces } from './emit/program/status.ts';
export { layOutHeap, type ModuleMemory } from './layout.ts';
export { passNames } from './pass-names.ts';
export type { MessageSite, ParamPlace, StatusBuffer, WgslProgram } from './program.ts';

/** Options of `translate`. */
export interface TranslateOptions {
  /** The name of the kernel. It may be absent if the module has only one. */
  readonly entry?: string;
  /** The number of threads in a block, at most 1,024 in total. */
  readonly block: readonly [number, number, number];
  /** The number of blocks; required only if a dimension exceeds `maxWorkgroups`. */
  readonly grid?: readonly [number, number, number];
  /** Whether the blocks of the grid may wait for each other. */
  readonly cooperative?: boolean;
  /** The size of dynamic shared memory, in bytes. */
  readonly sharedBytes?: number;
  /**
   * The `.texref` and `.surfref` variables that the launch passes as parameters after those of the
   * kernel. The default is those that the kernel names.
   */
  readonly references?: readonly string[];
  /**
   * The numbers of the parameters that receive pointers. Without it, the program handles a 64-bit
   * parameter as a pointer or a number if the PTX does not say which.
   */
  readonly pointerParams?: readonly number[];
  /**
   * The numbers of the pointer parameters that get no binding of their own, because their memory is
   * in the heap or another parameter may point there.
   */
  readonly heapParams?: ReadonlySet<number>;
  /** The address in the heap at which the module's variables begin. The default is 0. */
  readonly heapStart?: number;
  /** Whether a trap reports its thread. */
  readonly reportTraps?: boolean;
  /** Whether textures and surfaces are available. The default is true. */
  readonly images?: boolean;
  /** The lane plan. */
  readonly plan: LanePlan;
  /** The f32 behavior of the adapter. */
  readonly float: FloatProfile;
  /** The workarounds to apply. The default is all, which are correct on any adapter. */
  readonly workarounds?: Workarounds;
  /** The adapter limit of workgroups per dimension. The default is 65,535. */
  readonly maxWorkgroups?: number;
  /** The adapter limit of invocations in a workgroup. The default is 1,024. */
  readonly maxInvocations?: number;
  /**
   * The adapter limit of workgroup memory, in bytes. The default is 32,768. A kernel is rejected
   * only if it exceeds an explicit limit.
   */
  readonly maxWorkgroupBytes?: number;
  /** The adapter limit of storage buffers per stage. The default is 8. */
  readonly maxStorageBuffers?: number;
  /**
   * The number of polls without a change after which a lane stops waiting for other blocks: an even
   * number, 2^22 by default.
   */
  readonly maxPolls?: number;
  /** Whether to warn if the kernel orders memory for other blocks, which WGSL does not support. */
  readonly warnMemoryOrder?: boolean;
  /** Called after each pass with its name and the text of the program. */
  readonly observe?: (pass: string, text: string) => void;
  /** Whether to verify the program after each pass, and throw if it is ill-formed. */
  readonly verify?: boolean;
}

/** The result of a translation. */
export interface TranslateResult {
  /** The program; undefined if there are errors. */
  readonly program: WgslProgram | undefined;
  /** Errors and warnings about the PTX. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The state of a kernel between passes. */
interface State {
  program: Program;
  readonly builder: Builder;
  readonly options: TranslateOptions;
  readonly workarounds: Workarounds;
  /** Undefined until memory is resolved. */
  memory: MemoryPlan | undefined;
}

interface Pass {
  readonly name: PassName;
  /** Whether the program is legal IR after the pass. */
  readonly legal?: true;
  readonly run: (state: State) => void;
}

/** For passes that do not record the instruction that they process. */
const nowhere = { span: undefined };

const functionsOf = ({ kernel, functions }: Program): readonly Func[] => [...functions, kernel];

function tidy({ program, builder }: State): void {
  for (const func of functionsOf(program)) cleanUp(func, builder);
}

export const passes: readonly Pass[] = [
  { name: 'clean-up', run: tidy },
  { name: 'schedule-waits', run: ({ program, builder }) => scheduleWaits(program, builder) },
  {
    name: 'unroll-loops',
    run: (state) => {
      const { program, builder, options } = state;
      const readOnly = readOnlyLoads(program, {
        maxStorageBuffers: options.maxStorageBuffers,
        slots: options.plan.slots,
        heapParams: options.heapParams,
      });
      let changed = false;
      for (const func of functionsOf(program))
        changed = unrollLoops(func, builder, { float: options.float, readOnly }) || changed;
      if (changed) tidy(state);
    },
  },
  {
    name: 'resolve-memory',
    run: (state) => {
      const { program, builder, options, workarounds } = state;
      const [x, y, z] = options.block;
      state.memory = resolveMemory(program, builder, {
        block: options.block,
        lanes: workgroupSize(options.plan, x * y * z) * options.plan.slots,
        slots: options.plan.slots,
        maxStorageBuffers: options.maxStorageBuffers,
        heapParams: options.heapParams,
        heapStart: options.heapStart,
        clampsArrayBases: workarounds.has('clamp-array-bases'),
      });
      tidy(state);
    },
  },
  {
    name: 'hoist-loads',
    run: ({ program, memory }) => {
      if (memory) for (const func of functionsOf(program)) hoistLoads(func, memory);
    },
  },
  {
    name: 'legalize-memory',
    run: (state) => {
      if (state.memory) legalizeMemory(state.program, state.builder, state.memory);
    },
  },
  {
    name: 'share-guards',
    run: (state) => {
      const { program, builder, options, workarounds } = state;
      if (state.memory === undefined) return;
      const { maxWorkgroupBytes = 32_768 } = options;
      state.memory = shareGuards(program, builder, state.memory, {
        float: options.float,
        workgroupBytes: maxWorkgroupBytes,
        votes: hasWholeWarps(options.plan),
        hidesConstants: workarounds.has('hide-group-constants'),
      });
    },
  },
  {
    name: 'hide-negative-zeros',
    run: ({ program, builder, workarounds }) => {
      if (!workarounds.has('hide-negative-zeros')) return;
      for (const func of functionsOf(program)) hideNegativeZeros(func, builder);
    },
  },
  {
    name: 'legalize',
    legal: true,
    run: (state) => {
      state.program = legalize(state.program, state.builder, {
        float: state.options.float,
        workarounds: state.workarounds,
        rangesOf: (func) => maximaIn(func, threadRanges(state.options.block)),
        sharedLooks: hasWholeWarps(state.options.plan),
      });
    },
  },
  {
    name: 'join-products',
    legal: true,
    run: ({ program, builder, options }) => {
      // These plans keep matrix words in memory: a joined product would save nothing, and need more memory.
      if (options.plan.slots > 1 || exchangesInWorkgroup(options.plan)) return;
      for (const func of functionsOf(program)) joinProducts(func, builder);
    },
  },
  {
    name: 'compare-next',
    legal: true,
    run: ({ program }) => {
      for (const func of functionsOf(program)) compareNext(func);
    },
  },
  {
    name: 'join-loop-ways',
    legal: true,
    run: ({ program, builder }) => {
      for (const func of functionsOf(program)) joinLoopWays(func, builder);
    },
  },
  {
    name: 'select-by-votes',
    legal: true,
    run: ({ program, builder, options, workarounds }) => {
      // On other plans, a ballot is joined from several, or shifted to its warp.
      if (options.plan.kind === 'native' && workarounds.has('select-by-votes')) selectByVotes(program.kernel, builder);
    },
  },
  {
    name: 'part-bit-tests',
    legal: true,
    run: ({ program, builder, workarounds }) => {
      if (!workarounds.has('part-bit-tests')) return;
      for (const func of functionsOf(program)) partBitTests(func, builder);
    },
  },
  {
    name: 'join-waits',
    legal: true,
    run: ({ program, builder, options, memory }) => {
      if (memory) joinWaits(program, builder, memory, options.block);
    },
  },
];

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

function translateFor(module: Module, options: TranslateOptions, shapeReason?: string): TranslateResult {
  const warnings: Diagnostic[] = [];
  const emitted = run(module, options, warnings, shapeReason);
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
  const state: State = { program, builder: new Builder(ids), options, workarounds, memory: undefined };
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
    memory,
    facts: () => kernelFacts(state.program, memory, block),
    observe: options.observe,
    verify: options.verify,
  };
  return inPass('emit', lowered.source, nowhere, () => emitProgram(state.program, emitting));
}

function foldedGrid({ grid, maxWorkgroups = 65535 }: TranslateOptions): WgslProgram['foldedGrid'] {
  return grid?.some((size) => size > maxWorkgroups) ? grid : undefined;
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
