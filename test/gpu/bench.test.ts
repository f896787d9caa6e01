// Tests sequences on real adapters: preparation, repetition and results. No test depends on a time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareWindows } from '../../src/harness/bench/check.ts';
import { instructionEntries } from '../../src/harness/bench/entries/instruction-entries.ts';
import { kernelEntries } from '../../src/harness/bench/entries/kernel-entries.ts';
import { measure } from '../../src/harness/bench/measure.ts';
import type { MeasuringExecutor } from '../../src/harness/executors/executor.ts';
import { openExecutor } from '../../src/harness/executors/open-executor.ts';
import { referenceWindows } from '../../src/harness/executors/run-sequence.ts';
import { adapters } from './adapters.ts';

const entries = [...instructionEntries({ software: true }), ...kernelEntries()];

function entryNamed(id: string) {
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) throw new Error(`no entry ${id}`);
  return entry;
}

const once = { sampleMs: 0, rounds: 1, samplesPerRound: 2, modes: ['exact'] } as const;

// The tests use one adapter for each transport: one browser, and one driver of Dawn. The corpus
// tests run the same kernels on the other adapters.
const both = adapters.filter(({ on, adapter }) => on === 'chrome' || adapter === 'lavapipe8');

describe.each(both)('$name', ({ present, on, adapter }) => {
  let opened: MeasuringExecutor | undefined;
  beforeAll(async () => {
    if (on !== 'chrome' && on !== 'dawn') throw new Error(`${on} is no WebGPU adapter`);
    if (present) opened = await openExecutor(on, adapter === undefined ? {} : { adapter });
  });
  afterAll(() => opened?.close());

  async function onMachine(work: (machine: MeasuringExecutor) => Promise<void>): Promise<void> {
    if (!opened) throw new Error('the machine is not open');
    await work(opened);
  }

  test.skipIf(!present)('repeats and warms up the requested number of times, on data prepared once', async () => {
    await onMachine(async (machine) => {
      const { sequence } = entryNamed('kernel:reduce').make('check', 1);
      const sum = new Uint32Array(
        (await referenceWindows(sequence)).get('out')?.slice().buffer ?? new ArrayBuffer(0),
      )[0];
      const run = await machine.time(sequence, { repeat: 3, samples: 2, warmup: 1 }, { float: 'exact' });
      // The kernel adds to the buffer seven times.
      const added = new Uint32Array(run.windows.get('out')?.slice().buffer ?? new ArrayBuffer(0))[0];
      expect(added).toBe(Math.imul(sum ?? 0, 7) >>> 0);
      expect(run.times).toHaveLength(2);
      expect(run.times.every((ms) => ms >= 0)).toBe(true);
    });
  });

  test.skipIf(!present)('launches that share buffers equal the reference', async () => {
    await onMachine(async (machine) => {
      for (const id of ['kernel:compact', 'kernel:transpose']) {
        const { sequence } = entryNamed(id).make('check', 1);
        const { windows } = await machine.time(sequence, { repeat: 0, samples: 0, warmup: 1 }, { float: 'exact' });
        expect(compareWindows(sequence, await referenceWindows(sequence), windows), id).toMatchObject({
          difference: undefined,
        });
      }
    });
  });

  test.skipIf(!present)('measures an instruction', async () => {
    await onMachine(async (machine) => {
      const [measured] = await measure(entryNamed('shfl.sync:bfly:immediate:dependent'), [machine], once);
      expect(measured).toMatchObject({ status: 'measured', compared: 64, message: '' });
      expect(measured?.rate?.samples).toBe(2);
    });
  });
});
