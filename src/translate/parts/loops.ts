// Unrolling of loops: a part of the compiler that a page loads on use.

import { loopPart } from '../pass-parts.ts';
import { unrollLoops } from '../passes/unroll/index.ts';

export function provideLoops(): void {
  loopPart.provide({ unrollLoops });
}
