// Drops instructions whose results nobody reads: the predicates nvcc asks of every shuffle, and what folding has left behind.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { type Block, definedRegisters, isDestination, terminatorRegisters, usedRegisters } from './ir.ts';

/// A result nobody reads can go unless the instruction does something else: memory, barriers, other lanes' waiting.
function hasEffect(instruction: Instruction): boolean {
  const { row } = instruction;
  if (row.kind === 'atomic' || row.kind === 'barrier' || row.kind === 'control') return true;
  if (row.kind === 'warp') return true;
  return row.name === 'st' || row.name === 'st.volatile' || row.name === 'ld.volatile';
}

export function removeDeadCode(blocks: readonly Block[]): Block[] {
  // Readings of each register that remain, and who writes it.
  const readings = new Map<string, number>();
  const writers = new Map<string, Instruction[]>();
  const count = (name: string, by: number) => readings.set(name, (readings.get(name) ?? 0) + by);
  for (const { code, end } of blocks) {
    for (const instruction of code) {
      for (const name of namesRead(instruction)) count(name, 1);
      for (const name of namesWritten(instruction)) {
        const list = writers.get(name);
        if (list) list.push(instruction);
        else writers.set(name, [instruction]);
      }
    }
    for (const { name } of terminatorRegisters(end)) count(name, 1);
  }
  const isRead = (name: string) => (readings.get(name) ?? 0) > 0;
  const removed = new Set<Instruction>();
  const queue = blocks.flatMap(({ code }) => code);
  for (let instruction = queue.pop(); instruction !== undefined; instruction = queue.pop()) {
    if (removed.has(instruction) || hasEffect(instruction) || namesWritten(instruction).some(isRead)) continue;
    removed.add(instruction);
    for (const name of namesRead(instruction)) {
      count(name, -1);
      if (!isRead(name)) queue.push(...(writers.get(name) ?? []));
    }
  }
  return blocks.map(({ code, end }) => ({
    end,
    code: code.flatMap((instruction) => (removed.has(instruction) ? [] : [dropUnusedResults(instruction, isRead)])),
  }));
}

function namesRead(instruction: Instruction): readonly string[] {
  const names = usedRegisters(instruction).map(({ name }) => name);
  return instruction.row.carry?.in ? [...names, carryFlag] : names;
}

function namesWritten(instruction: Instruction): readonly string[] {
  const names = definedRegisters(instruction).map(({ name }) => name);
  return writesCarry(instruction) ? [...names, carryFlag] : names;
}

/// Name of the implicit carry register among a lane's registers.
export const carryFlag = '%CC.CF';

export function writesCarry(instruction: Instruction): boolean {
  const out = instruction.row.carry?.out;
  return out === true || (out === 'cc' && instruction.mods.cc !== undefined);
}

/// Removes the destinations of a warp or atomic instruction that nobody reads.
function dropUnusedResults(instruction: Instruction, isRead: (name: string) => boolean): Instruction {
  if (instruction.row.kind !== 'warp' && instruction.row.kind !== 'atomic' && !instruction.row.name.startsWith('setp'))
    return instruction;
  const unused = ([name, operand]: [string, Operand]) =>
    isDestination(instruction, name) && operand.kind === 'register' && !isRead(operand.register.name);
  const entries = Object.entries(instruction.operands);
  if (!entries.some(unused)) return instruction;
  const operands = entries.map(([name, operand]): [string, Operand] =>
    unused([name, operand]) ? [name, { kind: 'sink', span: operand.span }] : [name, operand],
  );
  return { ...instruction, operands: Object.fromEntries(operands) };
}
