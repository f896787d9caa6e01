// Uses subgroup matrices for the products of `mma` and `wmma`, which the adapter multiplies in
// hardware. A matrix is loaded from the memory from which lanes loaded its words, and sums remain
// matrices through loops. Lanes exchange words with matrices only where other code reads the words.

import type { LanePlan } from '../../base/lane-plan.ts';
import { hasWholeWarps } from '../../base/lane-plan.ts';
import { countOf } from '../../base/maps.ts';
import type { MatrixConfig } from '../../base/matrix-config.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import { LaneForms } from '../analysis/lane-forms.ts';
import { findRanges, threadRanges } from '../analysis/ranges.ts';
import { ThreadForms } from '../analysis/thread-forms.ts';
import { analyzeUniformity } from '../analysis/uniformity.ts';
import { dominatorsOf, flowGraph, loopsOf, useCounts } from '../graph/index.ts';
import type { Builder } from '../ir/builder.ts';
import type { Func, Inst, Program, Value } from '../ir/nodes.ts';
import { readsLane, type WarpInst } from '../ir/warp-facts.ts';
import { arraysInWorkgroup, type MemoryPlan } from '../memory-plan.ts';
import { ArrayLayouts } from './matrices/array-layouts.ts';
import { Fragments } from './matrices/fragments.ts';
import { LaneValues } from './matrices/lane-values.ts';
import { splitLoopExits } from './matrices/loop-exits.ts';
import { writePlainAddresses } from './matrices/plain-addresses.ts';
import { Planner } from './matrices/plan.ts';
import { Rewriter } from './matrices/rewrite.ts';
import { NoMatrices, type Plan } from './matrices/sources.ts';
import { Insertions } from './memory/insertions.ts';
import { removeDeadCode } from './remove-dead-code.ts';

export interface MatrixOptions {
  /** The matrix products that the adapter supports. */
  readonly configs: readonly MatrixConfig[];
  readonly plan: LanePlan;
  readonly block: readonly [number, number, number];
  /** The instructions that keep indexes inside their arrays. */
  readonly clamps: ReadonlySet<Inst>;
  /** Whether to clamp the start of each matrix so that the matrix is inside its array. */
  readonly clampsStarts: boolean;
  /** The adapter's limit of workgroup memory, in bytes. */
  readonly workgroupBytes: number;
  /** Simplifies the program. */
  readonly cleanUp: () => void;
  /** The maximum ratio of packed operands to products. The default is 1/2. */
  readonly maxPackedShare?: number;
}

/**
 * The default maximum ratio of packed operands to products. On an H100, attention with 10 packed
 * operands for 32 products, and 12 sums that are unpacked, ran three times as fast as on words.
 */
const maxPackedShare = 1 / 2;
/**
 * The number of words through which a warp exchanges matrices: at most two at a time, of 16 x 16
 * f16 or 16 x 8 words. More memory would reduce the number of workgroups that run at the same time.
 * On an H100, `matmul-f16` ran 2.5 times as fast as with eight matrices at a time.
 */
const exchangeWords = 256;

export interface MatrixDecision {
  /** A description of the decision. */
  readonly note: string;
  /** The memory that the kernel needs, in which arrays may be larger. */
  readonly memory: MemoryPlan;
  /**
   * The bytes of workgroup memory that arrays may occupy if the kernel is to use matrices, because
   * workgroup memory is full; otherwise undefined.
   */
  readonly arrayBytes?: number;
}

/**
 * Replaces products of `mma` by products of matrices, and changes the kernel in place. Returns
 * undefined if the kernel contains no products or `configs` is empty.
 */
export function useMatrices(
  program: Program,
  builder: Builder,
  memory: MemoryPlan,
  options: MatrixOptions,
): MatrixDecision | undefined {
  const { kernel } = program;
  if (productsIn(kernel).length === 0 || options.configs.length === 0) return undefined;
  const [x, y, z] = options.block;
  const threads = x * y * z;
  const no = (reason: string): MatrixDecision => ({ note: `No subgroup matrices: ${reason}.`, memory });
  if (options.plan.kind !== 'native' || !hasWholeWarps(options.plan)) return no('a warp is not a subgroup');
  if (threads % 32 !== 0) return no('the last warp is incomplete');
  splitLoopExits(kernel, builder);
  let planned = planProducts(program, memory, options);
  if (typeof planned === 'string') return no(planned);
  if (planned.excess !== undefined) {
    // A matrix descriptor contains part of an address, so the addresses may be more than sums.
    writePlainAddresses(kernel, builder, findRanges(kernel, threadRanges(options.block)));
    options.cleanUp();
    splitLoopExits(kernel, builder);
    planned = planProducts(program, memory, options);
  }
  if (typeof planned === 'string') return no(planned);
  const { plan, layouts, forms, isUniform, excess } = planned;
  if (excess !== undefined) return no(excess);
  const isExchanged =
    plan.unpackings.length > 0 || [...plan.operands.values()].some((all) => all.some(({ kind }) => kind === 'words'));
  const moved = layouts.memory();
  const exchangeBytes = isExchanged ? (threads / 32) * 4 * exchangeWords : 0;
  const isFull = no('workgroup memory is full');
  if (exchangeBytes > options.workgroupBytes) return isFull;
  if (arraysInWorkgroup(moved) + exchangeBytes > options.workgroupBytes)
    return { ...isFull, arrayBytes: arraysInWorkgroup(memory) - 1 };
  const note = describe(plan);
  const insertions = new Insertions();
  const laneValues = new LaneValues({ builder, insertions, forms, block: options.block, isUniform });
  new Rewriter({ func: kernel, builder, insertions, laneValues }, plan).run();
  removeShuffles(kernel);
  layouts.moveAccesses(builder);
  return { note, memory: moved };
}

