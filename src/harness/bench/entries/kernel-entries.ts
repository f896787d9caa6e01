// Whole kernels, as nvcc compiled them, at sizes that fill a GPU. For Node only: reads bench/kernels.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dim3, ScalarKind, Tolerance } from '../../../base/launch.ts';
import type { Unit } from '../../../base/rate.ts';
import type { SequenceArgument, SequenceBuffer, SequenceLaunch } from '../../launches/launch-sequence.ts';
import { packageFolder } from '../../sessions/dist-folder.ts';
import type { BenchEntry, Size } from './entry.ts';

const folder = join(packageFolder(), 'bench/kernels');

/// Whether this installation has the kernels.
export function hasKernels(): boolean {
  return existsSync(join(folder, 'fill.ptx'));
}

interface Plan {
  readonly buffers: readonly SequenceBuffer[];
  readonly fills: readonly SequenceLaunch[];
  readonly steps: readonly SequenceLaunch[];
  readonly work: number;
}

interface Kernel {
  readonly name: string;
  readonly unit: Unit;
  readonly float?: boolean;
  readonly cub?: BenchEntry['cub'];
  readonly onlyAsked?: boolean;
  readonly plan: (size: Size) => Plan;
}

const MI = 2 ** 20;
/// Of approximate divisions and square roots, and of sums: what fast arithmetic may contract.
const loose: Tolerance = { rel: 1e-4, abs: 1e-5 };

const u32 = (value: number): SequenceArgument => ({ type: 'u32', value });
const choose = (size: Size, sizes: Readonly<Record<Size, number>>): number => sizes[size];

function buffer(name: string, words: number, type: ScalarKind = 'u32'): SequenceBuffer {
  return { name, type, bytes: words * 4 };
}

function result(name: string, words: number, type: ScalarKind = 'u32', tolerance?: Tolerance): SequenceBuffer {
  return { ...buffer(name, words, type), result: tolerance ? { tolerance } : {} };
}

const texts = new Map<string, string>();

function launch(
  file: string,
  entry: string,
  grid: Dim3 | number,
  block: Dim3 | number,
  args: readonly SequenceArgument[],
): SequenceLaunch {
  const ptxFile = join(folder, `${file}.ptx`);
  const ptx = texts.get(file) ?? readFileSync(ptxFile, 'utf8');
  texts.set(file, ptx);
  const dim = (size: Dim3 | number): Dim3 => (typeof size === 'number' ? [size, 1, 1] : size);
  return { ptx, ptxFile, entry, grid: dim(grid), block: dim(block), args };
}

/// Random words; below `limit` where it is not 0, f32 from -1 to 1 where `unit`.
function fill(name: string, words: number, { limit = 0, unit = false } = {}): SequenceLaunch {
  const blocks = Math.min(4096, Math.ceil(words / 256));
  const seed = [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), words) % 2 ** 32;
  return launch('fill', 'fill', blocks, 256, [name, u32(words), u32(seed), u32(limit), u32(unit ? 1 : 0)]);
}

/// Of kernels whose threads go on to the next element of theirs: what keeps every processor busy.
const strideBlocks = (size: Size): number => choose(size, { check: 2, software: 16, full: 132 * 8 * 2 });

/// One word in, one word out.
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

/// Square f32 matrix in and out, in blocks of 32 x 8 threads that handle `rows` rows.
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

/// The launches of a device-wide sum of `words` words, a multiple of `scanTile`.
function scanSteps(from: string, to: string, words: number, exclusive: boolean): SequenceLaunch[] {
  const tiles = words / scanTile;
  return [
    launch('order', 'clear', Math.min(64, Math.ceil((2 * tiles) / 256)), 256, ['state', u32(2 * tiles)]),
    launch('order', 'scan', tiles, 256, [from, to, 'state', u32(exclusive ? 1 : 0)]),
  ];
}

const scanTile = 8192;
/// What the tiles of a sum say of themselves.
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

