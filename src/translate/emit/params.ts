// Kernel parameters: members of one uniform block, named as in the PTX.
import type { Variable } from '../../ptx/ast.ts';
import type { Scope } from './scope.ts';

export interface ParamField {
  readonly param: number;
  readonly offset: number;
  readonly bytes: number;
}

/// WGSL of the word at byte `offset` of a parameter.
export function paramMember(scope: Scope, param: Variable, offset: number): string {
  scope.uses.memories.add('params');
  const name = scope.options.names.of(`.${param.name}`);
  if (param.array) {
    const word = Math.floor(offset / 4);
    return `params.${name}[${Math.floor(word / 4)}].${'xyzw'[word % 4]}`;
  }
  return param.bytes === 8 ? `params.${name}.${offset >= 4 ? 'y' : 'x'}` : `params.${name}`;
}

interface Member {
  readonly type: string;
  readonly align: number;
  readonly bytes: number;
}

function memberOf(param: Variable): Member {
  if (param.array) {
    const vectors = Math.ceil(param.bytes / 16);
    return { type: `array<vec4<u32>, ${vectors}>`, align: 16, bytes: vectors * 16 };
  }
  return param.bytes === 8 ? { type: 'vec2<u32>', align: 8, bytes: 8 } : { type: 'u32', align: 4, bytes: 4 };
}

/// The struct's WGSL, each parameter's place, and the block's size. Parameters that are buffers with a binding of their own have no member.
export function layOutParams(
  params: readonly Variable[],
  bound: ReadonlySet<string>,
  nameOf: (param: Variable) => string,
): { code: string; fields: readonly ParamField[]; bytes: number } {
  const fields: ParamField[] = [];
  const members: string[] = [];
  let end = 0;
  params.forEach((param, index) => {
    if (bound.has(param.name)) return;
    const { type, align, bytes } = memberOf(param);
    const offset = Math.ceil(end / align) * align;
    fields.push({ param: index, offset, bytes: param.bytes });
    members.push(`  ${nameOf(param)}: ${type},`);
    end = offset + bytes;
  });
  return { code: `struct Params {\n${members.join('\n')}\n}`, fields, bytes: Math.max(16, Math.ceil(end / 16) * 16) };
}
