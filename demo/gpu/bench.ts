// Measures the kernels: two lengths of the loop, so that what a launch costs by itself falls out.
import type { KernelExecutor } from '../../src/harness/executors.ts';
import { type BenchKernel, benchKernels, benchLaunch, benchThreads } from './bench-kernels.ts';
import type { BenchFigure } from './messages.ts';

interface Effort {
  readonly blocks: number;
  /// The longer launch takes at least this long, and the loop never turns more often than `mostTurns`.
  readonly wantedMs: number;
  readonly mostTurns: number;
}

const hardware: Effort = { blocks: 2048, wantedMs: 60, mostTurns: 1 << 14 };
const software: Effort = { blocks: 8, wantedMs: 20, mostTurns: 1 << 8 };

/// Calls `onFigure` for each kernel as it is done. `isCancelled` is asked between kernels.
export async function bench(
  executor: KernelExecutor,
  isSoftware: boolean,
  onFigure: (figure: BenchFigure) => void,
  isCancelled: () => boolean,
): Promise<void> {
  for (const kernel of benchKernels) {
    if (isCancelled()) return;
    onFigure(await measure(executor, kernel, isSoftware ? software : hardware));
  }
}

async function measure(executor: KernelExecutor, kernel: BenchKernel, effort: Effort): Promise<BenchFigure> {
  const time = async (turns: number): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < 3; i++) times.push((await executor.run(benchLaunch(kernel, effort.blocks, turns))).ms);
    return Math.min(...times);
  };
  // Compiles the shader, and wakes the clocks up.
  await time(1);
  let turns = 8;
  let ms = await time(turns);
  while (ms < effort.wantedMs && turns < effort.mostTurns) {
    turns = Math.min(effort.mostTurns, turns * (ms < effort.wantedMs / 8 ? 8 : 2));
    ms = await time(turns);
  }
  const base = await time(Math.max(1, turns / 8));
  const operations = effort.blocks * benchThreads * kernel.perTurn * (turns - Math.max(1, turns / 8));
  return { name: kernel.name, gops: operations / 1e6 / Math.max(ms - base, 1e-3), ms };
}
