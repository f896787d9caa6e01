// Decides how a workgroup runs a cluster of several blocks.
import { alignUp } from '../../base/align.ts';
import { clusterOf } from '../../base/cluster.ts';
import { countOf } from '../../base/dim3.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { PtxFunction } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { TranslateOptions } from '../options.ts';

/** The maximum number of threads of a workgroup that runs a cluster. */
const maxLanes = 1024;

/** A cluster, with the number of threads of the workgroup that runs it. */
export interface ClusterPlan {
  readonly size: Dim3;
  readonly lanes: number;
}

/**
 * Returns the plan of a kernel's clusters; undefined if they have one block. Refuses a cluster that
 * one workgroup cannot run.
 */
export function planCluster(entry: PtxFunction, options: TranslateOptions): ClusterPlan | undefined {
  const { block, maxInvocations = 1024, plan } = options;
  const size = clusterOf(entry.cluster, options);
  if (countOf(size) === 1) return undefined;
  const lanes = countOf(size) * alignUp(countOf(block), 32);
  const most = Math.min(maxInvocations * plan.slots, maxLanes);
  if (lanes > most) {
    const problem = compileDiagnostics.clusterTooLarge(size.join(' x '), block.join(' x '), lanes, most);
    refuse(problem, entry.clusterSpan ?? entry.span);
  }
  return { size, lanes };
}
