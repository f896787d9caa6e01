// Sorting networks choose between the minimum and the maximum of two values. One comparison and one choice do: of the two values themselves,
// by whether their order is the wanted one.
import type { Instruction, Operand, Register } from '../ptx/ast.ts';
import { type Block, definedRegisters, rowNamed, terminatorRegisters, usedRegisters } from './ir.ts';

/// Turns
///
///     min.u32 a, x, y;  max.u32 b, x, y;  selp.b32 d, b, a, p;
///
/// where nothing else reads `a` and `b`, into
///
///     setp.lt.xor.u32 q, x, y, p;  selp.b32 d, x, y, q;
///
/// and leaves the extremes to be removed. Of equal values either is both extremes.
export function fuseExtremes(blocks: readonly Block[]): Block[] {
  if (!blocks.some(({ code }) => code.some(({ row }) => row.name === 'min'))) return [...blocks];
  const readings = countReadings(blocks);
  return blocks.map(({ code, end }) => ({ code: fuse(code, readings), end }));
}

function countReadings(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = ({ name }: Register) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { code, end } of blocks) {
    for (const instruction of code) usedRegisters(instruction).forEach(count);
    terminatorRegisters(end).forEach(count);
  }
  return counts;
}

interface Extreme {
  readonly name: 'min' | 'max';
  readonly type: string;
  readonly sources: readonly [Operand, Operand];
}

function fuse(code: readonly Instruction[], readings: ReadonlyMap<string, number>): Instruction[] {
  /// Who wrote a register last, and where in the block.
  const writers = new Map<string, { readonly instruction: Instruction; readonly at: number }>();
  const lastWritten = (operand: Operand) =>
    operand.kind === 'register' ? (writers.get(operand.register.name)?.at ?? -1) : -1;
  /// The extreme that `operand` holds for its only reader, while its sources still hold what they held.
  const extremeIn = (operand: Operand | undefined): Extreme | undefined => {
    if (operand?.kind !== 'register' || readings.get(operand.register.name) !== 1) return undefined;
    const writer = writers.get(operand.register.name);
    if (writer === undefined) return undefined;
    const extreme = extremeOf(writer.instruction);
    return extreme?.sources.every((source) => lastWritten(source) < writer.at) ? extreme : undefined;
  };
  return code.flatMap((instruction, at): Instruction[] => {
    const fused = fuseChoice(instruction, extremeIn);
    for (const { name } of definedRegisters(instruction)) writers.set(name, { instruction, at });
    return fused ?? [instruction];
  });
}

function extremeOf({ row, mods, guard, operands }: Instruction): Extreme | undefined {
  const { a, b } = operands;
  const { type = '' } = mods;
  if ((row.name !== 'min' && row.name !== 'max') || guard || mods.relu || !/^[us]32$/.test(type)) return undefined;
  return a && b ? { name: row.name, type, sources: [a, b] } : undefined;
}

function fuseChoice(
  instruction: Instruction,
  extremeIn: (operand: Operand | undefined) => Extreme | undefined,
): Instruction[] | undefined {
  const { a, b, c, d } = instruction.operands;
  if (instruction.row.name !== 'selp' || instruction.guard || c === undefined || d?.kind !== 'register')
    return undefined;
  const [first, second] = [extremeIn(a), extremeIn(b)];
  if (!first || !second || first.name === second.name || first.type !== second.type) return undefined;
  const [x, y] = first.sources;
  const [u, v] = second.sources;
  if (!(same(x, u) && same(y, v)) && !(same(x, v) && same(y, u))) return undefined;
  const register: Register = { ...d.register, name: `${d.register.name}$first`, type: 'pred' };
  const takesFirst: Operand = { kind: 'register', register, negated: false, span: d.span };
  const mods = { cmp: 'lt', bool: 'xor', type: first.type };
  const [whenTrue, whenFalse] = first.name === 'max' ? [x, y] : [y, x];
  return [
    { ...instruction, row: rowNamed('setp.bool'), mods, operands: { p: takesFirst, a: x, b: y, c } },
    { ...instruction, operands: { d, a: whenTrue, b: whenFalse, c: takesFirst } },
  ];
}

function same(a: Operand, b: Operand): boolean {
  if (a.kind === 'immediate') return b.kind === 'immediate' && a.bits === b.bits;
  return a.kind === 'register' && b.kind === 'register' && a.register.name === b.register.name;
}
