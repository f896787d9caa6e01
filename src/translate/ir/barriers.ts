// The arguments of block barriers, and a test whether a barrier is a barrier of WGSL.
import { constantOf, type InstNamed } from './nodes.ts';

type Barrier = InstNamed<'barrier'>;

interface Parts {
  readonly number: Barrier['args'][number] | undefined;
  readonly count: Barrier['args'][number] | undefined;
  readonly predicate: Barrier['args'][number] | undefined;
}

/** Returns the arguments of a barrier. */
export function partsOf({ args, attrs: { counted } }: Barrier): Parts {
  const [number, ...rest] = args;
  return counted ? { number, count: rest[0], predicate: rest[1] } : { number, count: undefined, predicate: rest[0] };
}

/** Whether WGSL's barrier can replace a barrier: all threads of the block take part and wait. */
export function isWholeBarrier(inst: Barrier, threads: number): boolean {
  const { number, count } = partsOf(inst);
  const { blocks = 1 } = inst.attrs; // Absent: the workgroup runs one block.
  const own = threads / blocks;
  if (inst.attrs.kind === 'arrive' || inst.attrs.kind === 'yield' || inst.when !== undefined) return false;
  if (number !== undefined && number.kind !== 'constant') return false;
  // A thread count is rounded up to whole warps.
  const wanted = count && constantOf(count);
  return count === undefined || wanted === BigInt(own) || wanted === BigInt(Math.ceil(own / 32) * 32);
}
