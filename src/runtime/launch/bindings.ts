// The bindings of a program: the buffer at each binding number.

import type { WgslProgram } from '../../translate/index.ts';

interface Binding {
  readonly binding: number;
  readonly kind: 'storage' | 'read-only-storage' | 'uniform';
}

/**
 * - `param`: the buffer of a pointer parameter
 * - `params`: the values of parameters
 * - `instructions`, `locks`, `blockMemory`, `status`: buffers of the shader itself, apart from the
 *   kernel's memory
 */
export type ProgramBinding =
  | (Binding & { readonly of: 'param'; readonly param: number })
  | (Binding & { readonly of: 'params' | 'instructions' | 'heap' | 'locks' | 'blockMemory' | 'status' });

type Bound = Pick<
  WgslProgram,
  'params' | 'paramsBinding' | 'instructions' | 'heap' | 'locks' | 'blockMemory' | 'status'
>;

export function bindingsOf(program: Bound): readonly ProgramBinding[] {
  const { params, paramsBinding, instructions, heap, locks, blockMemory, status } = program;
  const bindings: ProgramBinding[] = params.flatMap((place, param) => {
    if (place.kind !== 'binding') return [];
    const kind = place.access === 'read' ? ('read-only-storage' as const) : ('storage' as const);
    return [{ binding: place.binding, kind, of: 'param' as const, param }];
  });
  if (paramsBinding) bindings.push({ binding: paramsBinding.binding, kind: 'uniform', of: 'params' });
  if (instructions) bindings.push({ binding: instructions.binding, kind: 'read-only-storage', of: 'instructions' });
  const others = { heap, locks, blockMemory, status };
  for (const of of ['heap', 'locks', 'blockMemory', 'status'] as const) {
    const place = others[of];
    if (place) bindings.push({ binding: place.binding, kind: 'storage', of });
  }
  return bindings;
}
