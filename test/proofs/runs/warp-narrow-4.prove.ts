// Proves the warp instructions: subgroups of 4, eight lanes per invocation.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-narrow-4', planFor(4));
