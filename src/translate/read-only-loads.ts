// Loads that may change places with every store and atomic of the kernel.
import type { Instruction } from '../ptx/ast.ts';
import { findBuffers, type Target } from './find-buffers.ts';
import type { Block, Kernel } from './ir.ts';

/// Whether the instruction stores, or does an atomic.
export const writesMemory = ({ row }: Instruction): boolean => row.kind === 'atomic' || row.name.startsWith('st');

/// Tells which loads read a binding that nothing in the kernel writes. WebGPU lets no other binding overlap one that is written.
export function readOnlyLoads(
  { blocks, params }: Pick<Kernel, 'params'> & { readonly blocks: readonly Block[] },
  limit: number,
): (instruction: Instruction) => boolean {
  const { targetOf } = findBuffers(blocks, params, limit);
  const target = (instruction: Instruction): Target | undefined => {
    const { a } = instruction.operands;
    return a?.kind === 'address' ? targetOf(instruction, a) : undefined;
  };
  const written = new Set<string>();
  for (const { code } of blocks) {
    for (const instruction of code) {
      const reached = writesMemory(instruction) ? target(instruction) : undefined;
      if (typeof reached === 'object') written.add(reached.buffer);
    }
  }
  return (instruction) => {
    const { name } = instruction.row;
    if (name !== 'ld' && name !== 'ld.global.nc' && name !== 'ldu') return false;
    const reached = target(instruction);
    return typeof reached === 'object' && !written.has(reached.buffer);
  };
}
