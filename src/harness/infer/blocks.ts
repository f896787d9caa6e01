// Suggests blocks and grids for a kernel.
import type { Dim3 } from '../../base/launch.ts';
import type { ThreadUse } from './thread-use.ts';

const maxThreads = 1024;
const lines = [128, 64, 256, 32, 512, 1024] as const;
const planes: readonly (readonly [number, number])[] = [[16, 16], [32, 8], [8, 8], [32, 32], [32, 4], [64, 4], [4, 4]]; // biome-ignore format: one line
const spaces: readonly Dim3[] = [[8, 8, 4], [4, 4, 4], [8, 4, 2], [32, 4, 2], [8, 8, 8]]; // biome-ignore format: one line

/**
 * Returns blocks for the kernel, the likeliest first. The list is never empty. An axis whose thread
 * index the kernel does not read has one thread.
 */
export function suggestBlocks(use: ThreadUse): Dim3[] {
  const { required, max, threadAxes } = use;
  if (required !== undefined) return [required];
  const limit = max === undefined ? maxThreads : Math.min(maxThreads, max[0] * max[1] * max[2]);
  const has = { x: threadAxes.includes('x'), y: threadAxes.includes('y'), z: threadAxes.includes('z') };
  const candidates: Dim3[] = [];
  if (has.z) candidates.push(...spaces.map(([x, y, z]): Dim3 => [has.x ? x : 1, has.y ? y : 1, z]));
  else if (has.y && has.x) {
    if (max !== undefined && max[1] > 1) candidates.push([max[0], max[1], 1]);
    candidates.push(...tiles(use), ...planes.map(([x, y]): Dim3 => [x, y, 1]));
  } else if (has.y) candidates.push(...lines.map((y): Dim3 => [1, y, 1]));
  else if (has.x) {
    const named = [...(max === undefined ? [] : [limit]), ...rows(use), ...boundedLines(use)];
    candidates.push(...[...named, ...lines].map((x): Dim3 => [x, 1, 1]));
  } else candidates.push([1, 1, 1]);
  const fitting = candidates.filter(([x, y, z]) => x >= 1 && y >= 1 && z >= 1 && x * y * z <= limit);
  const seen = new Set<string>();
  const unique = fitting.filter((block) => !seen.has(String(block)) && seen.add(String(block)));
  return unique.length > 0 ? unique : [[limit, 1, 1]];
}

const isPower = (n: number): boolean => n > 0 && (n & (n - 1)) === 0;

/**
 * Returns likely block widths. First are the distances between unrolled accesses, in elements. Then
 * follow widths at which a thread has one or two elements of a shared row; among these, powers of
 * two are first.
 */
function rows({ sharedRows }: ThreadUse): number[] {
  const alongX = sharedRows.filter(({ strides: [x] }) => x > 0);
  const gaps = alongX.flatMap(({ gap, strides: [x] }) => (gap > x && gap % x === 0 ? [gap / x] : []));
  const sizes = alongX.flatMap(({ bytes, strides: [x] }) => (bytes > 0 ? [Math.floor(bytes / x)] : []));
  const fitting = [...sizes, ...sizes.map((size) => size / 2), ...sizes.flatMap(withoutHalo)].filter(
    (size) => Number.isInteger(size) && size <= maxThreads,
  );
  const rank = (size: number): number => (isPower(size) ? size : size - maxThreads);
  return [...new Set([...gaps, ...fitting.sort((a, b) => rank(b) - rank(a))])];
}

/**
 * Returns the size of a row without the elements of neighbors, of which there may be the same
 * number at each end.
 */
function withoutHalo(size: number): number[] {
  const inner = 2 ** Math.floor(Math.log2(size));
  const halo = size - inner;
  return halo > 0 && halo % 2 === 0 && 2 * halo <= inner && inner >= 32 ? [inner] : [];
}

/**
 * Returns blocks that fit the tiles of shared arrays. The rows of tiles may be padded. A thread has
 * one element, or the elements of an unrolled loop.
 */
function tiles({ sharedRows }: ThreadUse): Dim3[] {
  const found = sharedRows.flatMap(({ bytes, gap, strides: [x, y] }): { tile: Dim3; gap: number }[] => {
    const [along, across] = x > 0 && y > x ? [x, y] : y > 0 && x > y ? [y, x] : [0, 0];
    if (along === 0 || across % along !== 0) return [];
    const width = across / along;
    const height = bytes === 0 ? width : Math.floor(bytes / across);
    // A row may end in padding, or have a neighbor's cell at each end.
    const hasHalo = isPower(width - 2) && !isPower(width);
    const margin = hasHalo ? 2 : width % 2;
    const isAcross = gap > 0 && gap % across === 0;
    const isAlong = gap > along && gap < across && gap % along === 0;
    const long = isAlong ? gap / along : width - margin;
    const short = isAcross ? gap / across : hasHalo ? height - margin : height;
    return [{ tile: x < y ? [long, short, 1] : [short, long, 1], gap: isAcross || isAlong ? gap : 0 }];
  });
  // The distance between stores is certain, but the size of an array is only a hint.
  return found.sort((a, b) => Number(b.gap > 0) - Number(a.gap > 0)).map(({ tile }) => tile);
}

/**
 * Returns block sizes from comparisons with the thread index, because kernels often treat the last
 * thread of a block specially.
 */
function boundedLines({ bounds }: ThreadUse): number[] {
  return [...bounds].reverse().flatMap((bound) => {
    if (bound >= 31 && isPower(bound + 1)) return [bound + 1];
    return bound >= 32 && isPower(bound) ? [bound * 2, bound] : [];
  });
}
