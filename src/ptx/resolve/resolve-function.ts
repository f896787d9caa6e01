// Resolves one function: declares its names, then resolves its instructions in order.
import type { PtxFunction, Register, Variable } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { RawFunction } from '../syntax.ts';
import { FunctionResolver, type ModuleContext } from './function-resolver.ts';
import type { Scope } from './scope.ts';

export type { ModuleContext } from './function-resolver.ts';

/** The maximum size of a kernel's parameters in CUDA since sm_70, in bytes. */
const maxParamBytes = 32_764;
const maxStackBytes = 512 * 1024;

function checkTotal(variables: readonly (Variable | Register)[], most: number, report: (over: Variable) => void): void {
  let total = 0;
  for (const variable of variables) {
    if (!('space' in variable)) continue;
    total += variable.bytes;
    if (total > most) return report(variable);
  }
}

/**
 * Resolves a function with a body. Reports errors; the result then contains only the statements
 * that could be resolved. `registers`, the undeclared registers of a fragment, are first added to
 * the scope.
 */
export function resolveFunction(
  raw: RawFunction,
  module: ModuleContext,
  registers: readonly Register[] = [],
): { readonly function: PtxFunction; readonly scope: Scope } {
  const body = raw.body ?? [];
  const resolver = new FunctionResolver(module, raw.kind);
  const { scope, variables } = resolver;
  const results = raw.results.flatMap((result) => resolver.declareParameter(result));
  const params = raw.params.flatMap((param) => resolver.declareParameter(param));
  for (const register of registers) scope.adopt(register);
  resolver.collectLabels(body);
  if (raw.kind === 'entry') {
    checkTotal(params, maxParamBytes, ({ name, span }) => {
      module.reporter.report(diagnostics().tooMuchTogether(span, name, 'the parameters', `${maxParamBytes} bytes`));
    });
  }
  // In PTX, unlike in C, the body is in the same scope as the parameters, so a local name must
  // differ from the parameters' names.
  const statements = resolver.resolveBody(body);
  const onStack = variables.filter(({ space }) => space === 'local' || space === 'param');
  checkTotal(onStack, maxStackBytes, ({ name, span }) => {
    module.reporter.report(diagnostics().tooMuchTogether(span, name, 'the local variables', '512 KiB'));
  });
  return {
    scope,
    function: {
      kind: raw.kind,
      name: raw.name.text,
      params,
      results,
      registers: scope.registers,
      variables,
      body: statements,
      maxThreads: raw.maxThreads,
      requiredThreads: raw.requiredThreads,
      explicitCluster: raw.explicitCluster,
      cluster: raw.cluster,
      clusterSpan: raw.clusterSpan,
      span: raw.span,
    },
  };
}
