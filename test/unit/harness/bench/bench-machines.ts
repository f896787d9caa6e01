// Machines whose clock is a formula, and an entry for such machines, so that tests of measurements
// do not depend on time.

import type { BenchEntry } from '../../../../src/harness/bench/entries/entry.ts';
import type { MeasuringExecutor } from '../../../../src/harness/executors/executor.ts';
import { referenceWindows } from '../../../../src/harness/executors/run-sequence.ts';
import type { LaunchSequence } from '../../../../src/harness/launches/launch-sequence.ts';

const ptx = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b64 %a;
  .reg .b32 %n;
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  st.global.u32 [%a], %n;
  ret;
}
`;

export function sequenceOf(iterations: number): LaunchSequence {
  return {
    id: 'entry',
    buffers: [{ name: 'out', type: 'u32', bytes: 4, result: {} }],
    prepare: [],
    steps: [
      {
        ptx,
        ptxFile: 'k.ptx',
        entry: 'k',
        grid: [1, 1, 1],
        block: [1, 1, 1],
        args: ['out', { type: 'u32', value: iterations }],
      },
    ],
  };
}

export function entryOf(grows: BenchEntry['grows'], change: Partial<BenchEntry> = {}): BenchEntry {
  return {
    id: 'shfl.sync:test',
    section: 'instructions',
    unit: 'lane operations',
    float: false,
    grows,
    make: (_size, iterations) => ({ sequence: sequenceOf(iterations), work: 1000 * iterations }),
    ...change,
  };
}

interface Asked {
  readonly repeat: number;
  readonly iterations: number;
  readonly float: string;
}

/** A machine that needs `ms` for each repetition and iteration. */
export function machineOf(
  name: MeasuringExecutor['name'],
  ms: number,
  change: (data: Uint8Array) => void = () => undefined,
) {
  const asked: Asked[] = [];
  const machine: MeasuringExecutor = {
    name,
    describe: () => ({ name }),
    async time(sequence, { repeat, samples }, { float = 'exact' } = {}) {
      const [, iterations] = sequence.steps[0]?.args ?? [];
      const value = typeof iterations === 'object' ? iterations.value : 0;
      asked.push({ repeat, iterations: value, float });
      const windows = await referenceWindows(sequence);
      for (const data of windows.values()) change(data);
      const times = Array.from({ length: samples }, () => repeat * value * ms);
      return { times, stamps: times.map((time) => Math.round(time * 1000) * 32), clock: 'gpu', windows };
    },
    async close() {},
  };
  return { machine, asked };
}
