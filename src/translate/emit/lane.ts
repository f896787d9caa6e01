// One instruction in one lane.
import type { LaneRowName, OperandType, PtxType } from '../../isa/index.ts';
import type { Instruction, Operand } from '../../ptx/ast.ts';
import type { Expr } from '../../wgsl/expr.ts';
import { type LaneLowering, laneLowerings } from '../../wgsl/lane/index.ts';
import { refuse, translateDiagnostics } from '../diagnostics.ts';
import { bitsOf, isDestination } from '../ir.ts';
import { writesCarry } from '../remove-dead-code.ts';
import { emitAtomic } from './atomics.ts';
import { emitAddressConversion, emitIsSpace } from './memory-generic.ts';
import { emitLoad } from './memory-load.ts';
import { emitStore } from './memory-store.ts';
import { readOperand, unpackVector, writeResult } from './operands.ts';
import type { Scope } from './scope.ts';

/// Writes an instruction that involves one lane only, under its guard, with the PTX line above it.
export function emitInstruction(scope: Scope, instruction: Instruction): void {
  const { d } = instruction.operands;
  // The start of a buffer with a binding of its own is address 0.
  if (d?.kind === 'register' && scope.options.buffers.bases.has(d.register.name)) return;
  comment(scope, instruction);
  const { guard } = instruction;
  if (guard) scope.out.open(`if (${guard.negated ? '!' : ''}${scope.read(guard.register)})`);
  emitUnguarded(scope, instruction);
  if (guard) scope.out.close();
  scope.out.dropComment();
}

const lastComment = new WeakMap<Scope, number>();

/// The PTX line, once for all that comes of it.
export function comment(scope: Scope, { span }: Pick<Instruction, 'span'>): void {
  // What the translator adds of its own has no line.
  if (span.end <= span.start || lastComment.get(scope) === span.start) return;
  lastComment.set(scope, span.start);
  scope.out.comment(scope.options.source.text.slice(span.start, span.end).replace(/\s+/g, ' ').trim());
}

function emitUnguarded(scope: Scope, instruction: Instruction): void {
  const { row, span } = instruction;
  if (row.kind === 'atomic') return emitAtomic(scope, instruction);
  if (row.kind === 'lane') return emitLane(scope, instruction);
  if (row.name === 'cvta' || row.name === 'cvta.to') return emitAddressConversion(scope, instruction);
  if (row.name === 'isspacep') return emitIsSpace(scope, instruction);
  if (row.name.startsWith('ld')) return emitLoad(scope, instruction);
  if (row.name.startsWith('st')) return emitStore(scope, instruction);
  // Fences order accesses that are atomic here; prefetches and delays have no result.
  if (['membar', 'fence', 'prefetch', 'nanosleep'].includes(row.name)) return;
  refuse(translateDiagnostics.notSupported(`\`${row.name}\` here`), span);
}

/// The type an operand of the instruction has: `.type` and `.type*2` stand for what the slot holds.
export function operandType(instruction: Instruction, name: string): PtxType {
  const declared: OperandType = instruction.row.types[name] ?? 'b32';
  if (!declared.startsWith('.')) return declared as PtxType;
  const [slot = '', double] = declared.slice(1).split('*');
  const type = (instruction.mods[slot] ?? 'b32') as PtxType;
  return double ? (`${type[0]}${bitsOf(type) * 2}` as PtxType) : type;
}

function laneLowering(name: string): LaneLowering | undefined {
  return (laneLowerings as Readonly<Record<string, LaneLowering>>)[name as LaneRowName];
}

function emitLane(scope: Scope, instruction: Instruction): void {
  const { row, operands, mods, span } = instruction;
  const lowering = laneLowering(row.name);
  if (lowering === undefined) return refuse(translateDiagnostics.notSupported(`\`${row.name}\``), span);
  const { d, a } = operands;
  if (row.name === 'mov' && d?.kind === 'vector' && a !== undefined) return emitUnpack(scope, instruction, d, a);
  const sources = Object.keys(row.types).flatMap((name): Expr[] => {
    const operand = operands[name];
    if (operand === undefined || isDestination(instruction, name)) return [];
    return [readOperand(scope, operand, operandType(instruction, name))];
  });
  if (row.carry?.in) sources.push({ code: scope.read(scope.carry), type: 'u32' });
  const results = lowering(scope, mods, sources);
  const destinations = destinationNames(instruction);
  const carryOut = writesCarry(instruction) ? results[destinations.length] : undefined;
  // The carry may depend on a source that the result overwrites.
  const carry = carryOut && scope.name(carryOut);
  const values = results.slice(0, destinations.length);
  const taken = destinations.filter((name) => operands[name]?.kind === 'register');
  // A second result may depend on a register that the first replaces.
  const named = taken.length > 1 ? values.map((value) => scope.name(value)) : values;
  destinations.forEach((name, index) => {
    const operand = operands[name];
    const value = named[index];
    if (operand?.kind === 'register' && value)
      writeResult(scope, operand.register, value, operandType(instruction, name));
  });
  if (carry) scope.write(scope.carry, carry.code);
}

/// A row's destinations in the order of its syntax, whether or not this instruction gives them.
export function destinationNames(instruction: Instruction): readonly string[] {
  return Object.keys(instruction.row.types).filter((name) => isDestination(instruction, name));
}

function emitUnpack(scope: Scope, instruction: Instruction, d: Extract<Operand, { kind: 'vector' }>, a: Operand): void {
  const type = (instruction.mods.type ?? 'b32') as PtxType;
  const value = scope.name(readOperand(scope, a, type));
  const width = bitsOf(type) / d.elements.length;
  const parts = unpackVector(value, d.elements.length, bitsOf(type)).map((part) => scope.name(part));
  d.elements.forEach((element, index) => {
    const part = parts[index];
    if (element.kind === 'register' && part) writeResult(scope, element.register, part, `b${width}` as PtxType);
  });
}
