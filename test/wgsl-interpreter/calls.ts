// Calls: the module's functions, type constructors, and builtins by name.

import { constructAs } from './constructors.ts';
import { raise } from './error.ts';
import { callFunction } from './functions.ts';
import { constructMatrix, matrixBuiltin } from './matrix-builtins.ts';
import { memoryBuiltins } from './memory-builtins.ts';
import { callElementwise, elementwiseBuiltins } from './numeric-builtins.ts';
import type { Builtin, CallNode, Env, Expr } from './program.ts';
import { subgroupBuiltins } from './subgroup-builtins.ts';
import type { ScalarName } from './types.ts';
import { valueBuiltins } from './value-builtins.ts';

const builtins: ReadonlyMap<string, Builtin> = new Map([...memoryBuiltins, ...subgroupBuiltins, ...valueBuiltins]);

export function call(env: Env, node: CallNode, hint?: ScalarName): Expr {
  const { args } = node;
  const own = env.program.functions.get(node.name);
  if (own !== undefined) return callFunction(env, own, args, node);
  const type = env.program.typeNamed(node.name);
  if (type?.kind === 'matrix') return constructMatrix(env, type, args, node);
  if (type !== undefined) return constructAs(env, type, args, node);
  const builtin = builtins.get(node.name) ?? matrixBuiltin(node.name);
  if (builtin !== undefined) return builtin(env, args, node, hint);
  const scalarBuiltin = elementwiseBuiltins.get(node.name);
  if (scalarBuiltin !== undefined) return callElementwise(env, scalarBuiltin, args, node, hint);
  return raise(node, `function ${node.name} is not supported`);
}
