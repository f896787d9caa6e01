// The buffers of a shader, and its variables in shared and local memory.
import * as w from '../../../wgsl/tree/build.ts';
import type { Declaration, Expr, Name } from '../../../wgsl/tree/nodes.ts';
import type { ParamPlace, WgslProgram } from '../../program.ts';
import { layOutParams } from './params.ts';
import type { ModuleVariable, ProgramUses } from './program-uses.ts';

export interface Bindings {
  readonly declarations: readonly Declaration[];
  readonly places: readonly ParamPlace[];
  readonly params: WgslProgram['paramsBinding'];
  readonly instructions: number | undefined;
  readonly heap: number | undefined;
  readonly status: number | undefined;
  readonly locks: number | undefined;
  readonly blockMemory: number | undefined;
}

/** Assigns bindings, in order, to the buffers that a program uses. */
export function bind(uses: ProgramUses): Bindings {
  const { memory, program } = uses.options;
  const declarations: Declaration[] = [];
  let next = 0;
  const add = (name: Name, space: 'uniform' | 'storage, read' | 'storage, read_write', type: Expr['type']) => {
    declarations.push({ kind: 'binding', group: 0, binding: next, name, space, type });
    next += 1;
    return next - 1;
  };
  const layout = layOutParams(uses);
  let params: WgslProgram['paramsBinding'];
  if (uses.params.used) {
    declarations.push(layout.struct);
    params = { binding: add(uses.params.name, 'uniform', w.struct(layout.struct.name)), bytes: layout.bytes };
  }
  const places = program.params.map((_, index): ParamPlace => {
    const [variable, plan] = [uses.buffers.get(index), memory.buffers.get(index)];
    if (variable && plan) {
      if (!variable.used) return { kind: 'unused' };
      const access = plan.written || plan.atomic ? 'read_write' : 'read';
      const binding = add(variable.name, `storage, ${access}`, variable.type);
      return { kind: 'binding', binding, access, moved: plan.moved };
    }
    const field = layout.fields.find(({ param }) => param === index);
    return field && params ? { kind: 'value', offset: field.offset, bytes: field.bytes } : { kind: 'unused' };
  });
  const { instructions } = uses;
  const addUsed = ({ name, type, used }: ModuleVariable) => (used ? add(name, 'storage, read_write', type) : undefined);
  const { blockMemory } = uses;
  if (blockMemory?.variable.used) declarations.push(...blockMemory.structs);
  return {
    declarations,
    places,
    params,
    instructions: instructions.used ? add(instructions.name, 'storage, read', instructions.type) : undefined,
    heap: addUsed(uses.heap),
    locks: addUsed(uses.locks),
    blockMemory: blockMemory && addUsed(blockMemory.variable),
    status: addUsed(uses.status),
  };
}

/** Declares the arrays of shared and local memory that the program uses. */
export function memoryVariables({ arrays: variables, options: { memory } }: ProgramUses): Declaration[] {
  return variables.flatMap((variable, index): Declaration[] => {
    const plan = memory.arrays[index];
    if (!variable.used || plan === undefined) return [];
    const space = plan.space === 'shared' ? 'workgroup' : 'private';
    return [{ kind: 'variable', space, name: variable.name, type: variable.type }];
  });
}
