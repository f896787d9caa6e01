// Benchmark entries for whole kernels, as nvcc compiled them, at sizes that fill a GPU. For Node
// only, because the PTX is read from bench/kernels.
import type { Tolerance } from '../../../base/launch.ts';
import type { SequenceBuffer, SequenceLaunch } from '../../launches/launch-sequence.ts';
import type { BenchEntry, Size } from './entry.ts';
import {
  buffer,
  choose,
  fill,
  type Kernel,
  launch,
  loose,
  MI,
  type Plan,
  result,
  strideBlocks,
  u32,
} from './kernel-plan.ts';
import { numberKernels } from './number-kernels.ts';

/** Plans a kernel that maps one input word to one output word. */
function mapping(entry: string, file: string, counts: Readonly<Record<Size, number>>): Kernel['plan'] {
  return (size) => {
    const n = choose(size, counts);
    return {
      buffers: [buffer('in', n), result('out', n)],
      fills: [fill('in', n)],
      steps: [launch(file, entry, strideBlocks(size), 256, ['in', 'out', u32(n)])],
      work: n * 8,
    };
  };
}

function counting(entry: string, outWords: number, limit = 0): Kernel['plan'] {
  return (size) => {
    const n = choose(size, { check: 4096, software: 2 ** 18, full: 64 * MI });
    return {
      buffers: [buffer('in', n), result('out', outWords)],
      fills: [fill('in', n, { limit })],
      steps: [launch('collect', entry, strideBlocks(size), 256, ['in', 'out', u32(n)])],
      work: n * 4,
    };
  };
}

/**
 * Plans a kernel on a square f32 matrix with blocks of 32 x 8 threads. Each block covers `rows`
 * rows.
 */
function grid2d(entry: string, rows: number, tolerance?: Tolerance): Kernel['plan'] {
  return (size) => {
    const side = choose(size, { check: 64, software: 512, full: 8192 });
    return {
      buffers: [buffer('in', side * side, 'f32'), result('out', side * side, 'f32', tolerance)],
      fills: [fill('in', side * side, { unit: true })],
      steps: [launch('memory', entry, [side / 32, side / rows, 1], [32, 8, 1], ['in', 'out', u32(side)])],
      work: side * side * 8,
    };
  };
}

/** Returns the launches of a device-wide scan of `words` words, a multiple of `scanTile`. */
function scanSteps(from: string, to: string, words: number, exclusive: boolean): SequenceLaunch[] {
  const tiles = words / scanTile;
  return [
    launch('order', 'clear', Math.min(64, Math.ceil((2 * tiles) / 256)), 256, ['state', u32(2 * tiles)]),
    launch('order', 'scan', tiles, 256, [from, to, 'state', u32(exclusive ? 1 : 0)]),
  ];
}

const scanTile = 8192;
/** Returns the buffer for the status words of the scan's tiles. */
const scanState = (words: number): SequenceBuffer => buffer('state', (2 * words) / scanTile);

function planScan(size: Size): Plan {
  const n = choose(size, { check: 2 * scanTile, software: 2 ** 17, full: 64 * MI });
  return {
    buffers: [buffer('in', n), scanState(n), result('out', n)],
    fills: [fill('in', n)],
    steps: scanSteps('in', 'out', n, false),
    work: n * 8,
  };
}

/**
 * Plans a radix sort of four passes of eight bits. Each pass counts, scans the counts, and moves.
 * The input keys stay unchanged, so each repetition sorts the same keys.
 */
function planSort(size: Size): Plan {
  const n = choose(size, { check: 2 * 4096, software: 4 * 4096, full: 64 * MI });
  const tiles = n / 4096;
  // The scan requires whole tiles. The padding stays zero.
  const counters = Math.ceil((tiles * 256) / scanTile) * scanTile;
  const passes = [0, 8, 16, 24].flatMap((shift, pass): SequenceLaunch[] => {
    const places = ['in', 'other', 'out', 'other', 'out'];
    const [from = '', to = ''] = places.slice(pass);
    return [
      launch('order', 'radix_count', tiles / 2, 256, [from, 'counts', u32(shift)]),
      ...scanSteps('counts', 'offsets', counters, true),
      launch('order', 'radix_scatter', tiles, 256, [from, 'offsets', to, u32(shift)]),
    ];
  });
  return {
    buffers: [
      buffer('in', n),
      buffer('other', n),
      result('out', n),
      buffer('counts', counters),
      buffer('offsets', counters),
      scanState(counters),
    ],
    fills: [fill('in', n)],
    steps: passes,
    work: n,
  };
}

