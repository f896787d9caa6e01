// Loops of one block whose end is decided by integer arithmetic on the lane's own registers: what can be run ahead, or counted.
import type { Guard, ImmediateOperand, Instruction, Operand, Span } from '../ptx/ast.ts';
import { evaluate } from './evaluate.ts';
import {
  type Block,
  blockAt,
  definedRegisters,
  isDestination,
  mapOperands,
  predecessors,
  usedRegisters,
} from './ir.ts';

export interface CountedLoop {
  /// The block that repeats itself once it has `code`.
  readonly block: number;
  /// One iteration, the test included.
  readonly code: readonly Instruction[];
  /// The loop goes on where this holds.
  readonly stays: Guard;
  readonly exit: number;
  readonly span: Span;
  /// What decides about `stays`, in order: all that changes the registers it depends on.
  readonly control: readonly Instruction[];
  /// Registers that `control` takes over from before the loop.
  readonly carried: ReadonlySet<string>;
}

/// Do-while loops, and loops that test first: those count as do-while loops with one more test before them.
export function countedLoops(blocks: readonly Block[]): CountedLoop[] {
  const incoming = predecessors(blocks);
  return blocks.flatMap(({ code, end }, block): CountedLoop[] => {
    if (end.kind === 'branch' && end.then !== end.else && (end.then === block || end.else === block))
      return loopOf(block, code, end);
    const head = end.kind === 'jump' ? blockAt(blocks, end.to) : undefined;
    if (end.kind !== 'jump' || head === undefined || end.to >= block || incoming[block]?.length !== 1) return [];
    if (head.end.kind !== 'branch' || incoming[block][0] !== end.to) return [];
    return loopOf(block, [...code, ...head.code], head.end);
  });
}

function loopOf(
  block: number,
  code: readonly Instruction[],
  end: Extract<Block['end'], { kind: 'branch' }>,
): CountedLoop[] {
  const { guard, span } = end;
  const exit = end.then === block ? end.else : end.then;
  if (exit === block) return [];
  const stays = end.then === block ? guard : { ...guard, negated: !guard.negated };
  const slice = controlOf(code, guard.register.name);
  return slice ? [{ block, code, stays, exit, span, ...slice }] : [];
}

/// Whose results are the same wherever a copy of them stands.
const pure = new Set(
  'add sub mul mul.wide mad mad.wide min max neg and or xor not shl shr setp setp.bool selp mov cvt'.split(' '),
);

function isPure({ row, mods, guard, operands }: Instruction): boolean {
  if (!pure.has(row.name) || guard || Object.values(mods).includes('f32')) return false;
  return Object.values(operands).every(({ kind }) => kind === 'register' || kind === 'immediate' || kind === 'sink');
}

/// The instructions that decide about `predicate` at the end of an iteration, and of those to come; undefined where not all are pure.
function controlOf(
  code: readonly Instruction[],
  predicate: string,
): Pick<CountedLoop, 'control' | 'carried'> | undefined {
  // What is needed at the end of an iteration: the predicate, and what the next iteration's control starts from.
  const wanted = new Set([predicate]);
  for (;;) {
    const needed = new Set(wanted);
    const control: Instruction[] = [];
    for (const instruction of [...code].reverse()) {
      const defined = definedRegisters(instruction);
      if (!defined.some(({ name }) => needed.has(name))) continue;
      if (!isPure(instruction)) return undefined;
      for (const { name } of defined) needed.delete(name);
      for (const { name } of usedRegisters(instruction)) needed.add(name);
      control.unshift(instruction);
    }
    const before = wanted.size;
    for (const name of needed) wanted.add(name);
    if (wanted.size === before) return { control, carried: needed };
  }
}

/// How often the loop runs, where that is known and at most `limit`. `constantBefore` tells what a register holds when the loop begins.
export function tripCount(
  { control, stays, carried }: CountedLoop,
  limit: number,
  constantBefore: (register: string) => ImmediateOperand | undefined,
): number | undefined {
  const values = new Map<string, ImmediateOperand>();
  for (const name of carried) {
    const value = constantBefore(name);
    if (value === undefined) return undefined;
    values.set(name, value);
  }
  const held = (operand: Operand): Operand => {
    const value = operand.kind === 'register' ? values.get(operand.register.name) : undefined;
    if (value === undefined || operand.kind !== 'register') return operand;
    return operand.negated ? { ...value, bits: value.bits ^ 1n } : value;
  };
  for (let trips = 1; trips <= limit; trips++) {
    for (const instruction of control) {
      const known = (operand: Operand, name: string) => (isDestination(instruction, name) ? operand : held(operand));
      const result = evaluate(mapOperands(instruction, known));
      if (result === undefined) return undefined;
      values.set(result.d.register.name, result.value);
    }
    const test = values.get(stays.register.name);
    if (test === undefined) return undefined;
    if ((test.bits !== 0n) === stays.negated) return trips;
  }
  return undefined;
}
