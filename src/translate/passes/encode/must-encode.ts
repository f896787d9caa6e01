// Decides which kernels are encoded. The size of a kernel's code after inlining all functions, as
// drivers do, predicts the time that a driver's compiler needs. All sizes are characters of WGSL.
import { exchangesInWorkgroup, type LanePlan } from '../../../base/lane-plan.ts';
import { getOrInsert } from '../../../base/maps.ts';
import { inlinedSize } from '../../../wgsl/helpers/library.ts';
import type { Func, Inst, Program } from '../../ir/nodes.ts';
import { warpFacts } from '../../ir/warp-facts.ts';

/**
 * The maximum size of a kernel that is not encoded. On an H200, NVIDIA's driver compiles kernels
 * below it within 15 s, and needs 10 s to more than 40 s for those above it.
 */
const maxCodeSize = 1_300_000;

/** The approximate size of an instruction that does not call a function. */
const instCode = 30;

/** Whether drivers would compile the kernel too slowly, and it can be encoded. Its IR is legal. */
export const mustEncode = (program: Program, plan: LanePlan): boolean =>
  new CodeSizes(program).ofFunction(program.kernel) > maxCodeSize && canEncode(program.kernel, plan);

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

  constructor({ functions }: Program) {
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
      default:
        return instCode;
    }
  }

  private ofCallee(name: string): number {
    const callee = this.functions.get(name);
    // Absent: the call is indirect, so another instruction contains the code of its callees.
    return callee === undefined ? 0 : getOrInsert(this.known, name, () => this.ofFunction(callee));
  }
}
