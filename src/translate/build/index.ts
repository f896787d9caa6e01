// Translates PTX to IR: blocks, calls, registers as values, and each instruction as operations.
import { get } from '../../base/invariants.ts';
import type { Module, PtxFunction, Variable } from '../../ptx/ast.ts';
import { Builder, Ids } from '../ir/builder.ts';
import type { Program } from '../ir/nodes.ts';
import { buildFunction } from './build-function.ts';
import { findCalls } from './call-graph.ts';
import type { LaunchShape } from './launch-shape.ts';
import { findRegisterSets } from './register-use.ts';
import { reportTraps } from './report-traps.ts';

export type { LaunchShape } from './launch-shape.ts';

/**
 * Builds the program of one kernel. Throws `CompileError` for unsupported features. `b` creates the
 * IR, with the span of the current instruction. `inlined` contains the names of functions that must
 * be inlined.
 */
export function buildProgram(
  module: Module,
  entry: PtxFunction,
  launch: LaunchShape,
  b = new Builder(new Ids()),
  inlined: ReadonlySet<string> = new Set(),
): { readonly program: Program; readonly ids: Ids } {
  const { pointerParams = [] } = launch;
  const { ids } = b;
  const graph = findCalls(module, entry, inlined);
  if (launch.cluster) graph.found.variables.add(launch.cluster.memory);
  for (const body of graph.bodies) findRegisterSets(graph, body);
  const functions = graph.kept.map((body) => buildFunction(b, graph, body, launch));
  const kernel = buildFunction(b, graph, graph.kernel, launch);
  if (launch.reportTraps) for (const func of [kernel, ...functions]) reportTraps(b, func, launch);
  const variables: Variable[] = module.variables.filter(({ space }) => space !== 'param');
  for (const body of graph.bodies) {
    for (const variable of body.fn.variables) if (variable.space !== 'param') variables.push(variable);
    for (const { memory } of get(graph.params, body, 'the parameters of a function').values())
      if (memory !== undefined) variables.push(memory);
  }
  variables.push(...graph.found.variables);
  const paramCopies = [...graph.copies.values()];
  variables.push(...paramCopies);
  const params = entry.params.filter((param): param is Variable => 'space' in param);
  const declared = params.flatMap(({ pointer }, param) => (pointer ? [param] : []));
  const program: Program = {
    source: module.source,
    kernel,
    functions,
    params,
    pointerParams: new Set([...declared, ...pointerParams]),
    variables,
    paramCopies,
    moduleLocals: module.variables.filter(({ space }) => space === 'local'),
    // The shared memory of a cluster's blocks is one variable, with their dynamic memory.
    dynamicShared: launch.cluster ? 0 : launch.dynamicShared,
    gridBarrier: graph.found.gridBarrier,
  };
  return { program, ids };
}
