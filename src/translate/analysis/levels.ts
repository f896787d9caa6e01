// How much lanes have in common.
import { at } from '../../base/invariants.ts';

/**
 * - `divergent`: may differ between lanes
 * - `warp`: the same in a warp
 * - `block`: the same in a block
 * - `provable`: so plainly that WGSL's own analysis sees it
 */
const levels = ['divergent', 'warp', 'block', 'provable'] as const;
export type Level = (typeof levels)[number];

/** Levels as numbers that grow with what is in common: what two have in common is the smaller. */
export const rank: Readonly<Record<Level, number>> = { divergent: 0, warp: 1, block: 2, provable: 3 };

export const levelOf = (number: number): Level => at(levels, number, 'a level');

/** Whether a mask names a lane. */
export const isIn = (mask: number, lane: number): boolean => ((mask >>> lane) & 1) !== 0;

/** The mask of all lanes. */
export const everyLane = 0xffffffff;
