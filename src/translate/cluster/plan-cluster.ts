// Decides how a workgroup runs a cluster of several blocks.
import { alignUp } from '../../base/align.ts';
import { clusterOf, clusterProblem } from '../../base/cluster.ts';
import { countOf } from '../../base/dim3.ts';
import type { Dim3 } from '../../base/launch.ts';
import type { PtxFunction } from '../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../diagnostics.ts';
import type { TranslateOptions } from '../options.ts';

/** A cluster, with the number of threads of the workgroup that runs it. */
export interface ClusterPlan {
  readonly size: Dim3;
  readonly lanes: number;
}

/** The maximum number of invocations of a workgroup, if the options do not set it. */
const usualInvocations = 1024;
const warpLanes = 32;

function clusterIn(entry: PtxFunction, options: TranslateOptions): ClusterPlan | undefined {
  const size = clusterOf(entry.cluster, options);
  if (countOf(size) === 1) return undefined;
  return { size, lanes: countOf(size) * alignUp(countOf(options.block), warpLanes) };
}

/**
 * Returns the reason why each invocation must run a whole warp of a kernel's clusters; undefined if
 * the plan has enough lanes.
 */
export function clusterObstacle(entry: PtxFunction, options: TranslateOptions): string | undefined {
  const { plan, maxInvocations = usualInvocations } = options;
  const cluster = clusterIn(entry, options);
  // A portable plan without a shape has the shape with one lane per invocation, if that is possible.
  const slots = plan.kind === 'portable' && plan.shape === undefined ? 1 : plan.slots;
  if (cluster === undefined || cluster.lanes <= maxInvocations * slots) return undefined;
  return `a cluster has ${cluster.lanes} threads, where a workgroup of the adapter has ${maxInvocations} invocations`;
}

/** Refuses clusters that the kernel does not declare, or of which the grid is not a multiple. */
function checkCluster(entry: PtxFunction, { grid, cluster }: TranslateOptions): void {
  const size = clusterOf(entry.cluster, { cluster });
  const problem = clusterProblem(entry.cluster, { grid: typeof grid === 'object' ? grid : size, cluster });
  if (problem !== undefined) refuse(compileDiagnostics.invalidCluster(problem), entry.clusterSpan ?? entry.span);
}

/**
 * Returns the plan of a kernel's clusters; undefined if they have one block. Refuses clusters that
 * the kernel does not declare or that the grid does not have, and a cluster that one workgroup cannot
 * run.
 */
export function planCluster(entry: PtxFunction, options: TranslateOptions): ClusterPlan | undefined {
  checkCluster(entry, options);
  const { block, maxInvocations = usualInvocations, plan } = options;
  const cluster = clusterIn(entry, options);
  const most = maxInvocations * plan.slots;
  if (cluster !== undefined && cluster.lanes > most) {
    const { size, lanes } = cluster;
    const problem = compileDiagnostics.clusterTooLarge(size.join(' x '), block.join(' x '), lanes, most);
    refuse(problem, entry.clusterSpan ?? entry.span);
  }
  return cluster;
}
