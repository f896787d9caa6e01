// The results of the analyses that the emitter reads. Ranges are computed on first use.
import { ordinarySumsIn } from '../analysis/ordinary-sums.ts';
import { bitsIn, findRanges, threadRanges } from '../analysis/ranges.ts';
import { analyzeUniformity } from '../analysis/uniformity.ts';
import type { Program, Value } from '../ir/nodes.ts';
import type { MemoryPlan } from '../memory-plan.ts';
import type { KernelFacts } from './index.ts';

export function kernelFacts(
  program: Program,
  memory: MemoryPlan,
  block: readonly [number, number, number],
): KernelFacts {
  const uniformity = analyzeUniformity(program, memory, block);
  let ranges: ReturnType<typeof findRanges> | undefined;
  return {
    isUniform: uniformity.isUniform,
    isProvable: uniformity.isProvable,
    obstacle: uniformity.obstacle,
    mayMiss: uniformity.mayMiss,
    bitsOf: (value: Value) => {
      ranges ??= findRanges(program.kernel, threadRanges(block));
      return bitsIn(ranges.of(value));
    },
    isOrdinary: ordinarySumsIn(program.kernel),
  };
}
