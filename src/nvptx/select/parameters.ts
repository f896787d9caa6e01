// Finds the structs of a kernel's parameters that need a copy in local memory.
import type { Instruction, LlvmFunction, Value } from '../ir/module.ts';
import { forEachOperand } from './fusion.ts';

/**
 * Returns the names of the `byval` parameters that are written, or whose address is used by
 * instructions other than loads. The space of parameters only supports loads, and only a grid
 * constant has a generic address.
 */
export function copiedParams({ params, blocks, isKernel }: LlvmFunction): ReadonlySet<string> {
  const rootOf = new Map<string, string>();
  for (const { name, attributes } of params)
    if (attributes.byval !== undefined && !attributes.isGridConstant) rootOf.set(name, name);
  const copied = new Set<string>(isKernel ? [] : rootOf.keys());
  if (rootOf.size === 0) return copied;
  const instructions = (blocks ?? []).flatMap((block) => block.instructions);
  for (let grown = true; grown; ) {
    grown = false;
    for (const instruction of instructions) {
      const root = derivedRoot(instruction, rootOf);
      if (root === undefined || instruction.result === undefined || rootOf.has(instruction.result)) continue;
      rootOf.set(instruction.result, root);
      grown = true;
    }
  }
  for (const instruction of instructions) {
    if (instruction.op === 'load' || derivedRoot(instruction, rootOf) !== undefined) continue;
    forEachOperand(instruction, (value) => {
      const root = value.kind === 'local' ? rootOf.get(value.name) : undefined;
      if (root !== undefined) copied.add(root);
    });
  }
  return copied;
}

/**
 * Returns the parameter from which a `getelementptr` with constant offsets, or a cast, derives its
 * address.
 */
function derivedRoot(instruction: Instruction, rootOf: ReadonlyMap<string, string>): string | undefined {
  const of = (value: Value): string | undefined => (value.kind === 'local' ? rootOf.get(value.name) : undefined);
  if (instruction.op === 'getelementptr') {
    const isConstant = instruction.indices.every(({ kind }) => kind === 'int' || kind === 'zero');
    return isConstant ? of(instruction.pointer) : undefined;
  }
  return instruction.op === 'cast' && instruction.code === 'addrspacecast' ? of(instruction.value) : undefined;
}
