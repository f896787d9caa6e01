// What `txq` and `suq` tell.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#texture-instructions-txq
import type { Image } from '../../base/image.ts';

const queries: Readonly<Record<string, (image: Image) => number>> = {
  width: ({ size: [width] }) => width,
  height: ({ size: [, height = 0] }) => height,
  depth: ({ size: [, , depth = 0] }) => depth,
  array_size: ({ layers = 0 }) => layers,
};

export function queryImage(image: Image, query: string): number {
  const answer = queries[query];
  if (answer === undefined) throw new RangeError(`no query '${query}'`);
  return answer(image);
}
