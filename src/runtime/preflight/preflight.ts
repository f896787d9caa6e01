// Measures the properties of an open session that kernels rely on, because some adapters misreport
// them.

import type { JobRunner } from '../device/job.ts';
import type { FloatPreflight } from './floats.ts';
import { floatsShader, probeFloats } from './floats.ts';
import type { SubgroupPreflight } from './subgroups.ts';
import { NO_SUBGROUPS, probeSubgroups } from './subgroups.ts';

export interface Preflight extends SubgroupPreflight {
  readonly float: FloatPreflight;
}

/**
 * Runs a few dispatches, which take about ten milliseconds. Throws `GpuError` if the session fails.
 */
export async function preflight(session: JobRunner): Promise<Preflight> {
  const hasSubgroups = session.adapter.features.includes('subgroups');
  const subgroups = hasSubgroups ? await probeSubgroups(session, floatsShader) : NO_SUBGROUPS;
  return { ...subgroups, float: await probeFloats(session) };
}
