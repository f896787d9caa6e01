// Proves the warp instructions: subgroups of 8, four lanes per invocation.
import { planFor } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-narrow-8', planFor(8));
