// Proves the warp instructions for adapters without subgroups.
import { portablePlan } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-portable', [portablePlan('lane'), portablePlan('warp')]);
