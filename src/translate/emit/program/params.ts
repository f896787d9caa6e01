// Kernel parameters: members of one uniform block, with their names from the PTX.

import { alignUp } from '../../../base/align.ts';
import { InternalError } from '../../../base/invariants.ts';
import type { Variable } from '../../../ptx/ast.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Declaration, Expr, WgslType } from '../../../wgsl/tree/nodes.ts';
import { Name } from '../../../wgsl/tree/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

export interface ParamField {
  readonly param: number;
  readonly offset: number;
  readonly bytes: number;
}

interface Member {
  readonly type: WgslType;
  readonly align: number;
  readonly bytes: number;
}

function memberOf(param: Variable): Member {
  if (param.array || param.bytes > 8) {
    const vectors = Math.ceil(param.bytes / 16);
    return { type: w.array(w.vec4u, vectors), align: 16, bytes: vectors * 16 };
  }
  return param.bytes === 8 ? { type: w.vec2u, align: 8, bytes: 8 } : { type: 'u32', align: 4, bytes: 4 };
}

/** Returns one word of a parameter. */
export function loadParam(uses: ProgramUses, param: number, word: number): Expr {
  const [variable, name] = [uses.options.program.params[param], uses.members[param]];
  if (variable === undefined || name === undefined) throw new InternalError(`no parameter ${param}`);
  const { type, bytes } = memberOf(variable);
  const block = uses.use(uses.params);
  const member = w.member(block, name, type);
  // Words outside of the parameter are undefined, so read the parameter's nearest word.
  const inside = Math.min(Math.max(word, 0), bytes / 4 - 1);
  if (bytes === 4) return member;
  if (typeof type === 'object' && type.kind === 'array') {
    return w.component(w.index(member, w.u32(Math.floor(inside / 4))), inside % 4);
  }
  return w.component(member, inside);
}

/**
 * Returns the struct, the offset of each parameter and the size of the block. The struct has no
 * member for a parameter that has its own buffer.
 */
export function layOutParams(uses: ProgramUses): {
  readonly struct: Extract<Declaration, { readonly kind: 'struct' }>;
  readonly fields: readonly ParamField[];
  readonly bytes: number;
} {
  const fields: ParamField[] = [];
  const members: { readonly name: Name; readonly type: WgslType }[] = [];
  let end = 0;
  uses.options.program.params.forEach((param, index) => {
    const name = uses.members[index];
    if (uses.buffers.has(index) || name === undefined) return;
    const { type, align, bytes } = memberOf(param);
    const offset = alignUp(end, align);
    fields.push({ param: index, offset, bytes: param.bytes });
    members.push({ name, type });
    end = offset + bytes;
  });
  return {
    struct: { kind: 'struct', name: new Name('Params'), members },
    fields,
    bytes: Math.max(16, alignUp(end, 16)),
  };
}