function planCompact(size: Size): Plan {
  const n = choose(size, { check: 4096, software: 2 ** 18, full: 32 * MI });
  return {
    buffers: [buffer('in', n), result('out', n), result('counts', n / 1024)],
    fills: [fill('in', n)],
    steps: [launch('collect', 'compact', n / 1024, 256, ['in', 'out', 'counts'])],
    work: n * 6,
  };
}

/** Plans copies with cp.async, four words at a time. Each thread has four copies in flight. */
function planAsyncCopy(size: Size): Plan {
  const n = choose(size, { check: 16_384, software: 2 ** 18, full: 64 * MI });
  return {
    buffers: [buffer('in', n), result('out', n)],
    fills: [fill('in', n)],
    steps: [
      launch('async', 'copy_async', choose(size, { check: 2, software: 16, full: 132 * 8 }), 128, [
        'in',
        'out',
        u32(n / 4),
      ]),
    ],
    work: n * 8,
  };
}

/**
 * Plans a hash table that a kernel clears, fills and searches. Half of the searched keys are
 * present, and half of the slots stay empty.
 */
function planTable(size: Size): Plan {
  const n = choose(size, { check: 1024, software: 2 ** 14, full: 8 * MI });
  const slots = 2 * n;
  const over = (count: number): number => Math.ceil(count / 256);
  return {
    buffers: [buffer('in', 3 * n), buffer('table', 2 * slots), result('found', n), result('counts', 2)],
    fills: [fill('in', 3 * n)],
    steps: [
      launch('table', 'table_clear', over(slots), 256, ['table', 'counts', u32(slots)]),
      launch('table', 'table_insert', over(n), 256, ['in', 'table', 'counts', u32(n), u32(slots)]),
      launch('table', 'table_find', over(n), 256, ['in', 'table', 'found', 'counts', u32(n / 2), u32(n), u32(slots)]),
    ],
    work: 2 * n,
  };
}

/** Plans many small launches, each of which reads the results of the previous launch. */
function planSmallLaunches(size: Size): Plan {
  const n = choose(size, { check: 256, software: 2048, full: 2 ** 16 });
  const count = size === 'check' ? 4 : 200;
  return {
    buffers: [buffer('a', n), result('b', n)],
    fills: [fill('a', n)],
    steps: Array.from({ length: count }, (_, index) =>
      launch('table', 'small_step', n / 256, 256, index % 2 === 0 ? ['a', 'b', u32(index)] : ['b', 'a', u32(index)]),
    ),
    work: count,
  };
}

const words = { check: 4096, software: 2 ** 18, full: 64 * MI };

const kernels: readonly Kernel[] = [
  { name: 'copy', unit: 'bytes', plan: mapping('copy', 'memory', words) },
  { name: 'copy-async', unit: 'bytes', plan: planAsyncCopy },
  { name: 'reduce', unit: 'bytes', cub: 'reduce', plan: counting('reduce', 1) },
  { name: 'scan', unit: 'bytes', cub: 'scan', plan: planScan },
  { name: 'compact', unit: 'bytes', plan: planCompact },
  { name: 'histogram', unit: 'bytes', plan: counting('histogram', 256) },
  { name: 'aggregate', unit: 'bytes', plan: counting('aggregate', 8192, 8) },
  { name: 'bitonic', unit: 'bytes', plan: mapping('bitonic', 'order', words) },
  { name: 'radix-sort', unit: 'keys', cub: 'sort', plan: planSort },
  { name: 'transpose', unit: 'bytes', plan: grid2d('transpose', 32) },
  { name: 'stencil', unit: 'bytes', float: true, plan: grid2d('stencil', 32, loose) },
  { name: 'hash-table', unit: 'keys', plan: planTable },
  { name: 'small-launches', unit: 'launches', plan: planSmallLaunches },
  ...numberKernels,
];

/**
 * Returns the entries of the kernels. In sums and counters, each repetition continues from the
 * values of the previous one.
 */
export function kernelEntries(): readonly BenchEntry[] {
  return kernels.map(({ name, unit, float = false, cub, onlyAsked = false, plan }) => ({
    id: `kernel:${name}`,
    section: 'kernels',
    unit,
    float,
    grows: 'repeat',
    onlyAsked,
    ...(unit === 'bytes' ? { limit: 'memory' as const } : {}),
    ...(cub ? { cub } : {}),
    make(size) {
      const { buffers, fills, steps, work } = plan(size);
      return { sequence: { id: `kernel:${name}`, buffers, prepare: fills, steps }, work };
    },
  }));
}
