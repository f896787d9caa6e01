// The encoding of large kernels as data.
import { encodePart } from '../pass-parts.ts';
import { maxPairs } from '../passes/encode/code-limits.ts';
import { encode } from '../passes/encode/index.ts';

export function provideEncode(): void {
  encodePart.provide({ encode, maxPairs });
}
