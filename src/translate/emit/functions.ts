// Device functions that remain functions in WGSL.

import { at, get } from '../../base/invariants.ts';
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name, type WgslType } from '../../wgsl/tree/nodes.ts';
import type { Tree } from '../control/tree.ts';
import type { FlowGraph } from '../graph/index.ts';
import type { Func } from '../ir/nodes.ts';
import { ControlWriter } from './control-writer.ts';
import { instWriter } from './lane/insts.ts';
import { type Builtin, isVector3, type ProgramUses } from './program/program-uses.ts';
import { Emitter } from './values/emitter.ts';
import { wgslTypeOf } from './values/held-values.ts';

const slotName = new Name('s');

/** A device function with its graph and its control tree. */
export interface StructuredFunction {
  readonly func: Func;
  readonly graph: FlowGraph;
  readonly tree: readonly Tree[];
}

/** Declares a device function. The caller has already declared its callees. */
export function writeFunction(uses: ProgramUses, { func, graph, tree }: StructuredFunction): void {
  const entry = at(func.blocks, 0, 'the first block of a function');
  const builtins = new Set<Builtin>();
  uses.inFunction = builtins;
  const emitter = new Emitter(func, uses, instWriter, {
    slots: 1,
    dispatched: false,
    sharing: graph,
    repeatsConditions: false,
  });
  if (uses.slots > 1) emitter.slot = w.ref(slotName, 'u32');
  const members = func.results.length > 1 ? func.results.map((_, index) => new Name(`value${index}`)) : [];
  const result = resultType(uses, func, members);
  const params = entry.params.map((param) => {
    // Absent: the parameter has no name in PTX.
    const name = new Name(param.hint ?? 'a');
    emitter.values.alias(param, () => w.ref(name, wgslTypeOf(param.type)));
    return { name, type: wgslTypeOf(param.type) };
  });
  const returnValues = (values: readonly Expr[]) => {
    const [first] = values;
    const value = result !== undefined && members.length > 0 ? w.construct(result, ...values) : first;
    emitter.writer.push({ kind: 'return', value });
  };
  new ControlWriter(emitter, {
    returnValues: (values) => returnValues(values.map((value) => emitter.read(value))),
  }).write(tree);
  emitter.settle();
  uses.inFunction = undefined;
  const name = new Name(func.name);
  uses.functions.set(func.name, { name, builtins: [...builtins], result, members });
  uses.declarations.push({
    kind: 'function',
    name,
    params: [
      ...params,
      ...[...builtins].map((builtin) => ({
        name: get(uses.builtins, builtin, 'a builtin'),
        type: typeOfBuiltin(builtin),
      })),
      ...(uses.slots > 1 ? [{ name: slotName, type: 'u32' as const }] : []),
    ],
    result,
    body: emitter.writer.scope.stmts,
  });
}

const typeOfBuiltin = (builtin: Builtin): WgslType => (isVector3.has(builtin) ? w.vec3u : 'u32');

function resultType(uses: ProgramUses, { name, results }: Func, members: readonly Name[]): WgslType | undefined {
  const [first] = results;
  if (first === undefined) return undefined;
  if (members.length === 0) return wgslTypeOf(first);
  const struct = new Name(`${name}_result`);
  uses.declarations.push({
    kind: 'struct',
    name: struct,
    members: results.map((type, index) => ({ name: members[index] ?? struct, type: wgslTypeOf(type) })),
  });
  return w.struct(struct);
}
