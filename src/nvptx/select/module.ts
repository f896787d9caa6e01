// Selects the PTX of a module.
import type { GlobalVariable, LlvmModule, Value } from '../ir/module.ts';
import { selectFunction, signatureOf } from './function.ts';
import { forEachOperand } from './fusion.ts';
import { declareVariable } from './globals.ts';
import type { LineTable } from './lines.ts';
import { ModuleNames } from './names.ts';
import { withSizedFormats } from './print-formats.ts';

/** The version of PTX in the output. */
const ptxVersion = '8.8';

/** Returns the PTX of a module. Throws `SyntaxFailure` for unsupported constructs. */
export function selectModule(given: LlvmModule, lines: LineTable): string {
  const module = given.pointerBytes === 8 ? given : withSizedFormats(given);
  const names = new ModuleNames(module);
  const used = usedNames(module);
  const functions = module.functions.filter(
    ({ name, blocks }) => blocks !== undefined || (used.has(name) && !name.startsWith('llvm.')),
  );
  const bodies = functions.flatMap((item) =>
    item.blocks === undefined ? [] : [selectFunction(item, module, names, lines)],
  );
  const declarations = functions.filter(({ isKernel }) => !isKernel).map((item) => `${signatureOf(names, item)};`);
  const variables = orderVariables(module)
    .filter(({ name }) => used.has(name) || !name.startsWith('llvm.'))
    .map((variable) => declareVariable(variable, names));
  const head = [`.version ${ptxVersion}`, `.target ${targetOf(module)}`, '.address_size 64'];
  const parts = [head.join('\n'), declarations.join('\n'), variables.join('\n'), ...bodies, ...lines.sections()];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function targetOf({ functions }: LlvmModule): string {
  for (const { attributes } of functions) {
    const target = attributes.get('target-cpu');
    if (target !== undefined) return target;
  }
  return 'sm_80';
}

/** Calls `visit` with the name of each variable and function in a value, also within constants. */
function forEachGlobal(value: Value, visit: (name: string) => void): void {
  if (value.kind === 'global') visit(value.name);
  else if (value.kind === 'aggregate') for (const element of value.elements) forEachGlobal(element, visit);
  else if (value.kind === 'expression') for (const operand of value.operands) forEachGlobal(operand, visit);
}

/** Returns the names of variables and functions that code or initializers use. */
function usedNames(module: LlvmModule): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (value: Value): void => forEachGlobal(value, (name) => used.add(name));
  for (const { blocks } of module.functions)
    for (const { instructions } of blocks ?? [])
      for (const instruction of instructions) {
        forEachOperand(instruction, visit);
        if (instruction.op === 'call') visit(instruction.callee);
      }
  for (const { name, init } of module.variables) if (init !== undefined && !name.startsWith('llvm.')) visit(init);
  return used;
}

/** Sorts the variables so that each variable follows those whose addresses it contains. */
function orderVariables({ variables }: LlvmModule): LlvmModule['variables'] {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  // Variables may contain each other's addresses. `begun` ends such cycles.
  const order: GlobalVariable[] = [];
  const begun = new Set<GlobalVariable>();
  const place = (variable: GlobalVariable | undefined): void => {
    if (variable === undefined || begun.has(variable)) return;
    begun.add(variable);
    if (variable.init !== undefined) forEachGlobal(variable.init, (name) => place(byName.get(name)));
    order.push(variable);
  };
  for (const variable of variables) place(variable);
  return order;
}
