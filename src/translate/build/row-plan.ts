// Plans how an instruction is built, from its row and modifiers, once for all instructions that
// share them.
import { InternalError } from '../../base/invariants.ts';
import type {
  IsaRow,
  LaneRowName,
  MatrixRowName,
  Mods,
  PtxType,
  WarpRowName,
  WgmmaRowName,
  WmmaRowName,
} from '../../isa/index.ts';
import { patternOf, resolveType } from '../../isa/match.ts';
import { isAsyncRow, isWgmmaRow, isWmmaProduct, isWmmaRow } from '../../isa/row-names.ts';
import type { Instruction } from '../../ptx/ast.ts';
import type { Value } from '../ir/nodes.ts';
import { warpResults } from '../ir/operations.ts';
import { isLaneRow, laneRow } from './lane/index.ts';
import { type EffectRowName, effectRows } from './memory.ts';
import { asyncPart, matrixPart } from './parts.ts';
import { writesCarry } from './register-use.ts';
import type { InstructionBuild, RowSlots, Slot } from './row-slots.ts';
import { isSigned, typeOf } from './types.ts';
import { warpRow } from './warp.ts';

interface Plan {
  readonly row: IsaRow;
  readonly build: InstructionBuild;
}

// Instructions of one opcode share their modifiers object.
const plans = new WeakMap<Mods, Plan>();

export function buildOf(instruction: Instruction): InstructionBuild {
  const { row, mods } = instruction;
  const known = plans.get(mods);
  if (known?.row === row) return known.build;
  const build = makeBuild(instruction);
  plans.set(mods, { row, build });
  return build;
}

const isWarpRow = (name: string): name is WarpRowName => Object.hasOwn(warpResults, name);
type MatrixName = MatrixRowName | WgmmaRowName | WmmaRowName;
const isMatrixRow = (row: IsaRow): row is IsaRow & { readonly name: MatrixName } => row.kind === 'matrix';
const isEffectRow = (name: string): name is EffectRowName => Object.hasOwn(effectRows, name);

function makeBuild(instruction: Instruction): InstructionBuild {
  const { row, mods } = instruction;
  const slots = slotsOf(row, mods);
  if (isLaneRow(row)) return laneBuild(row.name, instruction, slots);
  if (isMatrixRow(row)) return matrixBuild(row.name, mods, slots);
  const { name, kind } = row;
  if (isWarpRow(name)) return warpRow(name, mods, slots);
  if (isEffectRow(name)) return effectRows[name](mods, slots);
  if (isAsyncRow(name)) return asyncPart.content.asyncRows[name](mods, slots);
  // The only control row that does not end a block is a delay, which changes nothing in the
  // translation.
  if (kind === 'control') return () => {};
  throw new InternalError(`unknown row ${name}`);
}

function matrixBuild(name: MatrixName, mods: Mods, slots: RowSlots): InstructionBuild {
  const { matrixRow, wgmmaRow, wmmaProduct, wmmaMemory } = matrixPart.content;
  if (isWgmmaRow(name)) return wgmmaRow(name, mods);
  if (!isWmmaRow(name)) return matrixRow(name, mods);
  return isWmmaProduct(name) ? wmmaProduct(mods) : wmmaMemory[name](mods, slots);
}

function slotsOf(row: IsaRow, mods: Mods): RowSlots {
  const sources: Slot[] = [];
  const results: Slot[] = [];
  for (const { first, second } of patternOf(row).groups) {
    for (const slot of second === undefined ? [first] : [first, second]) {
      const type: PtxType | undefined = slot.type === 'immediate' ? 'b32' : resolveType(slot.type, mods);
      if (type === undefined) continue;
      (slot.destination ? results : sources).push({ name: slot.name, type: typeOf(type), signed: isSigned(type) });
    }
  }
  return { sources, results };
}

function laneBuild(name: LaneRowName, instruction: Instruction, { sources, results }: RowSlots): InstructionBuild {
  const build = laneRow(name)(instruction.mods);
  const carryIn = instruction.row.carry?.in === true;
  const carryOut = writesCarry(instruction);
  const [first, second] = results;
  return (registers, { operands }) => {
    const args: Value[] = [];
    for (const { name: operandName, type } of sources) {
      const operand = operands[operandName];
      if (operand !== undefined) args.push(registers.read(operand, type));
    }
    if (carryIn) args.push(registers.readCarry());
    const [d, q] = [first && operands[first.name], second && operands[second.name]];
    const values = build(registers.b, args, q?.kind === 'register');
    if (first && values[0]) registers.write(d, values[0], first.signed);
    if (second && values[1]) registers.write(q, values[1], second.signed);
    if (!carryOut) return;
    const carry = values[results.length];
    if (carry) registers.writeCarry(carry);
  };
}
