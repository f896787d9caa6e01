// Proves the warp instructions: subgroups of two warps.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-wide', planFor(64));
