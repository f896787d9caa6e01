// The passes, in order.

import { flushesExactly } from '../base/float-profile.ts';
import { missing } from '../base/invariants.ts';
import { exchangesInWorkgroup, hasWholeWarps, workgroupSize } from '../base/lane-plan.ts';
import type { MatrixConfig } from '../base/matrix-config.ts';
import type { Workarounds } from '../base/workarounds.ts';
import { maximaIn, threadRanges } from './analysis/ranges.ts';
import { readOnlyLoads } from './analysis/read-only.ts';
import { isYield } from './analysis/wait.ts';
import { flowGraph } from './graph/index.ts';
import type { Builder } from './ir/builder.ts';
import type { Block, Func, Inst, Program } from './ir/nodes.ts';
import { legalize } from './legalize/index.ts';
import { legalizeMemory } from './legalize/memory/memory.ts';
import type { MemoryPlan } from './memory-plan.ts';
import type { TranslateOptions } from './options.ts';
import type { PassName } from './pass-names.ts';
import {
  copyPassPart,
  encodePart,
  guardPart,
  loopPart,
  matrixPassPart,
  variablePart,
  waitPassPart,
  workaroundPart,
} from './pass-parts.ts';
import { cleanUp } from './passes/clean-up.ts';
import { compareNext } from './passes/compare-next.ts';
import { foldRanges } from './passes/fold-ranges.ts';
import { hoistLoads } from './passes/hoist-loads.ts';
import { joinLoopWays } from './passes/join-loop-ways.ts';
import { resolveMemory } from './passes/resolve-memory.ts';
import { scheduleWaits } from './passes/schedule-waits.ts';

/** The state of a kernel between passes. */
export interface State {
  program: Program;
  readonly builder: Builder;
  readonly options: TranslateOptions;
  readonly workarounds: Workarounds;
  /** The memory plan; undefined until memory is resolved. */
  memory: MemoryPlan | undefined;
  /** The instructions that clamp the indexes of arrays. */
  clamps?: ReadonlySet<Inst>;
  /** Blocks that rarely execute: exact paths with many operations. */
  readonly rare: Set<Block>;
  /** The bytes of workgroup memory for arrays; the other arrays are in a buffer. */
  readonly arrayBytes: number;
  /** The form of the kernel. */
  readonly form: CodeForm;
  /** Whether unrolled loops are a large part of the kernel. */
  isUnrolled?: boolean;
  /** The decision about subgroup matrices. */
  matrixNote?: string | undefined;
  /** The bytes of workgroup memory for arrays with which the kernel can use subgroup matrices. */
  matrixArrayBytes?: number | undefined;
  /** The changes to asynchronous copies. */
  copyNote?: string | undefined;
}

/**
 * The forms of a kernel, the fastest first. If a kernel is so large that a driver would compile it
 * too slowly, it is translated to the next form.
 * - `unrolled`: all passes run.
 * - `rolled`: loops are not unrolled.
 * - `encoded`: the kernel is a loop over instructions in a buffer.
 */
export type CodeForm = 'unrolled' | 'rolled' | 'encoded';

interface Pass {
  readonly name: PassName;
  /** Whether the program must be legal IR after the pass. */
  readonly legal?: true;
  /** The forms of kernels to which the pass applies; undefined for all. */
  readonly forms?: readonly CodeForm[];
  readonly run: (state: State) => void;
}

const functionsOf = ({ kernel, functions }: Program): readonly Func[] => [...functions, kernel];

/** The growth of a kernel by unrolling from which it may be much shorter without. */
const minGrowth = 1.25;

/** Whether an edge leads to the same or an earlier block in reverse postorder. */
function hasLoop(func: Func): boolean {
  return flowGraph(func).successors.some((successors, from) => successors.some((to) => to <= from));
}

function tidy({ program, builder }: State): void {
  for (const func of functionsOf(program)) cleanUp(func, builder);
}

const direct = ['unrolled', 'rolled'] as const;

