import { at, blocksFor, input, int, type Lesson, output, randomInts } from '../lesson.ts';

export const lesson: Lesson = {
  chapter: 'Threads',
  title: 'Two dimensions',
  text: [
    'Grids and blocks can have two or three dimensions, which suits images. Here, blocks have 16 × 16 threads. `threadIdx.y`, `blockIdx.y` and `blockDim.y` work as their counterparts in `x` do.',
    'The memory of an image is still one-dimensional. Its rows follow each other, so the pixel in row `y` and column `x` has the index `y * width + x`.',
    'Mirror the image: the leftmost pixel of each row becomes the rightmost. The width and the height need not be multiples of 16.',
  ],
  hint: 'Compute `x` and `y` separately. Return if `x >= width || y >= height`. The mirrored column is `width - 1 - x`.',
  kernel: 'mirror',
  sizes: [16, 1, 20],
  timed: 1500,
  trial(width, random) {
    const height = Math.ceil(width * 0.6);
    const image = randomInts(random, width * height, 0, 255);
    const mirrored = image.map((_, index) => {
      const column = index % width;
      return at(image, index - column + (width - 1 - column));
    });
    const params = [int('width', width), int('height', height), input('image', image), output('mirrored', mirrored)];
    return { grid: [blocksFor(width, 16), blocksFor(height, 16), 1], block: [16, 16, 1], params };
  },
};
