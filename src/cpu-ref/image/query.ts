// Image queries: the results of `txq` and `suq`.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#texture-instructions-txq
import type { Image } from '../../base/image.ts';

const queries: Readonly<Record<string, (image: Image) => number>> = {
  width: ({ size: [width] }) => width,
  // For a layered image, a query of the first extent that the image does not have returns the
  // number of layers.
  height: ({ size: [, height], layers, sampling }) => height ?? layers ?? (sampling === undefined ? 0 : 1),
  depth: ({ size: [, height, depth], layers }) => depth ?? (height === undefined ? 0 : (layers ?? 0)),
};

export function queryImage(image: Image, query: string): number {
  const answer = queries[query];
  if (answer === undefined) throw new RangeError(`no query '${query}'`);
  return answer(image);
}
