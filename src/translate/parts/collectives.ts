// The control of lanes that act together: a part of the compiler that a page loads on use.

import { WaitFinder } from '../analysis/wait-finder.ts';
import { waitPart } from '../analysis/wait-part.ts';
import { dispatchKernel } from '../control/dispatch.ts';
import { keptValues } from '../control/kept-values.ts';
import { controlPart } from '../control/part.ts';
import { placeMasks } from '../control/place-masks.ts';
import { writeBarrier } from '../emit/collectives/barrier.ts';
import { anyInBlock, anyInSubgroup } from '../emit/collectives/votes.ts';
import { writeWarp } from '../emit/collectives/warp.ts';
import { DispatchWriter } from '../emit/dispatch/dispatch-writer.ts';
import { kernelFacts } from '../emit/kernel-facts.ts';
import { LiveMask } from '../emit/live-mask.ts';
import { collectivePart } from '../emit/parts.ts';
import { factsPart } from '../facts-part.ts';
import { waitPassPart } from '../pass-parts.ts';
import { joinWaits } from '../passes/join-waits.ts';

export function provideCollectives(): void {
  waitPart.provide({ WaitFinder });
  waitPassPart.provide({ joinWaits });
  factsPart.provide({ kernelFacts });
  controlPart.provide({ dispatchKernel, keptValues, placeMasks });
  collectivePart.provide({ writeBarrier, writeWarp, anyInBlock, anyInSubgroup, DispatchWriter, LiveMask });
}
