// nvcc puts `b`, `c` and `membermask` of a shuffle in registers through `mov`; the immediate forms are what lower to one instruction.
// Registers written once, by an unguarded `mov` of a constant or by integer arithmetic on constants, are replaced by the constant, and
// what such a predicate decides is decided here.
import type { Guard, ImmediateOperand, Instruction, Operand, Register } from '../ptx/ast.ts';
import { evaluate } from './evaluate.ts';
import { type Block, countDefinitions, isDestination, mapOperands, rowNamed, type Terminator } from './ir.ts';
import { simplifyControlFlow } from './simplify-control-flow.ts';

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
      code: block.code.flatMap((instruction): Instruction[] => {
        const { guard } = instruction;
        const holds = guard && decided(guard, known);
        if (holds === false) return [];
        const folded = fold(substitute(holds ? { ...instruction, guard: undefined } : instruction, known, specials));
        learn(folded, definitions, known);
        return [folded];
      }),
      end:
        block.end.kind === 'switch'
          ? { ...block.end, selector: replace(block.end.selector, known, specials) }
          : block.end,
    }));
  }
  return decideBranches(current, known);
}

function decideBranches(blocks: readonly Block[], known: Known): Block[] {
  let changed = false;
  const decide = (end: Terminator): Terminator => {
    const holds = end.kind === 'branch' ? decided(end.guard, known) : undefined;
    if (end.kind !== 'branch' || holds === undefined) return end;
    changed = true;
    return { kind: 'jump', to: holds ? end.then : end.else };
  };
  const result = blocks.map(({ code, end }) => ({ code, end: decide(end) }));
  return changed ? simplifyControlFlow(result) : result;
}

/// Whether the guard lets the instruction execute, where that is known.
function decided({ register, negated }: Guard, known: Known): boolean | undefined {
  const value = known.get(register.name);
  return value && (value.bits !== 0n) !== negated;
}

/// Arithmetic on constants as the `mov` of its result.
function fold(instruction: Instruction): Instruction {
  const evaluated = instruction.row.name === 'mov' ? undefined : evaluate(instruction);
  if (evaluated === undefined) return instruction;
  const { d, value } = evaluated;
  return { ...instruction, row: rowNamed('mov'), mods: { type: value.type }, operands: { d, a: value } };
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
