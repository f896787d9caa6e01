// Measures the properties of an open session that kernels rely on, because some adapters misreport
// them.

import type { MatrixConfig } from '../../base/matrix-config.ts';
import type { JobRunner } from '../device/job.ts';
import type { FloatPreflight } from './floats.ts';
import { floatsShader, probeFloats } from './floats.ts';
import type { MatrixPreflight } from './matrices.ts';
import { faultText } from './subgroup-faults.ts';
import type { SubgroupPreflight } from './subgroups.ts';
import { NO_SUBGROUPS, probeSubgroups } from './subgroups.ts';

export interface Preflight extends SubgroupPreflight {
  readonly float: FloatPreflight;
  /** The products of subgroup matrices that are correct, if any. */
  readonly matrices?: readonly MatrixConfig[];
}

/**
 * Measures subgroup matrices. The probe and the model of sm_90 are only loaded for an adapter that
 * has subgroup matrices.
 */
async function matricesOf(session: JobRunner, subgroupSize: number): Promise<MatrixPreflight> {
  if (session.adapter.matrices === undefined) return { matrices: [], problems: [] };
  const { probeMatrices } = await import('./matrices.ts');
  return await probeMatrices(session, subgroupSize);
}

/**
 * Measures a session with a few dispatches, in about ten milliseconds. Throws `GpuError` if the
 * session fails.
 */
export async function preflight(session: JobRunner): Promise<Preflight> {
  const hasSubgroups = session.adapter.features.includes('subgroups');
  const { faults, ...subgroups } = hasSubgroups ? await probeSubgroups(session, floatsShader) : NO_SUBGROUPS;
  const float = await probeFloats(session);
  const { matrices, problems } = await matricesOf(session, subgroups.subgroupSize);
  return {
    ...subgroups,
    problems: [...faults.map(faultText), ...problems],
    float,
    ...(matrices.length === 0 ? {} : { matrices }),
  };
}
