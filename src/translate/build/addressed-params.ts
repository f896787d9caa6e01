// Kernel parameters whose address the kernel uses as a value. WGSL has no addresses of uniforms, so
// each thread copies such a parameter to local memory, and the address refers to the copy. This is
// valid because PTX does not permit writes to kernel parameters.
import type { PtxFunction, Variable } from '../../ptx/ast.ts';
import type { Builder } from '../ir/builder.ts';
import type { Place } from '../ir/memory.ts';
import type { Type } from '../ir/types.ts';
import type { FunctionBody } from './function-body.ts';
import { forEachSymbol } from './param-cells.ts';

/** The local copy of each parameter. */
export type ParamCopies = ReadonlyMap<Variable, Variable>;

export function findParamCopies({ fn, blocks }: FunctionBody): ParamCopies {
  const params = new Set(fn.params);
  const copies = new Map<Variable, Variable>();
  const visit = (variable: Variable) => {
    if (!params.has(variable) || copies.has(variable)) return;
    copies.set(variable, { ...variable, space: 'local', align: Math.max(variable.align, 4) });
  };
  for (const { code } of blocks) {
    for (const { operands } of code) {
      for (const name in operands) {
        const operand = operands[name];
        if (operand !== undefined) forEachSymbol(operand, visit);
      }
    }
  }
  return copies;
}

/** Copies the parameters to local memory at the start of the kernel. */
export function copyParams(b: Builder, copies: ParamCopies, kernel: PtxFunction): void {
  const params = kernel.params.filter((param): param is Variable => 'space' in param);
  for (const [variable, copy] of copies) {
    const param = params.indexOf(variable);
    const address = b.value('symbol', { variable: copy, offset: 0 }, [], { hint: copy.name });
    for (let offset = 0; offset < variable.bytes; ) {
      const whole = variable.bytes - offset >= 4;
      const type: Type = whole ? 'i32' : 'i8';
      const access = { type, order: 'weak', scope: undefined, count: 1 } as const;
      const from: Place = { root: { kind: 'param', param }, unit: 1, offset, indexed: false };
      const to: Place = { root: { kind: 'address', space: 'local' }, unit: 1, offset, indexed: true };
      b.emit('store', { ...access, place: to }, [address, b.value('load', { ...access, place: from }, [])]);
      offset += whole ? 4 : 1;
    }
  }
}
