// What loads may change places with.
import type { Instruction } from '../ptx/ast.ts';
import { type Buffers, findBuffers } from './find-buffers.ts';
import type { Block, Kernel } from './ir.ts';

/// Whether the instruction stores, or does an atomic.
export const writesMemory = ({ row }: Instruction): boolean => row.kind === 'atomic' || row.name.startsWith('st');

/// Whether no load passes by the instruction.
export const isOrdered = ({ row }: Instruction): boolean =>
  row.kind === 'warp' || row.kind === 'barrier' || row.name.endsWith('.volatile');

const loads = new Set(['ld', 'ld.global.nc', 'ldu']);

/// Tells which loads read a buffer with a binding of its own that nothing in the kernel writes: WebGPU lets no other binding overlap it then.
/// The kernel is looked through when the first load is asked about.
export function readOnlyLoads(
  { blocks, params }: Pick<Kernel, 'blocks' | 'params'>,
  limit: number,
): (instruction: Instruction) => boolean {
  let found: { readonly buffers: Buffers; readonly written: ReadonlySet<string> } | undefined;
  return (instruction) => {
    if (!loads.has(instruction.row.name)) return false;
    if (found === undefined) {
      const buffers = findBuffers(blocks, params, limit);
      found = { buffers, written: writtenBuffers(blocks, buffers) };
    }
    const buffer = bufferOf(instruction, found.buffers);
    return buffer !== undefined && !found.written.has(buffer);
  };
}

function bufferOf(instruction: Instruction, { targetOf }: Buffers): string | undefined {
  const { a } = instruction.operands;
  const target = a?.kind === 'address' ? targetOf(instruction, a) : undefined;
  return typeof target === 'object' ? target.buffer : undefined;
}

function writtenBuffers(blocks: readonly Block[], buffers: Buffers): ReadonlySet<string> {
  const written = blocks.flatMap(({ code }) => code.filter(writesMemory).map((write) => bufferOf(write, buffers)));
  return new Set(written.filter((buffer) => buffer !== undefined));
}
