// Infers the state space of pointers whose type does not determine it.
import type { Block, Instruction, LlvmFunction, LlvmModule, Value } from '../ir/module.ts';
import { spaces, type Type } from '../ir/types.ts';
import { variableSpace } from './names.ts';

/**
 * The address space of each pointer in a function, by name. Kernel parameters point to global
 * memory, as in LLVM's NVPTX back end. If a pointer is derived from pointers of one space, it is in
 * that space. All other pointers are generic.
 */
export class AddressSpaces {
  private readonly known = new Map<string, number>();
  private readonly variables: ReadonlyMap<string, number>;

  constructor(fn: LlvmFunction, module: LlvmModule) {
    this.variables = new Map(module.variables.map((variable) => [variable.name, variableSpace(variable)]));
    const blocks = fn.blocks ?? [];
    for (const { name, type, attributes } of fn.params)
      if (type.kind === 'ptr') this.known.set(name, parameterSpace(fn, type, attributes.byval));
    this.solve(blocks);
  }

  spaceOf(name: string): number {
    return this.known.get(name) ?? spaces.generic;
  }

  /**
   * Finds the space of each pointer. A pointer is unknown until the space of one of its sources is
   * known. Repeats until no space changes.
   */
  private solve(blocks: readonly Block[]): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const { instructions } of blocks)
        for (const instruction of instructions) {
          const { result, type } = instruction;
          if (result === undefined || type.kind !== 'ptr') continue;
          const space = type.space === spaces.generic ? this.infer(instruction) : type.space;
          if (space === undefined || this.known.get(result) === space) continue;
          this.known.set(result, space);
          changed = true;
        }
    }
  }

  private infer(instruction: Instruction): number | undefined {
    switch (instruction.op) {
      case 'alloca':
        return spaces.local;
      case 'getelementptr':
        return this.ofValue(instruction.pointer);
      case 'freeze':
        return this.ofValue(instruction.value);
      case 'cast':
        return instruction.code === 'addrspacecast' ? this.ofValue(instruction.value) : spaces.generic;
      case 'phi':
        return this.meet(instruction.incoming.map(({ value }) => value));
      case 'select':
        return this.meet([instruction.left, instruction.right]);
      case 'load':
        // The pointers in a struct that the host passes to a kernel are addresses of global memory.
        return this.ofValue(instruction.pointer) === spaces.param ? spaces.global : spaces.generic;
      default:
        return spaces.generic;
    }
  }

  /**
   * Returns the space of all values: generic if the spaces differ, and undefined if none is known
   * yet.
   */
  private meet(values: readonly Value[]): number | undefined {
    const found = new Set(values.filter(({ kind }) => kind !== 'undefined').map((value) => this.ofValue(value)));
    found.delete(undefined);
    // The null pointer is 0 in the generic space and in global memory, but not in the other spaces.
    if (values.some(({ kind }) => kind === 'null') && !(found.size === 1 && found.has(spaces.global)))
      found.add(spaces.generic);
    const [only] = found;
    return found.size > 1 ? spaces.generic : only;
  }

  private ofValue(value: Value): number | undefined {
    switch (value.kind) {
      case 'local':
        return this.known.get(value.name);
      case 'global':
        return this.variables.get(value.name) ?? spaces.generic;
      case 'expression': {
        const [operand] = value.operands;
        if (operand === undefined || (value.op !== 'getelementptr' && value.op !== 'addrspacecast'))
          return spaces.generic;
        return value.type.kind === 'ptr' && value.type.space !== spaces.generic
          ? value.type.space
          : this.ofValue(operand);
      }
      case 'null':
        return undefined;
      default:
        return value.type.kind === 'ptr' ? value.type.space : undefined;
    }
  }
}

function parameterSpace(fn: LlvmFunction, type: Type, byval: Type | undefined): number {
  if (type.kind === 'ptr' && type.space !== spaces.generic) return type.space;
  if (byval !== undefined) return fn.isKernel ? spaces.param : spaces.local;
  return fn.isKernel ? spaces.global : spaces.generic;
}
