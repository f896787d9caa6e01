// Benchmark measurements on machines whose clock is a formula, so no test depends on time.
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { rateText } from '../../../../src/base/rate.ts';
import { type MeasureOptions, measure } from '../../../../src/harness/bench/measure.ts';
import { ratioPlot } from '../../../../src/harness/bench/plot.ts';
import { benchTables, jsonEntries, jsonMeans } from '../../../../src/harness/bench/report.ts';
import { type BenchResults, meanRatios, shuffleLimit } from '../../../../src/harness/bench/results.ts';
import { granularityOf, spreadOf } from '../../../../src/harness/bench/statistics.ts';
import type { MeasuringExecutor } from '../../../../src/harness/executors/executor.ts';
import { GpuError } from '../../../../src/runtime/device/job.ts';
import { entryOf, machineOf, sequenceOf } from './bench-machines.ts';

const options: MeasureOptions = { sampleMs: 10, rounds: 2, samplesPerRound: 3, modes: ['exact', 'fast'] };

test.each([
  { grows: 'iterations', ms: 0.0004 },
  { grows: 'repeat', ms: 0.3 },
  { grows: 'repeat', ms: 50 },
] as const)('grows $grows times until a sample of $ms ms units is long enough', async ({ grows, ms }) => {
  const { machine, asked } = machineOf('dawn', ms);
  const [measured] = await measure(entryOf(grows), [machine], options);
  expect(measured).toMatchObject({ status: 'measured', machine: 'dawn', float: 'exact', compared: 1, clock: 'gpu' });
  expect(measured?.sample?.samples).toBe(6);
  expect(measured?.sample?.median).toBeGreaterThanOrEqual(10);
  expect(measured?.sample?.median).toBeLessThan(400);
  // Each repetition or iteration does a thousand units in `ms`.
  expect(measured?.rate?.median).toBeCloseTo(1e6 / ms, 3);
  expect(asked.at(-1)?.[grows]).toBe((measured?.work ?? 0) / 1000);
});

test('machines alternate, and float kernels run in both modes', async () => {
  const order: string[] = [];
  const machines = (['chrome', 'cuda'] as const).map((name) => {
    const { machine } = machineOf(name, 20);
    const time: MeasuringExecutor['time'] = (sequence, timing, options) => {
      if (timing.samples === 3) order.push(`${name} ${options?.float}`);
      return machine.time(sequence, timing, options);
    };
    return { ...machine, time };
  });
  const measured = await measure(entryOf('repeat', { float: true }), machines, options);
  expect(measured.map(({ machine, float }) => [machine, float])).toEqual([
    ['chrome', 'exact'],
    ['chrome', 'fast'],
    ['cuda', 'native'],
  ]);
  const turn = ['chrome exact', 'chrome fast', 'cuda exact'];
  expect(order).toEqual([...turn, ...turn]);
});

test('wrong, refused and lost entries are not measured, and the others are', async () => {
  const wrong = machineOf('chrome', 20, (data) => void data.fill(99, 0, 1));
  const broken = machineOf('dawn', 20).machine;
  const refusing = machineOf('cuda', 20).machine;
  const machines: MeasuringExecutor[] = [
    wrong.machine,
    { ...broken, time: () => Promise.reject(new GpuError('lost', 'gone')) },
    { ...refusing, time: () => Promise.reject(new GpuError('shader', 'needs sm_100a')) },
    machineOf('dawn', 20).machine,
  ];
  const measured = await measure(entryOf('iterations'), machines, options);
  expect(measured.map(({ status, message }) => ({ status, message }))).toEqual([
    {
      status: 'wrong',
      message: 'out: element 0 of the windows is 99, expected 2 (0x00000063 instead of 0x00000002)',
    },
    { status: 'error', message: 'gone' },
    { status: 'refused', message: 'needs sm_100a' },
    { status: 'measured', message: '' },
  ]);
  expect(wrong.asked).toHaveLength(1);
});

test('kernels are compared with native results at full size', async () => {
  const full = machineOf('chrome', 20);
  const { time } = full.machine;
  const differing: MeasuringExecutor['time'] = async (sequence, timing, options) => {
    const run = await time(sequence, timing, options);
    const large = sequence.id === 'full';
    return large ? { ...run, windows: new Map([['out', Uint8Array.of(7, 0, 0, 0)]]) } : run;
  };
  const kernel = entryOf('repeat', {
    section: 'kernels',
    make: (size, iterations) => ({ sequence: { ...sequenceOf(iterations), id: size }, work: 1 }),
  });
  const machines = [{ ...full.machine, time: differing }, machineOf('cuda', 20).machine];
  const [chrome, cuda] = await measure(kernel, machines, options);
  expect(chrome).toMatchObject({ status: 'wrong', message: expect.stringMatching(/^at full size: out: element 0/) });
  expect(cuda?.status).toBe('measured');
});

