// The launches of a litmus test as a sequence, and the outcomes that they count.
import { at, get } from '../../base/invariants.ts';
import type { LitmusTest, Outcome } from '../../memory-model/index.ts';
import type { LaunchSequence, SequenceBuffer, SequenceLaunch } from '../launches/launch-sequence.ts';
import { kernelText, litmusEntry } from './kernel-text.ts';
import {
  globalsOf,
  instancesOf,
  type LaunchSize,
  layoutOf,
  locationBytes,
  maxSamples,
  memoryOf,
  scratchWords,
  testBuffers,
  valueBytes,
} from './plan.ts';
import {
  beginBuffers,
  beginEntry,
  beginText,
  countBuffers,
  countEntry,
  countText,
  roundBlocks,
  roundThreads,
  samplesAt,
} from './round-kernels.ts';
import { settingsOf } from './settings.ts';

/** How often instances ended with an outcome. */
export interface Counted {
  readonly outcome: Outcome;
  readonly count: number;
}

/** Counts of outcomes. */
export interface OutcomeCounts {
  /** The counts of the known outcomes. */
  readonly known: readonly Counted[];
  /** The number of all other outcomes, and the first of them. */
  readonly others: number;
  readonly samples: readonly Outcome[];
}

/**
 * Returns a round: it draws settings, runs the instances, and counts their outcomes. A run executes
 * it several times, each time with other settings. The known outcomes are counted separately.
 */
export function litmusSequence(
  test: LitmusTest,
  size: LaunchSize,
  seed: number,
  known: readonly Outcome[],
): LaunchSequence {
  const count = instancesOf(size);
  const layout = layoutOf(test);
  const ptx = `.version 8.7
.target sm_90
.address_size 64
${[beginText(test, size), kernelText(test, size), countText(test, size, known)].join('\n')}`;
  const bytesOf: readonly (readonly [string, number])[] = [
    ...globalsOf(test).map((own) => [memoryOf(own.variable.name), count * locationBytes(own)] as const),
    ['out', Math.max(test.observables.length, 1) * count * valueBytes],
    ['sync', size.teams * 4],
    ['scratch', scratchWords * 4],
    ['settings', (settingsOf(test).length + 1) * 4],
    ['counts', samplesAt(known) + maxSamples * valueBytes * test.observables.length],
  ];
  const buffers = bytesOf.map(
    ([name, bytes]): SequenceBuffer => ({
      name,
      type: 'u32',
      bytes,
      ...(name === 'counts' ? { result: {} } : {}),
    }),
  );
  const step = (entry: string, grid: number, block: number, args: SequenceLaunch['args']): SequenceLaunch => ({
    ptx,
    ptxFile: `${test.name}.ptx`,
    entry,
    grid: [grid, 1, 1],
    block: [block, 1, 1],
    args,
  });
  const blocks = size.teams * layout.blocks.length + size.stressBlocks;
  return {
    id: `litmus:${test.name}`,
    buffers,
    prepare: [],
    steps: [
      step(beginEntry, roundBlocks(size), roundThreads, [...beginBuffers(test), { type: 'u32', value: seed }]),
      step(litmusEntry, blocks, layout.width * size.slots, testBuffers(test)),
      step(countEntry, roundBlocks(size), roundThreads, countBuffers(test)),
    ],
  };
}

/** Reads the counts of a run from the windows of its sequence. */
export function readCounts(
  { observables }: LitmusTest,
  known: readonly Outcome[],
  windows: ReadonlyMap<string, Uint8Array>,
): OutcomeCounts {
  const bytes = get(windows, 'counts', 'the counts of outcomes');
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const countAt = (index: number): number => words.getUint32(4 * index, true);
  const others = countAt(known.length);
  const samples = Array.from({ length: Math.min(others, maxSamples) }, (_, sample) =>
    observables.map((_, index) =>
      words.getBigUint64(samplesAt(known) + valueBytes * (sample * observables.length + index), true),
    ),
  );
  return {
    known: known.map((_, index) => ({ outcome: at(known, index, 'outcome'), count: countAt(index) })),
    others,
    samples,
  };
}