export const passes: readonly Pass[] = [
  { name: 'clean-up', run: tidy },
  {
    name: 'promote-variables',
    run: (state) => {
      // Absent: the kernel does not use the address of any parameter.
      const { variables, paramCopies = [] } = state.program;
      if (paramCopies.length === 0 && !variables.some(({ space }) => space === 'local')) return;
      if (variablePart.content.promoteVariables(state.program, state.builder)) tidy(state);
    },
  },
  {
    name: 'fold-ranges',
    run: (state) => {
      const ranges = threadRanges(state.options.block);
      for (const func of functionsOf(state.program)) {
        // Values that come from removed code no longer have ranges, so more values may be known.
        while (foldRanges(func, ranges)) cleanUp(func, state.builder);
      }
    },
  },
  { name: 'schedule-waits', run: ({ program, builder }) => scheduleWaits(program, builder) },
  {
    name: 'unroll-loops',
    forms: ['unrolled'],
    run: (state) => {
      const { program, builder, options } = state;
      if (!functionsOf(program).some(hasLoop)) return;
      const { unrollLoops } = loopPart.content;
      const readOnly = readOnlyLoads(program, {
        maxStorageBuffers: options.maxStorageBuffers,
        slots: options.plan.slots,
        workgroupBytes: state.arrayBytes,
        heapParams: options.heapParams,
      });
      const growth = unrollLoops(functionsOf(program), builder, { float: options.float, readOnly });
      if (growth === undefined) return;
      tidy(state);
      state.isUnrolled = growth > minGrowth;
    },
  },
  {
    name: 'resolve-memory',
    run: (state) => {
      const { program, builder, options, workarounds, form } = state;
      const [x, y, z] = options.block;
      const clamps = new Set<Inst>();
      state.clamps = clamps;
      state.memory = resolveMemory(program, builder, {
        block: options.block,
        lanes: workgroupSize(options.plan, x * y * z) * options.plan.slots,
        slots: options.plan.slots,
        // An encoded kernel has a buffer of instructions, and perhaps one of registers. Absent: the
        // default limit of WebGPU.
        maxStorageBuffers: form === 'encoded' ? (options.maxStorageBuffers ?? 8) - 2 : options.maxStorageBuffers,
        workgroupBytes: state.arrayBytes,
        heapParams: options.heapParams,
        heapStart: options.heapStart,
        clampsArrayBases: workarounds.has('clamp-array-bases'),
        clamps,
      });
      tidy(state);
    },
  },
  {
    name: 'join-waits',
    forms: direct,
    run: ({ program, builder, options, memory }) => {
      const hasYields = program.kernel.blocks.some(({ insts }) => insts.some(isYield));
      if (memory && hasYields) waitPassPart.content.joinWaits(program, builder, memory, options.block);
    },
  },
  {
    name: 'divide-copies',
    forms: direct,
    run: ({ program, builder, options, memory }) => {
      if (memory) matrixPassPart.ifLoaded?.divideCopies(program, builder, memory, options.block);
    },
  },
  {
    name: 'use-matrices',
    forms: direct,
    run: (state) => {
      const { program, builder, options, workarounds, memory, clamps } = state;
      const { matrices = [], maxWorkgroupBytes: workgroupBytes = 32_768, plan, block, float } = options;
      // The adapter's float sums may differ from the sums that the mode requires.
      const isAllowed = ({ result, sums }: MatrixConfig) =>
        float.matrix !== 'hopper' || sums === 'hopper' || result === 'i32' || result === 'u32';
      const configs = matrices.filter(isAllowed);
      if (memory === undefined || clamps === undefined || configs.length === 0) return;
      const decision = matrixPassPart.ifLoaded?.useMatrices(program, builder, memory, {
        ...{ configs, plan, block, clamps, workgroupBytes },
        clampsStarts: workarounds.has('clamp-matrix-starts'),
        cleanUp: () => tidy(state),
      });
      state.matrixNote = decision?.note;
      state.matrixArrayBytes = decision?.arrayBytes;
      if (decision !== undefined) state.memory = decision.memory;
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
    name: 'overlap-copies',
    forms: direct,
    run: (state) => {
      const { program, builder, options } = state;
      // Other plans would keep the copied words of several lanes in arrays.
      if (options.plan.slots === 1)
        state.copyNote = copyPassPart.ifLoaded?.overlapCopies(functionsOf(program), builder);
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
    forms: direct,
    run: (state) => {
      const { program, builder, options, workarounds } = state;
      if (state.memory === undefined || !flushesExactly(options.float)) return;
      const { maxWorkgroupBytes = 32_768 } = options;
      state.memory = guardPart.content.shareGuards(program, builder, state.memory, {
        float: options.float,
        workgroupBytes: maxWorkgroupBytes,
        votes: hasWholeWarps(options.plan),
        hidesConstants: workarounds.has('hide-group-constants'),
        rare: state.rare,
      });
    },
  },
  {
    name: 'hide-negative-zeros',
    run: ({ program, builder, workarounds }) => {
      if (!workarounds.has('hide-negative-zeros')) return;
      for (const func of functionsOf(program)) workaroundPart.content.hideNegativeZeros(func, builder);
    },
  },
  {
    name: 'legalize',
    legal: true,
    run: (state) => {
      state.program = legalize(state.program, state.builder, {
        float: state.options.float,
        rare: state.rare,
        workarounds: state.workarounds,
        rangesOf: (func) => maximaIn(func, threadRanges(state.options.block)),
        sharedLooks: hasWholeWarps(state.options.plan),
        isEncoded: state.form === 'encoded',
      });
    },
  },
  {
    name: 'join-products',
    legal: true,
    forms: direct,
    run: ({ program, builder, options }) => {
      // These plans keep matrix words in memory. A joined product would save nothing, and would
      // need more memory.
      if (options.plan.slots > 1 || exchangesInWorkgroup(options.plan)) return;
      for (const func of functionsOf(program)) matrixPassPart.ifLoaded?.joinProducts(func, builder);
    },
  },
  {
    name: 'compare-next',
    legal: true,
    forms: direct,
    run: ({ program }) => {
      for (const func of functionsOf(program)) compareNext(func);
    },
  },
  {
    name: 'join-loop-ways',
    legal: true,
    forms: direct,
    run: ({ program, builder }) => {
      for (const func of functionsOf(program)) joinLoopWays(func, builder);
    },
  },
  {
    name: 'select-by-votes',
    legal: true,
    forms: direct,
    run: ({ program, builder, options, workarounds }) => {
      // On other plans, a ballot must be combined from several ballots, or shifted to its warp.
      if (options.plan.kind === 'native' && workarounds.has('select-by-votes'))
        workaroundPart.content.selectByVotes(program.kernel, builder);
    },
  },
  {
    name: 'part-bit-tests',
    legal: true,
    forms: direct,
    run: ({ program, builder, workarounds }) => {
      if (!workarounds.has('part-bit-tests')) return;
      for (const func of functionsOf(program)) workaroundPart.content.partBitTests(func, builder);
    },
  },
];

const encoding: Pass = {
  name: 'encode',
  forms: ['encoded'],
  legal: true,
  run: (state) => {
    const memory = state.memory ?? missing('the plan of memory');
    state.memory = encodePart.content.encode(state.program, state.builder, memory);
  },
};

/** Returns the passes for a form of a kernel. */
export const passesFor = (form: CodeForm): readonly Pass[] =>
  [...passes, encoding].filter(({ forms }) => forms === undefined || forms.includes(form));
