// Benchmark entries for floating-point kernels.
import type { Tolerance } from '../../../base/launch.ts';
import type { SequenceLaunch } from '../../launches/launch-sequence.ts';
import type { Size } from './entry.ts';
import {
  buffer,
  choose,
  fill,
  type Kernel,
  launch,
  loose,
  type Plan,
  result,
  strideBlocks,
  u32,
} from './kernel-plan.ts';

/** Plans a kernel on rows of 2048 f32, one block per row. */
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

/**
 * Returns a plan for matrix products of f16 operands with f32 sums, in square tiles. `rest` returns
 * the parameters after a, b and c.
 */
const planHalfMatmul =
  (
    file: string,
    entry: string,
    rest: (side: number) => SequenceLaunch['args'],
    { tile = 64, threads = 128, sharedBytes = 0 } = {},
  ) =>
  (size: Size): Plan => {
    const side = choose(size, { check: tile, software: tile, full: 4096 });
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
      steps: [
        launch(file, entry, [side / tile, side / tile, 1], threads, ['a16', 'b16', 'c', ...rest(side)], sharedBytes),
      ],
      work: 2 * side ** 3,
    };
  };

/**
 * Plans a product of byte matrices by mma.sync. The first factor is stored by rows, and the second
 * by columns.
 */
function planByteMatmul(size: Size): Plan {
  const side = choose(size, { check: 64, software: 64, full: 4096 });
  const words = (side * side) / 4;
  return {
    buffers: [buffer('a', words), buffer('b', words), result('c', side * side, 's32')],
    fills: [fill('a', words), fill('b', words)],
    steps: [launch('bytes', 'matmul_s8', [side / 64, side / 64, 1], 128, ['a', 'b', 'c', u32(side)])],
    work: 2 * side ** 3,
  };
}

/**
 * Plans a matrix product with integer values, so that the device can compare every element before
 * the measurement.
 */
function planExactMatmul(size: Size): Plan {
  const side = choose(size, { check: 64, software: 64, full: 4096 });
  // The sizes are primes, so that no two tiles have the same rows.
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

/** Plans attention with heads of 64 f16 per row. Each head has two products of n x n x 64. */
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

/** Returns the size parameter of our own kernels. */
const oneSide = (side: number): SequenceLaunch['args'] => [u32(side)];

/** The additional parameters of Triton kernels: two addresses of scratch memory. */
const noScratch = [
  { type: 'u64', value: 0 },
  { type: 'u64', value: 0 },
] as const;

/** Plans a softmax in which each block of four warps handles a row of 2048. */
function planTritonSoftmax(size: Size): Plan {
  const count = choose(size, { check: 2, software: 64, full: 32_768 });
  const n = count * 2048;
  return {
    buffers: [buffer('in', n, 'f32'), result('out', n, 'f32', { rel: 1e-4, abs: 1e-8 })],
    fills: [fill('in', n, { unit: true })],
    steps: [
      launch('triton-softmax', 'softmax', count, 128, ['in', 'out', { type: 's32', value: 2048 }, ...noScratch], 16),
    ],
    work: n * 8,
  };
}

const threeSides = (side: number): SequenceLaunch['args'] => [
  ...Array.from({ length: 3 }, () => ({ type: 's32', value: side }) as const),
  ...noScratch,
];

/** The size of a block's shared memory in bytes, as the first line of the PTX states. */
const tritonMatmulBytes = 16_384;

/** Plans an n-body step: 20 f64 operations per pair, including a square root and a division. */
function planBodies(size: Size): Plan {
  const n = choose(size, { check: 128, software: 256, full: 8192 });
  return {
    buffers: [
      buffer('in', n * 4),
      { name: 'bodies', type: 'f64', bytes: n * 32 },
      { name: 'out', type: 'f64', bytes: n * 24, result: {} },
    ],
    fills: [
      fill('in', n * 4),
      launch('double', 'to_double', Math.ceil((n * 4) / 256), 256, ['in', 'bodies', u32(n * 4)]),
    ],
    steps: [launch('double', 'nbody', n / 128, 128, ['bodies', 'out', u32(n)])],
    work: 20 * n * n,
  };
}

export const numberKernels: readonly Kernel[] = [
  { name: 'softmax', unit: 'bytes', float: true, plan: rows('softmax', [], { rel: 1e-4, abs: 1e-8 }) },
  { name: 'softmax-triton', unit: 'bytes', float: true, plan: planTritonSoftmax },
  { name: 'layer-norm', unit: 'bytes', float: true, plan: rows('layer_norm', ['gain', 'bias'], loose) },
  { name: 'gemv', unit: 'bytes', float: true, plan: planGemv },
  { name: 'matmul', unit: 'flop', float: true, plan: planMatmul },
  { name: 'matmul-f16', unit: 'flop', float: true, plan: planHalfMatmul('tensor', 'matmul_f16', oneSide) },
  { name: 'matmul-f16-async', unit: 'flop', float: true, plan: planHalfMatmul('async', 'matmul_async', oneSide) },
  {
    name: 'matmul-f16-triton',
    unit: 'flop',
    float: true,
    plan: planHalfMatmul('triton-matmul', 'matmul_pipelined', threeSides, { sharedBytes: tritonMatmulBytes }),
  },
  {
    name: 'matmul-f16-warpgroup',
    unit: 'flop',
    float: true,
    onlyAsked: true,
    plan: planHalfMatmul('warpgroup', 'matmul_warpgroup', oneSide, { tile: 128, threads: 256 }),
  },
  { name: 'matmul-s8', unit: 'flop', plan: planByteMatmul },
  { name: 'matmul-f16-4096', unit: 'flop', float: true, onlyAsked: true, plan: planExactMatmul },
  { name: 'attention', unit: 'flop', float: true, plan: planAttention },
  { name: 'n-body-f64', unit: 'flop', plan: planBodies },
];