test('samples have a median and extremes', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ samples: 3, median: 2, min: 1, max: 3 });
  expect(spreadOf([4, 1])).toEqual({ samples: 2, median: 2.5, min: 1, max: 4 });
  expect(() => spreadOf([])).toThrow(RangeError);
});

test.each([
  { stamps: [], granularity: undefined },
  { stamps: [5, 5], granularity: undefined },
  { stamps: [1_000_007, 1_000_039, 1_000_103], granularity: 32 },
  { stamps: [65_536, 131_072, 65_536 * 7], granularity: 65_536 },
])('the clock with the time stamps $stamps has steps of $granularity', ({ stamps, granularity }) => {
  expect(granularityOf(stamps)).toBe(granularity);
});

test('an H200 shuffles at most 8364 billion lanes per second', () => {
  expect(shuffleLimit({ multiprocessors: 132, clockKhz: 1_980_000 })).toBe(8.36352e12);
  expect(shuffleLimit({})).toBeUndefined();
});

async function bothMachines(): Promise<BenchResults> {
  const entry = entryOf('iterations', { limit: 'shuffle' });
  const machines = [machineOf('chrome', 2).machine, machineOf('cuda', 1).machine];
  const measurements = await measure(entry, machines, options);
  return { entries: [{ entry, measurements }], tool: [], cub: [], skipped: [], notes: [], shuffleLimit: 4e6 };
}

test('rates are compared with native code and with the limit', async () => {
  const results = await bothMachines();
  expect(meanRatios(results, 'instructions')).toEqual([{ name: 'chrome', mean: 0.5, count: 1 }]);
  expect(jsonEntries(results)).toMatchObject([
    { id: 'shfl.sync:test', machine: 'chrome', ofNative: 0.5, ofLimit: 0.125, ofCub: null },
    { machine: 'cuda', ofNative: null, ofLimit: 0.25 },
  ]);
  expect(benchTables(results, pc.createColors(false))).toBe(
    [
      'instructions',
      '                on                rate  spread  of native  of limit  of CUB',
      'shfl.sync:test  chrome  0.000500 Gop/s   ±0.0%        50%       13%',
      '                cuda     0.00100 Gop/s   ±0.0%                  25%',
      'chrome: 50% of native over 1 (geometric mean)',
    ].join('\n'),
  );
});

test('entries that a compiler removes are in no mean, and invariant forms are in the second one', async () => {
  const machines = [machineOf('chrome', 2).machine, machineOf('cuda', 1).machine];
  const entry = entryOf('iterations');
  const measurements = await measure(entry, machines, options);
  // The measured rates are 5e5 and 1e6. The shuffle limit is for 32 lanes; for 64 lanes it is twice
  // as high.
  const faster = measurements.map((one) => ({
    ...one,
    rate: { samples: 1, median: one.machine === 'cuda' ? 2e5 : 9e6, min: 0, max: 0 },
  }));
  const results: BenchResults = {
    entries: [
      { entry, measurements },
      { entry: { ...entry, id: 'stays', invariant: true }, measurements: measurements.map((one) => ({ ...one, rate: spreadOf([1e6]) })) }, // biome-ignore format: one line
      { entry: { ...entry, id: 'gone' }, measurements: faster },
    ],
    ...{ tool: [], cub: [], skipped: [], notes: [], shuffleLimit: 4e6 },
  };
  expect(meanRatios(results, 'instructions')).toEqual([
    { name: 'chrome', mean: 0.5, count: 1, withInvariant: { mean: expect.closeTo(Math.SQRT1_2, 9), count: 2 } },
  ]);
  expect(jsonMeans(results)).toMatchObject([{ section: 'instructions', name: 'chrome', count: 1 }]);
  expect(jsonEntries(results)).toMatchObject([{}, {}, { invariant: true }, {}, { compiledAway: true }, {}]);
  const text = benchTables(results, pc.createColors(false));
  expect(text).toContain('chrome: 50% of native over 1 (geometric mean); 71% over 2 including the invariant forms');
  expect(text).toContain('Compiled away on some machine, and excluded from the means: gone');
});

test('rates are rounded and have units', () => {
  expect(rateText(8.172e12, 'lane operations')).toBe('8172 Gop/s');
  expect(rateText(3.95e9, 'bytes')).toBe('3.95 GB/s');
  expect(rateText(2.5e9, 'keys')).toBe('2500 Mkeys/s');
});

test('the plot shows every bar and native speed, and escapes its labels', () => {
  expect(ratioPlot('nothing', [])).toBeUndefined();
  const svg = ratioPlot('a < b', [
    { name: 'shfl', series: 'dawn', ratio: 1.02 },
    { name: 'shfl', series: 'chrome', ratio: 0.5 },
  ]);
  expect(svg).toContain('a &lt; b');
  expect(svg).toContain('<title>shfl, dawn: 102%</title>');
  expect(svg).toContain('<title>shfl, chrome: 50%</title>');
  expect(svg?.match(/class="native"/g)).toHaveLength(1);
});
