import { at, blocksFor, input, int, type Lesson, output, wholeFloats } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Shared memory',
  title: 'A tile of a matrix',
  text: [
    'A GPU reads memory fastest if neighboring threads read neighboring elements. A plain transpose cannot do this for both matrices: if its reads follow the rows, its writes follow the columns.',
    'With a tile in shared memory, both follow the rows. A block reads 16 × 16 elements row by row, waits, and writes the transposed tile row by row. Only the accesses to shared memory change direction. Each row of `tile` has one unused element, so that the elements of a column are in different memory banks.',
    'Write the second half. The block whose tile is in block row `blockIdx.y` writes to block column `blockIdx.y` of `out`, which has `height` columns.',
  ],
  hint: 'Now `x = blockIdx.y * 16 + threadIdx.x` is the column of `out`, and `y = blockIdx.x * 16 + threadIdx.y` is the row. The value is `tile[threadIdx.x][threadIdx.y]`. Check `x < height && y < width`.',
  kernel: 'transpose',
  sizes: [16, 1, 18],
  timed: 1024,
  trial(width, random) {
    const height = Math.ceil(width * 1.4);
    const matrix = wholeFloats(random, width * height, -1000, 1000);
    const transposed = matrix.map((_, index) => at(matrix, (index % height) * width + Math.floor(index / height)));
    const params = [int('width', width), int('height', height), input('in', matrix), output('out', transposed)];
    return { grid: [blocksFor(width, 16), blocksFor(height, 16), 1], block: [16, 16, 1], params };
  },
};
