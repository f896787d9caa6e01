// Proves the warp instructions: no subgroups, one lane per invocation.
import { portablePlan } from '../../../src/base/lane-plan.ts';
import { proveWarpInstructions } from './warp.ts';

proveWarpInstructions('warp-portable-lane', portablePlan('lane'));
