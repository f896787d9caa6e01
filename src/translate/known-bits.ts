// How many low bits of a register can be set: match.any needs a ballot only for those.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { type Block, definedRegisters } from './ir.ts';

/// Registers known to stay below 2^n, with n. Only what is written once counts.
export function knownBits(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const definitions = new Map<string, Instruction | undefined>();
  for (const { code } of blocks) {
    for (const instruction of code) {
      for (const { name } of definedRegisters(instruction)) {
        definitions.set(name, definitions.has(name) || instruction.guard ? undefined : instruction);
      }
    }
  }
  const known = new Map<string, number>();
  const of = (operand: Operand | undefined): number => {
    if (operand?.kind === 'immediate') return operand.bits.toString(2).length;
    return operand?.kind === 'register' ? (known.get(operand.register.name) ?? 32) : 32;
  };
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const [name, definition] of definitions) {
      const bits = definition ? resultBits(definition, of) : 32;
      if (bits < (known.get(name) ?? 32)) known.set(name, bits);
    }
  }
  return known;
}

function resultBits({ row, mods, operands }: Instruction, of: (operand: Operand | undefined) => number): number {
  const { a, b, c } = operands;
  const type = mods.type ?? '';
  if (row.name === 'and') return Math.min(of(a), of(b));
  if (row.name === 'or' || row.name === 'xor') return Math.max(of(a), of(b));
  if (row.name === 'mov' || (row.name === 'cvt' && mods.atype === 'u32' && mods.dtype === 'u32')) return of(a);
  if (row.name === 'selp') return Math.max(of(a), of(b));
  if (row.name === 'shr' && !type.startsWith('s') && b?.kind === 'immediate')
    return Math.max(1, of(a) - Math.min(Number(b.bits), 31));
  if (row.name === 'bfe' && type === 'u32' && c?.kind === 'immediate') return Math.max(1, Math.min(32, Number(c.bits)));
  if (row.name === 'rem' && type === 'u32' && b?.kind === 'immediate' && b.bits > 0n) return of(b);
  if (row.name.startsWith('ld') && (type === 'u8' || type === 'u16')) return type === 'u8' ? 8 : 16;
  return 32;
}
