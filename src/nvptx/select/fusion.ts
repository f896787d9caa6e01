// Selects the products that become part of a fused multiply-add.
import { countOf } from '../../base/maps.ts';
import type { Block, InstructionOf, LlvmFunction, Value } from '../ir/module.ts';
import { leavesOf } from '../ir/types.ts';

type Binary = InstructionOf<'binary'>;

export interface FusedSum {
  readonly product: Binary;
  readonly addend: Value;
  readonly negateProduct: boolean;
  readonly negateAddend: boolean;
}

/**
 * Finds the sums that become `fma`. The product and the sum must allow contraction and be in the
 * same block. LLVM's NVPTX back end and nvcc fuse the same operations, so their results have the
 * same bits.
 */
export class Fusion {
  private readonly sums = new Map<Binary, FusedSum>();
  private readonly fused = new Set<Binary>();

  constructor({ blocks }: LlvmFunction) {
    const uses = countUses(blocks ?? []);
    for (const block of blocks ?? []) this.addBlock(block, uses);
  }

  productOf(sum: Binary): FusedSum | undefined {
    return this.sums.get(sum);
  }

  /**
   * Whether every use of this product is a fused sum, so that no instruction computes the product
   * alone.
   */
  isFused(product: Binary): boolean {
    return this.fused.has(product);
  }

  private addBlock({ instructions }: Block, uses: ReadonlyMap<string, number>): void {
    const products = new Map<string, Binary>();
    const left = new Map<string, number>();
    for (const instruction of instructions) {
      if (instruction.op !== 'binary') continue;
      const { code, result } = instruction;
      if (!instruction.flags.has('contract') && !instruction.flags.has('fast')) continue;
      if (leavesOf(instruction.type).some(({ type }) => type.kind === 'bfloat')) continue;
      if (code === 'fmul' && result !== undefined) {
        products.set(result, instruction);
        left.set(result, countOf(uses, result));
      }
      const sum = code === 'fadd' || code === 'fsub' ? fusedSum(instruction, products, uses) : undefined;
      if (sum === undefined) continue;
      this.sums.set(instruction, sum);
      const name = sum.product.result;
      if (name === undefined) continue;
      const remaining = countOf(left, name) - 1;
      left.set(name, remaining);
      if (remaining === 0) this.fused.add(sum.product);
    }
  }
}

/**
 * Finds the product that a sum includes. If both operands are products, chooses the same one as
 * LLVM: the one with fewer uses, or else the left one.
 */
function fusedSum(
  { code, left, right }: Binary,
  products: ReadonlyMap<string, Binary>,
  uses: ReadonlyMap<string, number>,
): FusedSum | undefined {
  const productOf = (value: Value): Binary | undefined =>
    value.kind === 'local' ? products.get(value.name) : undefined;
  const [first, second] = [productOf(left), productOf(right)];
  const usesOf = ({ result }: Binary): number => (result === undefined ? 0 : countOf(uses, result));
  const takesFirst = first !== undefined && (second === undefined || usesOf(first) <= usesOf(second));
  const isDifference = code === 'fsub';
  if (takesFirst) return { product: first, addend: right, negateProduct: false, negateAddend: isDifference };
  if (second !== undefined) return { product: second, addend: left, negateProduct: isDifference, negateAddend: false };
  return undefined;
}

function countUses(blocks: readonly Block[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { instructions } of blocks)
    for (const instruction of instructions)
      forEachOperand(instruction, (value) => {
        if (value.kind === 'local') counts.set(value.name, countOf(counts, value.name) + 1);
      });
  return counts;
}

/** Calls `visit` for every operand of an instruction. */
export function forEachOperand(instruction: Block['instructions'][number], visit: (value: Value) => void): void {
  switch (instruction.op) {
    case 'ret':
    case 'br': {
      const value = instruction.op === 'ret' ? instruction.value : instruction.condition;
      if (value !== undefined) visit(value);
      return;
    }
    case 'switch':
    case 'cast':
    case 'unary':
    case 'extractvalue':
    case 'freeze':
      return visit(instruction.value);
    case 'binary':
    case 'compare':
    case 'shufflevector':
      visit(instruction.left);
      return visit(instruction.right);
    case 'select':
      visit(instruction.condition);
      visit(instruction.left);
      return visit(instruction.right);
    case 'extractelement':
      visit(instruction.value);
      return visit(instruction.index);
    case 'insertelement':
      visit(instruction.index);
      visit(instruction.value);
      return visit(instruction.element);
    case 'insertvalue':
      visit(instruction.value);
      return visit(instruction.element);
    case 'alloca':
      if (instruction.count !== undefined) visit(instruction.count);
      return;
    case 'load':
      return visit(instruction.pointer);
    case 'store':
    case 'atomicrmw':
      visit(instruction.pointer);
      return visit(instruction.value);
    case 'cmpxchg':
      visit(instruction.pointer);
      visit(instruction.expected);
      return visit(instruction.value);
    case 'getelementptr':
      visit(instruction.pointer);
      for (const index of instruction.indices) visit(index);
      return;
    case 'phi':
      for (const { value } of instruction.incoming) visit(value);
      return;
    case 'call':
      for (const { value } of instruction.args) visit(value);
      return;
    case 'fence':
    case 'unreachable':
      return;
  }
}
