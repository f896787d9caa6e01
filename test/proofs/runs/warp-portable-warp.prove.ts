// Proves the warp instructions: no subgroups, one warp per invocation.
import { portablePlan } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-portable-warp', portablePlan('warp'));
