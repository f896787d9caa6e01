// Proves the warp instructions: subgroups that are the warp.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-native', planFor(32));
