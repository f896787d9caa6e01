// Which shared and local variables an address may lie in. An address is a variable's own, moved and offset by numbers; what arithmetic does
// otherwise, and what comes back from memory once an address has gone there, may be any address.
import type { AddressOperand, Instruction, Operand } from '../ptx/ast.ts';
import { type Block, definedRegisters, isDestination } from './ir.ts';

/// Names of the variables; none for a number; `any` where that is not known.
export type Origin = ReadonlySet<string> | 'any';

const number: Origin = new Set();
const isNumber = (origin: Origin) => origin !== 'any' && origin.size === 0;

function join(a: Origin, b: Origin): Origin {
  if (a === 'any' || b === 'any') return 'any';
  if (b.size === 0) return a;
  return a.size === 0 ? b : new Set([...a, ...b]);
}

const sameSize = (a: Origin, b: Origin) => (a === 'any' ? b === 'any' : b !== 'any' && a.size === b.size);

export function findOrigins(blocks: readonly Block[]): (address: AddressOperand) => Origin {
  const origins = new Map<string, Origin>();
  const instructions = blocks.flatMap(({ code }) => code);
  const of = (operand: Operand | undefined): Origin => {
    if (operand?.kind === 'register') return origins.get(operand.register.name) ?? number;
    if (operand?.kind === 'symbol') return variableOrigin(operand.variable);
    if (operand?.kind === 'vector') return operand.elements.map(of).reduce(join, number);
    return number;
  };
  let escaped = false;
  for (let changed = true; changed; ) {
    changed = false;
    for (const instruction of instructions) {
      if (!escaped && storesAddress(instruction, of)) {
        escaped = true;
        changed = true;
      }
      const result = resultOrigin(instruction, of, escaped);
      if (isNumber(result)) continue;
      for (const { name } of definedRegisters(instruction)) {
        const before = origins.get(name) ?? number;
        const after = join(before, result);
        if (sameSize(before, after)) continue;
        origins.set(name, after);
        changed = true;
      }
    }
  }
  return ({ base }) => {
    if (base === null) return number;
    return 'space' in base ? variableOrigin(base) : (origins.get(base.name) ?? number);
  };
}

const variableOrigin = ({ space, name }: { readonly space: string; readonly name: string }): Origin =>
  space === 'shared' || space === 'local' ? new Set([name]) : number;

const sources = (instruction: Instruction): readonly Operand[] =>
  Object.entries(instruction.operands).flatMap(([name, operand]) =>
    isDestination(instruction, name) ? [] : [operand],
  );

/// Whether an address goes to memory.
const storesAddress = (instruction: Instruction, of: (operand: Operand | undefined) => Origin): boolean =>
  (instruction.row.kind === 'atomic' || instruction.row.name.startsWith('st')) &&
  sources(instruction).some((operand) => !isNumber(of(operand)));

const comparisons = /^(setp|set|isspacep)\b/;

function resultOrigin(
  instruction: Instruction,
  of: (operand: Operand | undefined) => Origin,
  escaped: boolean,
): Origin {
  const { row, operands, mods } = instruction;
  const [a, b, c] = [of(operands.a), of(operands.b), of(operands.c)];
  if (row.kind === 'atomic' || row.name.startsWith('ld')) return escaped ? 'any' : number;
  if (comparisons.test(row.name)) return number;
  switch (row.name) {
    case 'mov':
      if (operands.a?.kind === 'vector' || operands.d?.kind === 'vector') break;
      return a;
    case 'cvta':
    case 'cvta.to':
      return a;
    case 'cvt':
      if (!/^[us](32|64)$/.test(mods.dtype ?? '') || mods.sat !== undefined) break;
      return a;
    case 'selp':
    case 'min':
    case 'max':
      return join(a, b);
    case 'add':
    case 'and':
    case 'or':
    case 'xor':
      return isNumber(a) || isNumber(b) ? join(a, b) : 'any';
    case 'sub':
      if (isNumber(b)) return a;
      // The distance of two places in one variable.
      return a !== 'any' && b !== 'any' && a.size === 1 && sameSize(join(a, b), a) ? number : 'any';
    case 'mad':
    case 'mad.wide':
      if (isNumber(a) && isNumber(b)) return c;
  }
  return sources(instruction).every((operand) => isNumber(of(operand))) ? number : 'any';
}
