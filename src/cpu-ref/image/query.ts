// What `txq` and `suq` tell.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#texture-instructions-txq
import type { Image } from '../../base/image.ts';

const queries: Readonly<Record<string, (image: Image) => number>> = {
  width: ({ size: [width] }) => width,
  height: ({ size: [, height], sampling }) => height ?? (sampling === undefined ? 0 : 1),
  // Layers lie where a depth would.
  depth: ({ size: [, , depth], layers }) => depth ?? layers ?? 0,
};

export function queryImage(image: Image, query: string): number {
  const answer = queries[query];
  if (answer === undefined) throw new RangeError(`no query '${query}'`);
  return answer(image);
}
