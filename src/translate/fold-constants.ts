// nvcc puts `b`, `c` and `membermask` of a shuffle in registers through `mov`; the immediate forms are what lower to one instruction.
// Registers written once, by an unguarded `mov` of a constant, are replaced by the constant; the same for copies of such registers.
import type { ImmediateOperand, Instruction, Operand, Register } from '../ptx/ast.ts';
import { type Block, countDefinitions, isDestination, mapOperands } from './ir.ts';

type Known = ReadonlyMap<string, ImmediateOperand>;

/// Block dimensions are known when a kernel is translated, so %ntid folds too.
export function foldConstants(blocks: readonly Block[], specials: ReadonlyMap<string, number>): Block[] {
  const known = new Map<string, ImmediateOperand>();
  const definitions = countDefinitions(blocks);
  let current: readonly Block[] = blocks;
  // Each round may turn copies into constants: all that follow in the order of the code, and some that do not.
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    current = current.map((block) => ({
      code: block.code.map((instruction) => {
        const folded = substitute(instruction, known, specials);
        learn(folded, definitions, known);
        return folded;
      }),
      end:
        block.end.kind === 'switch'
          ? { ...block.end, selector: replace(block.end.selector, known, specials) }
          : block.end,
    }));
  }
  return [...current];
}

function learn(
  instruction: Instruction,
  definitions: ReadonlyMap<string, number>,
  known: Map<string, ImmediateOperand>,
) {
  const { d, a } = instruction.operands;
  if (instruction.row.name !== 'mov' || instruction.guard || d?.kind !== 'register' || a?.kind !== 'immediate') return;
  if (definitions.get(d.register.name) === 1) known.set(d.register.name, a);
}

function substitute(instruction: Instruction, known: Known, specials: ReadonlyMap<string, number>): Instruction {
  return mapOperands(instruction, (operand, name) =>
    isDestination(instruction, name) ? operand : replace(operand, known, specials),
  );
}

function replace(operand: Operand, known: Known, specials: ReadonlyMap<string, number>): Operand {
  if (operand.kind === 'register') return constantOf(operand.register, known, operand.negated) ?? operand;
  if (operand.kind === 'special') {
    const value = specials.get(operand.name);
    return value === undefined
      ? operand
      : { kind: 'immediate', bits: BigInt(value), type: operand.type, span: operand.span };
  }
  if (operand.kind === 'vector') {
    const elements = operand.elements.map((element) => replace(element, known, specials) as typeof element);
    return elements.every((element, index) => element === operand.elements[index]) ? operand : { ...operand, elements };
  }
  return operand;
}

function constantOf(register: Register, known: Known, negated: boolean): ImmediateOperand | undefined {
  const value = known.get(register.name);
  return value && negated ? { ...value, bits: value.bits ^ 1n } : value;
}
