// Finds the special registers and variables that the functions of a launch name.
import type { Operand, PtxFunction, Variable } from './ast.ts';

function* operandsOf(functions: readonly PtxFunction[]): Generator<Operand> {
  for (const { body } of functions) {
    for (const statement of body) {
      if (statement.kind !== 'instruction') continue;
      for (const operand of Object.values(statement.operands)) {
        yield operand;
        if (operand.kind === 'vector') yield* operand.elements;
      }
    }
  }
}

/** Whether an instruction names a special register whose name begins with `start`. */
export function namesSpecial(functions: readonly PtxFunction[], start: string): boolean {
  for (const operand of operandsOf(functions)) {
    if (operand.kind === 'special' && operand.name.startsWith(start)) return true;
  }
  return false;
}

/**
 * Returns the variables that instructions name, and those whose addresses initialize module
 * variables.
 */
export function namedVariables(
  functions: readonly PtxFunction[],
  inModule: readonly Variable[],
): ReadonlySet<Variable> {
  const named = new Set<Variable>();
  for (const operand of operandsOf(functions)) {
    if (operand.kind === 'symbol') named.add(operand.variable);
    else if (operand.kind === 'address' && operand.base !== null && 'space' in operand.base) named.add(operand.base);
    else if (operand.kind === 'call') {
      for (const passed of [...operand.args, ...operand.results]) if ('space' in passed) named.add(passed);
    }
  }
  const symbols = new Set(
    inModule.flatMap(({ initializers }) =>
      initializers.flatMap((part) => (part.kind === 'address' ? part.symbol : [])),
    ),
  );
  for (const variable of inModule) if (symbols.has(variable.name)) named.add(variable);
  return named;
}