/** Returns the products of a kernel that matrices may compute. */
function productsIn({ blocks }: Func): readonly WarpInst[] {
  const isProduct = (inst: Inst): inst is WarpInst => inst.op === 'warp' && isMmaRow(inst.attrs.row);
  return blocks.flatMap(({ insts }) => insts.filter(isProduct));
}

interface Planned {
  readonly plan: Plan;
  readonly layouts: ArrayLayouts;
  readonly forms: LaneForms;
  /** Whether all lanes of a warp have the same value. */
  readonly isUniform: (value: Value) => boolean;
  /** The reason against matrices if too many operands would be packed. */
  readonly excess: string | undefined;
}

/** Plans the products of a kernel. Returns a reason if they must remain operations on words. */
function planProducts(
  program: Program,
  memory: MemoryPlan,
  { block, configs, clamps, clampsStarts, maxPackedShare: share = maxPackedShare }: MatrixOptions,
): Planned | string {
  const { kernel } = program;
  const products = productsIn(kernel);
  const uniformity = analyzeUniformity(program, memory, block);
  if (uniformity.obstacle !== undefined) return `${uniformity.obstacle}`;
  const isUniform = (value: Value) => uniformity.isUniform(value, 'warp');
  const forms = new LaneForms(kernel, { block, isUniform, isClamp: (inst) => clamps.has(inst) });
  const graph = flowGraph(kernel);
  const dominators = dominatorsOf(graph);
  const [x, y, z] = block;
  const layouts = new ArrayLayouts({
    program,
    memory,
    forms: new ThreadForms({ block, lanes: forms, isUniform: (value) => uniformity.isUniform(value, 'block') }),
    ranges: findRanges(kernel, threadRanges(block)),
    threads: x * y * z,
  });
  try {
    const plan = new Planner({
      func: kernel,
      configs,
      uniformity,
      dominators,
      loops: loopsOf(graph, dominators),
      fragments: new Fragments(forms, memory, layouts, clampsStarts),
    }).run(products);
    const packs = packsIn(plan);
    const excess =
      packs.length > share * products.length
        ? `${packs.length} operands of ${products.length} products would be packed: ${packs[0]?.reason}`
        : undefined;
    return { plan, layouts, forms, isUniform, excess };
  } catch (error) {
    if (error instanceof NoMatrices) return error.message;
    throw error;
  }
}

/**
 * Removes the shuffles that only products needed, and the instructions that only these shuffles
 * needed.
 */
function removeShuffles(kernel: Func): void {
  for (let removed = true; removed; ) {
    removed = false;
    removeDeadCode(kernel);
    const uses = useCounts(kernel);
    const isUnused = (inst: Inst): boolean =>
      inst.op === 'warp' && readsLane(inst) && inst.results.every((result) => countOf(uses, result) === 0);
    for (const block of kernel.blocks) {
      const kept = block.insts.filter((inst) => !isUnused(inst));
      removed ||= kept.length < block.insts.length;
      block.insts = kept;
    }
  }
}

/** Returns the operands that are packed before products. */
const packsIn = ({ operands }: Plan) => [
  ...new Set(
    [...operands.values()].flatMap((all) => all.flatMap((source) => (source.kind === 'words' ? [source] : []))),
  ),
];

function describe({ products, operands, unpackings }: Plan): string {
  const sources = [...operands.values()].flat();
  const packed = new Set(sources.flatMap((source) => (source.kind === 'words' ? [source.reason] : [])));
  const factors = packed.size === 0 ? 'factors are loaded as matrices' : [...packed].join('; ');
  const unpacked = unpackings.length === 0 ? 'no sum is unpacked' : `${unpackings.length} sums are unpacked`;
  return `Subgroup matrices for ${products.length} products: ${factors}; ${unpacked}.`;
}
