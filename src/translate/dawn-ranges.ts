// What Dawn knows of an index. It leaves out the clamp of an access that its integer range analysis proves to be inside an array. That goes by
// sums, products, shifts, quotients, remainders, minima and maxima of the thread's index and constants, and knows nothing of masks,
// variables and values from memory.
import type { Instruction } from '../ptx/ast.ts';
import { type Block, countDefinitions } from './ir.ts';
import { anyWord, findRanges, type Range, type Ranges, resultRange } from './value-ranges.ts';

const understood = new Set(['mov', 'add', 'sub', 'mul', 'mad', 'shl', 'shr', 'div', 'rem', 'min', 'max']);
/// Rows that bound their result whatever one of the operands is.
const bounding = new Set(['rem', 'min', 'max']);

/// Ranges as Dawn sees them; `anyWord` where it knows nothing.
export function findDawnRanges(blocks: readonly Block[], special: (name: string) => Range | undefined): Ranges {
  const definitions = countDefinitions(blocks);
  return findRanges(blocks, special, (instruction, of) => {
    const { d } = instruction.operands;
    const isLet = d?.kind === 'register' && definitions.get(d.register.name) === 1 && !instruction.guard;
    return isLet ? dawnRange(instruction, of) : anyWord;
  });
}

function dawnRange(instruction: Instruction, of: Ranges): Range {
  const { row, mods, operands } = instruction;
  if (!understood.has(row.name)) return anyWord;
  // These go by bitcasts where they are signed.
  if (['shr', 'div', 'rem', 'min', 'max'].includes(row.name) && mods.type === 's32') return anyWord;
  const known = [operands.a, operands.b, operands.c].filter((operand) => operand !== undefined).map(of);
  if (!bounding.has(row.name) && known.includes(anyWord)) return anyWord;
  const result = resultRange(instruction, of);
  return result.min < 0 ? anyWord : result;
}
