// The encoding of large kernels as data.
import { encodePart } from '../pass-parts.ts';
import { encode } from '../passes/encode/index.ts';
import { mustEncode } from '../passes/encode/must-encode.ts';

export function provideEncode(): void {
  encodePart.provide({ encode, mustEncode });
}
