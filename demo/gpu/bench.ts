// Runs a few of the command line's instruction benchmarks on the page's adapter.
import { instructionEntries } from '../../src/harness/bench/entries/instruction-entries.ts';
import { measure } from '../../src/harness/bench/measure.ts';
import { isSoftware, type MeasuringExecutor } from '../../src/harness/executors/executor.ts';
import type { BenchFigure } from './messages.ts';

const chosen = [
  'shfl.sync:bfly:immediate:independent',
  'shfl.sync:down:immediate:independent',
  'shfl.sync:idx:register:independent',
  'vote.sync.ballot:immediate:independent',
  'redux.sync:add.u32:immediate:independent',
  'match.any.sync:b32:immediate:independent',
] as const;

const options = { rounds: 1, samplesPerRound: 5, modes: ['exact'] } as const;
const sampleMs = { hardware: 20, software: 10 } as const;

/**
 * Compares each instruction's results with the reference, and measures the instruction's speed if
 * the results are correct. Calls `onFigure` after each instruction. Calls `isCancelled` between
 * instructions.
 */
export async function bench(
  machine: MeasuringExecutor,
  onFigure: (figure: BenchFigure) => void,
  isCancelled: () => boolean,
): Promise<void> {
  const software = isSoftware(machine);
  const entries = instructionEntries({ software });
  for (const id of chosen) {
    if (isCancelled()) return;
    const entry = entries.find((candidate) => candidate.id === id);
    if (!entry) throw new Error(`unknown benchmark ${id}`);
    const length = software ? sampleMs.software : sampleMs.hardware;
    const [measurement] = await measure(entry, [machine], { ...options, sampleMs: length });
    if (!measurement) continue;
    const { rate, sample, message, compared, clock } = measurement;
    onFigure({ id, rate, sampleMs: sample?.median ?? 0, message, compared, clock: clock ?? 'host' });
  }
}