/// Four passes of eight bits: count, sum the counts, move. The keys stay as they are, to be sorted again.
function planSort(size: Size): Plan {
  const n = choose(size, { check: 2 * 4096, software: 4 * 4096, full: 64 * MI });
  const tiles = n / 4096;
  // Whole tiles of the scan; what is more stays zero.
  const counters = Math.ceil((tiles * 256) / scanTile) * scanTile;
  const passes = [0, 8, 16, 24].flatMap((shift, pass): SequenceLaunch[] => {
    const places = ['in', 'other', 'out', 'other', 'out'];
    const [from = '', to = ''] = places.slice(pass);
    return [
      launch('order', 'radix_count', tiles, 256, [from, 'counts', u32(shift)]),
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

/// Rows of 2048 f32, a block each.
function rows(entry: string, extra: readonly string[], tolerance: Tolerance): Kernel['plan'] {
  return (size) => {
    const count = choose(size, { check: 2, software: 64, full: 32_768 });
    const n = count * 2048;
    return {
      buffers: [
        buffer('in', n, 'f32'),
        ...extra.map((name) => buffer(name, 2048, 'f32')),
        result('out', n, 'f32', tolerance),
      ],
      fills: [fill('in', n, { unit: true }), ...extra.map((name) => fill(name, 2048, { unit: true }))],
      steps: [launch('neural', entry, count, 256, ['in', ...extra, 'out'])],
      work: n * 8,
    };
  };
}

function planGemv(size: Size): Plan {
  const [high, wide] = [
    choose(size, { check: 16, software: 256, full: 16_384 }),
    choose(size, { check: 256, software: 1024, full: 4096 }),
  ];
  return {
    buffers: [
      buffer('matrix', high * wide, 'f32'),
      buffer('x', wide, 'f32'),
      result('y', high, 'f32', { rel: 1e-4, abs: 1e-4 }),
    ],
    fills: [fill('matrix', high * wide, { unit: true }), fill('x', wide, { unit: true })],
    steps: [launch('neural', 'gemv', high / 8, 256, ['matrix', 'x', 'y', u32(wide)])],
    work: high * wide * 4,
  };
}

function planMatmul(size: Size): Plan {
  const side = choose(size, { check: 64, software: 128, full: 4096 });
  return {
    buffers: [
      buffer('a', side * side, 'f32'),
      buffer('b', side * side, 'f32'),
      result('c', side * side, 'f32', { rel: 1e-4, abs: 1e-3 }),
    ],
    fills: [fill('a', side * side, { unit: true }), fill('b', side * side, { unit: true })],
    steps: [launch('neural', 'matmul', [side / 64, side / 64, 1], [16, 16, 1], ['a', 'b', 'c', u32(side)])],
    work: 2 * side ** 3,
  };
}

/// By cp.async, four words at a time; four copies of a thread are on their way together.
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

/// The same by mma.sync, of f16 with f32 sums.
const planHalfMatmul =
  (file: string, entry: string) =>
  (size: Size): Plan => {
    const side = choose(size, { check: 64, software: 64, full: 4096 });
    const n = side * side;
    const halves = (from: string, to: string) =>
      launch('tensor', 'to_half', strideBlocks(size), 256, [from, to, u32(n)]);
    return {
      buffers: [
        buffer('a', n, 'f32'),
        buffer('b', n, 'f32'),
        buffer('a16', n / 2),
        buffer('b16', n / 2),
        result('c', n, 'f32', { rel: 1e-4, abs: 1e-3 }),
      ],
      fills: [fill('a', n, { unit: true }), fill('b', n, { unit: true }), halves('a', 'a16'), halves('b', 'b16')],
      steps: [launch(file, entry, [side / 64, side / 64, 1], 128, ['a16', 'b16', 'c', u32(side)])],
      work: 2 * side ** 3,
    };
  };

/// The same of whole numbers, so that every element is compared, on the device, before anything is measured.
function planExactMatmul(size: Size): Plan {
  const side = choose(size, { check: 64, software: 64, full: 4096 });
  // Primes: no tile has the same lines as another.
  const [rows, columns] = size === 'full' ? [61, 59] : [13, 11];
  const [seedA, seedB] = [1_234_567, 89_101_112];
  const n = side * side;
  const blocks = strideBlocks(size);
  const fillSmall = (name: string, period: number, seed: number, across: number) =>
    launch('exact', 'fill_small', blocks, 256, [name, u32(side), u32(period), u32(seed), u32(across)]);
  const product = launch('tensor', 'matmul_f16', [side / 64, side / 64, 1], 128, ['a16', 'b16', 'c', u32(side)]);
  return {
    buffers: [
      buffer('a16', n / 2),
      buffer('b16', n / 2),
      buffer('table', rows * columns),
      result('c', n, 'f32'),
      { ...buffer('wrong', 1), result: { every: 0 } },
    ],
    fills: [
      fillSmall('a16', rows, seedA, 1),
      fillSmall('b16', columns, seedB, 0),
      launch('exact', 'small_products', Math.ceil((rows * columns) / 256), 256, [
        'table',
        u32(side),
        u32(rows),
        u32(columns),
        u32(seedA),
        u32(seedB),
      ]),
      product,
      launch('exact', 'count_wrong', blocks, 256, ['c', 'table', 'wrong', u32(side), u32(rows), u32(columns)]),
    ],
    steps: [product],
    work: 2 * side ** 3,
  };
}

/// Heads of 64 f16 a row; two products of n x n x 64 for each.
function planAttention(size: Size): Plan {
  const heads = choose(size, { check: 1, software: 1, full: 32 });
  const n = choose(size, { check: 64, software: 128, full: 2048 });
  const words = heads * n * 32;
  const names = ['q', 'k', 'v'];
  return {
    buffers: [...names.map((name) => buffer(name, words)), result('out', words, 'f16', { rel: 2 ** -8, abs: 2 ** -9 })],
    fills: names.flatMap((name) => [
      fill(name, words),
      launch('attention', 'halve', strideBlocks(size), 256, [name, u32(words)]),
    ]),
    steps: [launch('attention', 'attention', [n / 64, heads, 1], 128, [...names, 'out', u32(n)])],
    work: 4 * heads * n * n * 64,
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
  { name: 'softmax', unit: 'bytes', float: true, plan: rows('softmax', [], { rel: 1e-4, abs: 1e-8 }) },
  { name: 'layer-norm', unit: 'bytes', float: true, plan: rows('layer_norm', ['gain', 'bias'], loose) },
  { name: 'gemv', unit: 'bytes', float: true, plan: planGemv },
  { name: 'matmul', unit: 'flop', float: true, plan: planMatmul },
  { name: 'matmul-f16', unit: 'flop', float: true, plan: planHalfMatmul('tensor', 'matmul_f16') },
  { name: 'matmul-f16-async', unit: 'flop', float: true, plan: planHalfMatmul('async', 'matmul_async') },
  { name: 'matmul-f16-4096', unit: 'flop', float: true, onlyAsked: true, plan: planExactMatmul },
  { name: 'attention', unit: 'flop', float: true, plan: planAttention },
];

/// The kernels. Sums and counts go on where the last repetition left off.
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
