// The levels of uniformity, and their order.
import { at } from '../../base/invariants.ts';

/**
 * - `divergent`: may differ between lanes.
 * - `warp`: the same in a warp.
 * - `block`: the same in a block.
 * - `provable`: the same in a block, and WGSL's own uniformity analysis can prove it.
 */
const levels = ['divergent', 'warp', 'block', 'provable'] as const;
export type Level = (typeof levels)[number];

/**
 * Levels as numbers that increase with uniformity. The combination of two levels is the minimum.
 */
export const rank: Readonly<Record<Level, number>> = { divergent: 0, warp: 1, block: 2, provable: 3 };

export const levelOf = (number: number): Level => at(levels, number, 'a level');

/** Whether a mask names a lane. */
export const isIn = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) !== 0;

export const everyLane = 0xffffffff;
