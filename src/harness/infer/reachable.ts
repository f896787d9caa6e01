// The functions that a kernel may run.
import type { Module, Operand, PtxFunction } from '../../ptx/ast.ts';

/** The entry, and all functions that it can call. */
export function reachableFrom(module: Module, entry: PtxFunction): PtxFunction[] {
  const found = new Set([entry]);
  // A set grows while it is walked.
  for (const fn of found) {
    for (const statement of fn.body) {
      const call: Operand | undefined = statement.kind === 'instruction' ? statement.operands.callee : undefined;
      if (call?.kind !== 'call') continue;
      const names = call.indirect?.candidates.map(({ name }) => name) ?? [call.callee];
      for (const callee of module.functions) {
        if (callee.kind === 'func' && names.includes(callee.name)) found.add(callee);
      }
    }
  }
  return [...found];
}
