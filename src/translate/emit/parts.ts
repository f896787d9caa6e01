// The parts of the emitter that a page loads on use.

import { Part } from '../../base/part.ts';
import type { writeBarrier } from './collectives/barrier.ts';
import type { anyInBlock, anyInSubgroup } from './collectives/votes.ts';
import type { writeWarp } from './collectives/warp.ts';
import type { DispatchWriter } from './dispatch/dispatch-writer.ts';
import type { LiveMask } from './live-mask.ts';
import type { writeMatrix } from './matrices/matrices.ts';

/** Warp instructions, barriers, active masks and the dispatcher. */
export const collectivePart = new Part<{
  readonly writeBarrier: typeof writeBarrier;
  readonly writeWarp: typeof writeWarp;
  readonly anyInBlock: typeof anyInBlock;
  readonly anyInSubgroup: typeof anyInSubgroup;
  readonly DispatchWriter: typeof DispatchWriter;
  readonly LiveMask: typeof LiveMask;
}>('collectives');

/** Subgroup matrices. */
export const matrixWriterPart = new Part<{ readonly writeMatrix: typeof writeMatrix }>('matrices');
