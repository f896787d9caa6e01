// Proves the warp instructions on subgroups that contain whole warps.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-native', [planFor(32), planFor(64)]);
