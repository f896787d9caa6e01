// The control of lanes that act together: a part of the compiler that a page loads on use.

import { WaitFinder } from '../analysis/wait-finder.ts';
import { dispatchKernel } from '../control/dispatch.ts';
import { keptValues } from '../control/kept-values.ts';
import { placeMasks } from '../control/place-masks.ts';
import { writeBarrier } from '../emit/collectives/barrier.ts';
import { anyInBlock, anyInSubgroup } from '../emit/collectives/votes.ts';
import { writeWarp } from '../emit/collectives/warp.ts';
import { DispatchWriter } from '../emit/dispatch/dispatch-writer.ts';
import { kernelFacts } from '../emit/kernel-facts.ts';
import { LiveMask } from '../emit/live-mask.ts';
import { collectivePart } from '../parts.ts';
import { joinWaits } from '../passes/join-waits.ts';

export function provideCollectives(): void {
  collectivePart.provide({
    ...{ WaitFinder, joinWaits, kernelFacts, dispatchKernel, keptValues, placeMasks },
    ...{ writeBarrier, writeWarp, anyInBlock, anyInSubgroup, DispatchWriter, LiveMask },
  });
}
