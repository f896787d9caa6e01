// Decides which kernels keep their loops, and which are encoded. The size of a kernel's code after
// inlining all functions, as drivers do, predicts the time that a driver's compiler needs. All sizes
// are characters of WGSL.
import type { Driver } from '../../../base/adapter-facts.ts';
import { at, get } from '../../../base/invariants.ts';
import { exchangesInWorkgroup, type LanePlan } from '../../../base/lane-plan.ts';
import { getOrInsert } from '../../../base/maps.ts';
import { matrixForm } from '../../../isa/fragments.ts';
import { isMatchRow, isMmaRow } from '../../../isa/row-names.ts';
import { inlinedSize } from '../../../wgsl/helpers/library.ts';
import type { Root } from '../../ir/memory.ts';
import type { Func, Inst, Program } from '../../ir/nodes.ts';
import { type WarpInst, warpFacts } from '../../ir/warp-facts.ts';
import type { MemoryPlan } from '../../memory-plan.ts';

interface MaxSizes {
  /** The maximum size with unrolled loops. */
  readonly unrolled: number;
  /** The maximum size of a kernel that is not encoded. */
  readonly direct: number;
}

/**
 * On an H200, NVIDIA's driver compiles 500,000 characters in 2 to 5 s. It compiles kernels below
 * 1,300,000 characters within 15 s, and needs 10 s to more than 40 s for those above.
 */
const gpuSizes: MaxSizes = { unrolled: 500_000, direct: 1_300_000 };

/**
 * SwiftShader compiles 200,000 characters in 3 s on one processor. It did not compile two of seven
 * kernels with 550,000 characters or more in 90 s.
 */
const swiftShaderSizes: MaxSizes = { unrolled: 150_000, direct: 550_000 };

/** The approximate size of an instruction that does not call a function. */
const instCode = 30;

/**
 * The size of a product of float matrices, for each word of the result in a lane and each column of
 * A. Its code is shorter: 75 characters for f16, 280 for `m8n8k4`. But drivers need longer for each
 * of them. On an H200, Triton's attention with 64 products and without subgroup matrices compiles
 * for 29 s.
 */
const floatProductCode = 350;
/** The same for products of integers. */
const integerProductCode = 25;

/**
 * The size of an access to memory whose accesses are ordered by fences. Its code is shorter, but the
 * driver must not move it. On an H200, two kernels with 500 to 700 such accesses and 600,000
 * characters compile for 8 and 12 s.
 */
const orderedCode = 1_500;
const matchCode = 6_000;
const f32AtomicCode = 3_000;
/** The size of an access to a 64-bit cell that has a lock. */
const cellCode = 1_000;

/**
 * The size that predicts the driver's time for a variable and a case of a dispatch. The driver
 * connects each variable with each case. On an H200, it needs 0.2 to 1 ms for each pair, and 7 ms
 * for 1,000 characters.
 */
const pairCode = 80;

export interface PairOptions {
  readonly plan: LanePlan;
  readonly memory: MemoryPlan;
  readonly driver: Driver | undefined;
  /** Whether unrolled loops are a large part of the kernel. */
  readonly isUnrolled: boolean;
}

/**
 * Returns the maximum number of pairs of a variable and a case in a dispatch, above which drivers
 * compile another form of the kernel faster. It is negative if this holds even without a dispatch,
 * and undefined if the kernel has no other form. The IR of the kernel is legal.
 */
export function maxPairs(program: Program, { plan, memory, driver, isUnrolled }: PairOptions): number | undefined {
  if (!isUnrolled && !canEncode(program.kernel, plan)) return undefined;
  const sizes = driver === 'swiftshader' ? swiftShaderSizes : gpuSizes;
  const max = isUnrolled ? sizes.unrolled : sizes.direct;
  return (max - new CodeSizes(program, memory).ofFunction(program.kernel)) / pairCode;
}

/**
 * Whether a kernel can be encoded. Lanes of an encoded kernel reconverge only at instructions with a
 * member mask. A plan without subgroups cannot dispatch warp instructions.
 */
const canEncode = ({ blocks }: Func, plan: LanePlan): boolean =>
  blocks.every(({ insts }) =>
    insts.every(
      (inst) =>
        inst.operation.effect !== 'warp' ||
        (inst.op === 'warp' && !exchangesInWorkgroup(plan) && warpFacts(inst.attrs.row).membermask !== undefined),
    ),
  );

class CodeSizes {
  private readonly functions: ReadonlyMap<string, Func>;
  private readonly known = new Map<string, number>();
  private readonly memory: MemoryPlan;

  constructor({ functions }: Program, memory: MemoryPlan) {
    this.memory = memory;
    this.functions = new Map(functions.map((func) => [func.name, func]));
  }

  ofFunction({ blocks }: Func): number {
    let size = 0;
    for (const { insts } of blocks) for (const inst of insts) size += this.of(inst);
    return size;
  }

  private of(inst: Inst): number {
    switch (inst.op) {
      case 'helper':
        return instCode + inlinedSize(inst.attrs.name);
      case 'steps':
        return inst.attrs.functions.reduce(
          (size, { name }) => size + inlinedSize(name),
          instCode * (inst.attrs.calls.length + inst.args.length),
        );
      case 'call':
        return instCode + this.ofCallee(inst.attrs.callee);
      case 'warp':
        return instCode + warpCode(inst);
      case 'load':
      case 'store':
        return this.isOrdered(inst.attrs.place.root) ? orderedCode : instCode;
      case 'atomic':
        return inst.attrs.type === 'f32' ? f32AtomicCode : instCode;
      case 'cell':
        return cellCode;
      default:
        return instCode;
    }
  }

  private isOrdered(root: Root): boolean {
    const { heap, buffers, arrays } = this.memory;
    switch (root.kind) {
      case 'heap':
        return heap.ordered;
      case 'buffer':
        return get(buffers, root.param, 'a buffer').ordered;
      case 'array':
        return at(arrays, root.array, 'an array').ordered;
      default:
        return false;
    }
  }

  private ofCallee(name: string): number {
    const callee = this.functions.get(name);
    // Absent: the call is indirect, so another instruction contains the code of its callees.
    return callee === undefined ? 0 : getOrInsert(this.known, name, () => this.ofFunction(callee));
  }
}

function warpCode({ attrs: { row, mods }, results }: WarpInst): number {
  if (isMatchRow(row)) return matchCode;
  if (!isMmaRow(row)) return 0;
  const { types, k } = matrixForm(mods);
  return (types.d === 's32' ? integerProductCode : floatProductCode) * results.length * k;
}
