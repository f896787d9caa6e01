// Proves the warp instructions on subgroups that are smaller than a warp.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-narrow', [planFor(16), planFor(8), planFor(4)]);
