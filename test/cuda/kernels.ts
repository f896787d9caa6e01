// The kernels in this folder, each with its arguments, and its expected result or its deliberate
// error.

export interface Sample {
  readonly name: string;
  /** The arguments of `lanewise run` after the file. */
  readonly args: readonly string[];
  /** The name of the output buffer. */
  readonly output: string;
  readonly expected: () => number[];
  /** The tolerance; 0 if it is undefined. */
  readonly tolerance?: number;
}

const words = (text: string): string[] => text.split(' ');
const numbers = (count: number, value: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => value(index));
const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0);

export const samples: readonly Sample[] = [
  {
    name: 'saxpy',
    args: words('--grid 4 --block 256 1000 2.5 f32[1024]=iota f32[1024]=ones'),
    output: 'y',
    expected: () => numbers(1024, (i) => (i < 1000 ? 2.5 * i + 1 : 1)),
  },
  {
    name: 'reduce',
    args: [...words('--grid 2 --block 128 [1024]=iota [2] 1024 --entry'), 'reduce<int, 128u>'],
    output: 'out',
    expected: () => numbers(2, (block) => sum(numbers(1024, (i) => (Math.floor(i / 128) % 2 === block ? i : 0)))),
  },
  {
    name: 'matmul',
    args: words('--grid 2,2 --block 16,16 f32[1024] f32[1024]=iota f32[1024]=ones 32 32'),
    output: 'c',
    expected: () => numbers(1024, (i) => sum(numbers(32, (k) => Math.floor(i / 32) * 32 + k))),
  },
  {
    name: 'transpose',
    args: words('--entry transpose --grid 2,1 --block 32,8 f32[2048] f32[2048]=iota 64 32'),
    output: 'out',
    expected: () => numbers(2048, (i) => (i % 32) * 64 + Math.floor(i / 32)),
  },
  {
    name: 'histogram',
    args: words('--grid 4 --block 64 u8[1000]=iota [256] 1000'),
    output: 'bins',
    // 1000 is three times 256, plus 232.
    expected: () => numbers(256, (bin) => (bin < 232 ? 4 : 3)),
  },
  {
    name: 'scan',
    args: words('--block 128 --shared 512 [100]=iota [100] 100'),
    output: 'out',
    expected: () => numbers(100, (i) => (i * (i + 1)) / 2),
  },
  {
    name: 'stencil',
    args: words('--grid 3 --block 64 [150]=iota [150] 150'),
    output: 'out',
    expected: () =>
      numbers(150, (i) =>
        sum([1, -2, 3, 4, 3, -2, 1].map((weight, k) => (i + k - 3 >= 0 && i + k - 3 < 150 ? weight * (i + k - 3) : 0))),
      ),
  },
  {
    name: 'softmax',
    args: words('--grid 2 --block 32,4 f32[400]=iota f32[400] 8 50'),
    output: 'out',
    expected: () => numbers(400, (i) => Math.exp((i % 50) - 49) / sum(numbers(50, (k) => Math.exp(k - 49)))),
    tolerance: 1e-6,
  },
  {
    name: 'nbody',
    args: words('--grid 2 --block 64 f32[512]=iota f32[512] f32[512]=ones 0.5 128'),
    output: 'moved',
    expected: nbodyPositions,
    tolerance: 2e-2,
  },
  {
    name: 'dot',
    args: words('--grid 4 --block 128 f32[2048]=iota f32[2048]=ones [1] 2048'),
    output: 'result',
    expected: () => [(2048 * 2047) / 2],
  },
];

/**
 * Returns the positions and masses of the bodies after half a second. Body i starts at (4i, 4i + 1,
 * 4i + 2) with mass 4i + 3 and velocities of 1.
 */
function nbodyPositions(): number[] {
  const bodies = numbers(128, (i) => i);
  return bodies.flatMap((i) => {
    const force = sum(
      bodies.map((j) => {
        const distance = 4 * (j - i);
        return (distance * (4 * j + 3)) / (3 * distance * distance + 0.01) ** 1.5;
      }),
    );
    const step = (1 + force * 0.5) * 0.5;
    return [4 * i + step, 4 * i + 1 + step, 4 * i + 2 + step, 4 * i + 3];
  });
}

export interface Planted {
  readonly name: string;
  readonly args: readonly string[];
  /** The code of the finding at the line whose comment is `fault`. */
  readonly code: string;
}

export const planted: readonly Planted[] = [
  { name: 'race', args: words('--block 64 [64]=ones [1]'), code: 'RUN010' },
  { name: 'missing-barrier', args: words('--block 128 [128]=iota [128]'), code: 'RUN010' },
  { name: 'out-of-bounds', args: words('--grid 3 --block 64 [128] 128'), code: 'RUN008' },
  { name: 'uninitialized-shared', args: words('--block 64 [64]=iota [64]'), code: 'RUN007' },
  { name: 'divergent-barrier', args: words('--block 64 [96]=iota [64]'), code: 'RUN004' },
  { name: 'wrong-mask', args: words('--block 32 [32]=iota [32]'), code: 'RUN001' },
  { name: 'misaligned', args: words('--block 8 f32[32]=iota f32[32]'), code: 'RUN009' },
  { name: 'warp-in-step', args: words('--block 64 [64]=iota [1]'), code: 'RUN017' },
  { name: 'endless-wait', args: words('--block 64 [1] [64]'), code: 'RUN002' },
  { name: 'failed-assertion', args: words('--block 32 [32]=iota [32]=iota [32] 31'), code: 'RUN018' },
  { name: 'past-shared-array', args: words('--block 32 [64]=iota [32]'), code: 'RUN025' },
  { name: 'wrong-source-lane', args: words('--block 32 [32]=iota [32] 32'), code: 'RUN003' },
];
