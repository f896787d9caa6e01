// All parts of the compiler, for programs that translate without loading.

import { provideHelpers } from '../../wgsl/helpers/library.ts';
import { rareHelpers } from '../../wgsl/helpers/rare.ts';
import { provideAsync } from './async.ts';
import { provideAtomics } from './atomics.ts';
import { provideCollectives } from './collectives.ts';
import { provideDoubles } from './doubles.ts';
import { provideGuards } from './guards.ts';
import { provideRareLanes } from './lanes.ts';
import { provideMatrices } from './matrices.ts';
import { provideVariables } from './variables.ts';
import { provideWorkarounds } from './workarounds.ts';

/** Makes all parts available. */
export function provideAllParts(): void {
  provideHelpers(rareHelpers);
  provideMatrices();
  provideDoubles();
  provideRareLanes();
  provideAsync();
  provideCollectives();
  provideGuards();
  provideAtomics();
  provideVariables();
  provideWorkarounds();
}
