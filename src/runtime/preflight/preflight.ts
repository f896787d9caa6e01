// Measures on an open session what a kernel may rely on there: adapters have been seen to misreport.

import type { JobRunner } from '../device/job.ts';
import type { FloatPreflight } from './floats.ts';
import { floatsShader, probeFloats } from './floats.ts';
import type { SubgroupPreflight } from './subgroups.ts';
import { NO_SUBGROUPS, probeSubgroups } from './subgroups.ts';

export interface Preflight extends SubgroupPreflight {
  readonly float: FloatPreflight;
}

/** Takes some ten milliseconds and a few dispatches. Throws `GpuError` when the session fails. */
export async function preflight(session: JobRunner): Promise<Preflight> {
  const hasSubgroups = session.adapter.features.includes('subgroups');
  const subgroups = hasSubgroups ? await probeSubgroups(session, floatsShader) : NO_SUBGROUPS;
  return { ...subgroups, float: await probeFloats(session) };
}
