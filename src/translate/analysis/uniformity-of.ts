// Caches the uniformity of a kernel until a pass changes the program.
import { FuncSnapshot } from '../graph/index.ts';
import type { Func, Program } from '../ir/nodes.ts';
import type { MemoryPlan } from '../memory-plan.ts';
import { analyzeUniformity, type Uniformity } from './uniformity.ts';

type Memory = Pick<MemoryPlan, 'arrays'>;
type BlockSize = readonly [number, number, number];

/** The last result for a kernel, and the inputs that it depends on. */
interface Known {
  readonly functions: readonly Func[];
  readonly snapshots: readonly FuncSnapshot[];
  readonly arrays: Memory['arrays'];
  readonly block: BlockSize;
  readonly uniformity: Uniformity;
}

const latest = new WeakMap<Func, Known>();

/**
 * Returns the uniformity of a kernel whose memory is resolved. Analyzes the kernel again only if
 * the kernel, its device functions, the arrays or the block size differ from those of the last call
 * for that kernel. The result is valid until a pass changes one of the functions.
 */
export function uniformityOf(
  program: Pick<Program, 'kernel' | 'functions'>,
  memory: Memory,
  block: BlockSize,
): Uniformity {
  const { kernel, functions } = program;
  const known = latest.get(kernel);
  if (known !== undefined && isCurrent(known, functions, memory, block)) return known.uniformity;
  const uniformity = analyzeUniformity(program, memory, block);
  const snapshots = [kernel, ...functions].map((func) => new FuncSnapshot(func));
  latest.set(kernel, { functions: [...functions], snapshots, arrays: [...memory.arrays], block, uniformity });
  return uniformity;
}

function isCurrent(known: Known, functions: readonly Func[], { arrays }: Memory, block: BlockSize): boolean {
  return (
    isSameList(known.block, block) &&
    isSameList(known.arrays, arrays) &&
    isSameList(known.functions, functions) &&
    known.snapshots.every((snapshot) => snapshot.isCurrent())
  );
}

const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((element, index) => element === b[index]);
