// The facts that the translations of a module depend on, besides the shape of a launch.

import { buildStamp } from '../../base/build-stamp.ts';
import type { FloatProfile } from '../../base/float-profile.ts';
import type { LanePlan } from '../../base/lane-plan.ts';
import type { MatrixConfig } from '../../base/matrix-config.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import type { Engine } from '../device/engine.ts';

interface Host {
  readonly engine: Pick<Engine, 'device'>;
  readonly plan: LanePlan;
  readonly workarounds: Workarounds;
  readonly float: FloatProfile;
  readonly matrices: readonly MatrixConfig[];
}

/** The limits of the device that the translator uses. */
export function translationLimits({ limits }: GPUDevice) {
  return {
    maxWorkgroups: limits.maxComputeWorkgroupsPerDimension,
    maxInvocations: limits.maxComputeInvocationsPerWorkgroup,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage,
  };
}

/** Returns the facts as JSON values: equal facts mean equal translations. */
export const moduleFacts = ({ engine, plan, workarounds, float, matrices }: Host, ptx: string): readonly unknown[] => [
  buildStamp ?? 'sources',
  ptx,
  plan,
  [...workarounds].sort(),
  float,
  matrices,
  translationLimits(engine.device),
];
