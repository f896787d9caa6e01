// Passes that a workaround for a driver requires: a part of the compiler that a page loads on use.

import { workaroundPart } from '../pass-parts.ts';
import { hideNegativeZeros } from '../passes/hide-negative-zeros.ts';
import { partBitTests } from '../passes/part-bit-tests.ts';
import { selectByVotes } from '../passes/select-by-votes.ts';

export function provideWorkarounds(): void {
  workaroundPart.provide({ hideNegativeZeros, selectByVotes, partBitTests });
}
