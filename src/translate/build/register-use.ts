// The registers that instructions and calls read and write.

import { get } from '../../base/invariants.ts';
import type { CallOperand, Instruction, Operand, Register, Variable } from '../../ptx/ast.ts';
import { bytesOf } from '../../ptx/types.ts';
import type { CallGraph } from './call-graph.ts';
import { carryRegister, type FunctionBody } from './function-body.ts';
import { type ParamCells, vectorLength } from './param-cells.ts';
import { ptxType } from './types.ts';

type Passed = CallOperand['args'][number] | Register;

/**
 * Returns the registers of passed values: a register itself, or the cells of a `.param` variable.
 */
function registersOfPassed(graph: CallGraph, body: FunctionBody, passed: readonly Passed[]): readonly number[] {
  return passed.flatMap((item): readonly number[] => {
    if ('space' in item)
      return get(get(graph.params, body, 'the parameters of a function'), item, 'a parameter').registers;
    if ('kind' in item) return item.kind === 'register' ? [body.numberOf(item.register)] : [];
    return [body.numberOf(item)];
  });
}

export const exposedByPassing = registersOfPassed;
export const writtenByPassing = registersOfPassed;

/** Returns the registers of the cells that an access to a `.param` variable touches. */
function cellRegisters(cells: ParamCells, offset: number, bytes: number): readonly number[] {
  return cells.cells.flatMap((cell, index) => {
    const touched = cell.offset < offset + bytes && cell.offset + cell.bytes > offset;
    // Absent: a parameter in memory has no registers.
    return touched ? (cells.registers[index] ?? []) : [];
  });
}

/**
 * Records for each block the registers that it reads before it writes them, and those that it
 * writes.
 */
export function findRegisterSets(graph: CallGraph, body: FunctionBody): void {
  // For each register, the last block that wrote it, and the last block that exposed it.
  const written: number[] = [];
  const exposedIn: number[] = [];
  const cellsOf = graph.params.get(body);
  // Registers that only calls name also receive numbers here.
  registersOfPassed(graph, body, body.fn.kind === 'func' ? [...body.fn.params, ...body.fn.results] : []);
  body.blocks.forEach((block, number) => {
    const exposed: number[] = [];
    const defined: number[] = [];
    const read = (register: number) => {
      if (written[register] === number || exposedIn[register] === number) return;
      exposedIn[register] = number;
      exposed.push(register);
    };
    const write = (register: number) => {
      if (written[register] === number) return;
      written[register] = number;
      defined.push(register);
    };
    const each = (operand: Operand, visit: (register: number) => void) => {
      if (operand.kind === 'register') visit(body.numberOf(operand.register));
      else if (operand.kind === 'vector') for (const element of operand.elements) each(element, visit);
      else if (operand.kind === 'address' && operand.base !== null && !('space' in operand.base)) {
        visit(body.numberOf(operand.base));
      }
    };
    const note = (instruction: Instruction) => {
      const { row, operands, guard } = instruction;
      const { writes, carry } = row;
      for (const name in operands) {
        const operand = operands[name];
        // If the guard is false, a destination keeps its value, so the instruction reads it.
        if (operand && (guard !== undefined || !writes.includes(name))) each(operand, read);
      }
      if (guard) read(body.numberOf(guard.register));
      const passed = passedCells(cellsOf, instruction);
      if (passed !== undefined && (passed.reads || guard)) for (const register of passed.registers) read(register);
      if (carry && (carry.in || guard)) read(carryRegister);
      for (const name of writes) {
        const operand = operands[name];
        if (operand) each(operand, write);
      }
      if (passed !== undefined && !passed.reads) for (const register of passed.registers) write(register);
      if (carry && writesCarry(instruction)) write(carryRegister);
    };
    for (let at = 0; at < block.code.length; at++) {
      const instruction = block.code[at];
      if (instruction !== undefined) note(instruction);
    }
    const { end } = block;
    if (end.kind === 'branch') read(body.numberOf(end.guard.register));
    else if (end.kind === 'switch') each(end.selector, read);
    else if (end.kind === 'call') registersOfPassed(graph, body, [...end.call.args, ...end.call.results]);
    else if (end.kind === 'return' && body.fn.kind === 'func') {
      for (const register of registersOfPassed(graph, body, body.fn.results)) read(register);
    }
    block.exposed = exposed;
    block.defined = defined;
  });
}

/** Whether an instruction writes the carry flag. */
export const writesCarry = ({ row, mods }: Instruction): boolean =>
  row.carry !== undefined && (row.carry.out === 'cc' ? mods.cc !== undefined : row.carry.out);

/** Returns the cells that a load or store of a `.param` variable accesses. */
function passedCells(
  cellsOf: ReadonlyMap<Variable, ParamCells> | undefined,
  { row, mods, operands }: Instruction,
): { readonly registers: readonly number[]; readonly reads: boolean } | undefined {
  if (row.kind !== 'memory') return undefined;
  const { a } = operands;
  if (a?.kind !== 'address' || a.base === null || !('space' in a.base) || a.base.space !== 'param') return undefined;
  const cells = cellsOf?.get(a.base);
  if (cells === undefined) return undefined;
  const bytes = bytesOf(ptxType(mods.type)) * vectorLength(mods.vec);
  return { registers: cellRegisters(cells, a.offset, bytes), reads: row.effects.memory === 'reads' };
}
