// Proves the warp instructions: subgroups of 16, two lanes per invocation.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-narrow-16', planFor(16));
