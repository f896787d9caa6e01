// Executes one instruction that computes a value from registers.
import { get } from '../../base/invariants.ts';
import { type Bits, type LaneFunction, laneFunctions } from '../../cpu-ref/index.ts';
import { operandNames, operandType } from '../../cpu-ref/interpreter/decode/operand-names.ts';
import { bitWidth } from '../../cpu-ref/interpreter/memory/layout.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';

/** The value of a register or operand, and the reads of the path that it depends on. */
export interface Value {
  readonly bits: bigint;
  readonly dependencies: number;
}

export type Registers = Map<string, Value>;

/** Returns the value of an operand; undefined if this kind of operand has none. */
export type ReadOperand = (operand: Operand) => Value | undefined;

const byName: Readonly<Record<string, LaneFunction>> = laneFunctions;

export const toBits = (value: bigint, width: number): Bits => {
  const bits = BigInt.asUintN(width, value);
  return width > 32 ? bits : Number(bits);
};

/**
 * Writes the results of a pure instruction to `registers`. Returns whether the instruction is such
 * an instruction with supported operands.
 */
export function executeLane(instruction: Instruction, read: ReadOperand, registers: Registers): boolean {
  const { row, mods, operands } = instruction;
  if (row.name === 'mov') return move(instruction, read, registers);
  const compute = byName[row.name];
  if (compute === undefined || row.carry !== undefined) return false;
  const names = operandNames(row);
  const sources = names.sources.flatMap((name) =>
    operands[name] === undefined ? [] : [{ name, operand: operands[name] }],
  );
  const values = sources.map(({ operand }) => read(operand));
  if (values.some((value) => value === undefined)) return false;
  const known = values.filter((value) => value !== undefined);
  const inputs = known.map(({ bits }, index) => {
    const name = sources[index]?.name ?? '';
    return row.types[name] === 'immediate' ? Number(bits) : toBits(bits, bitWidth(operandType(row, mods, name)));
  });
  const results = compute(mods, inputs);
  const dependencies = known.reduce((all, value) => all | value.dependencies, 0);
  names.destinations.forEach((name, index) => {
    const operand = operands[name];
    const result = results[index];
    if (operand?.kind === 'register' && result !== undefined) {
      registers.set(operand.register.name, { bits: BigInt(result), dependencies });
    }
  });
  return true;
}

function move({ operands }: Instruction, read: ReadOperand, registers: Registers): boolean {
  const destination = get(new Map(Object.entries(operands)), 'd', 'destination of a mov');
  const source = read(get(new Map(Object.entries(operands)), 'a', 'source of a mov'));
  if (destination.kind !== 'register' || source === undefined) return false;
  registers.set(destination.register.name, source);
  return true;
}
