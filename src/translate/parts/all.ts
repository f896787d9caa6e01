// All parts of the compiler, for programs that translate without loading.

import { provideFrontEndParts } from '../../ptx/parts/all.ts';
import { elementaryHelpers } from '../../wgsl/helpers/elementary.ts';
import { provideHelpers } from '../../wgsl/helpers/library.ts';
import { rareHelpers } from '../../wgsl/helpers/rare.ts';
import { provideAsync } from './async.ts';
import { provideAtomics } from './atomics.ts';
import { provideCalls } from './calls.ts';
import { provideCollectives } from './collectives.ts';
import { provideDoubles } from './doubles.ts';
import { provideEncode } from './encode.ts';
import { provideGuards } from './guards.ts';
import { provideRareLanes } from './lanes.ts';
import { provideLoops } from './loops.ts';
import { provideMatrices } from './matrices.ts';
import { provideVariables } from './variables.ts';
import { provideWorkarounds } from './workarounds.ts';

/** Makes all parts available. */
export function provideAllParts(): void {
  provideFrontEndParts();
  provideHelpers(elementaryHelpers);
  provideHelpers(rareHelpers);
  provideCalls();
  provideLoops();
  provideMatrices();
  provideDoubles();
  provideRareLanes();
  provideAsync();
  provideCollectives();
  provideEncode();
  provideGuards();
  provideAtomics();
  provideVariables();
  provideWorkarounds();
}
