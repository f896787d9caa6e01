// Finds the functions that a kernel may execute.
import type { Module, Operand, PtxFunction } from '../../ptx/ast.ts';

/** Returns the entry and all functions that it can call. */
export function reachableFrom(module: Module, entry: PtxFunction): PtxFunction[] {
  const found = new Set([entry]);
  // The loop also visits elements that it adds to the set.
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
