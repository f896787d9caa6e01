// Converts an adapter's measurements to a float profile and a lane plan for the translator.

import type { FloatProfile } from '../../base/float-profile.ts';
import { choosePlan, type LanePlan, type PlanKind, planOfKind } from '../../base/lane-plan.ts';
import { GpuError } from '../device/gpu-error.ts';
import type { Preflight } from './preflight.ts';

/**
 * Returns the measured f32 profile. The translator uses integer arithmetic for operations that are
 * not exact.
 */
export function floatProfile(
  { float }: Preflight,
  mode: FloatProfile['mode'] = 'exact',
  matrix?: FloatProfile['matrix'],
): FloatProfile {
  return {
    mode,
    matrix,
    denormals: float.denormals,
    fma: float.fma === 'fused' ? 'fused' : 'unfused',
    contracts: float.contracts,
    div: float.div,
    sqrt: float.sqrt,
    extremes: float.extremes,
    exp2: float.exp2,
    nans: float.nans,
    packHalf: float.packHalf,
  };
}

/**
 * Returns the lane plan: the requested kind, or by default the best kind for the adapter. Throws
 * `GpuError` 'unavailable' if the adapter cannot run the requested plan.
 */
export function planOn(measured: Preflight, kind: PlanKind | undefined): LanePlan {
  if (kind === undefined) return choosePlan(measured);
  const plan = planOfKind(kind, measured);
  if (plan) return plan;
  const sizes = [...new Set([measured.subgroupSize, ...measured.explicitSizes])].filter((size) => size > 0);
  const has = sizes.length > 0 ? `subgroups of ${sizes.join(', ')}` : 'no usable subgroups';
  throw new GpuError('unavailable', `the adapter cannot run the ${kind} lane plan: it has ${has}`);
}
