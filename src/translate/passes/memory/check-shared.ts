// Refuses a kernel that needs more shared memory than a block can have.
import { alignUp } from '../../../base/align.ts';
import { maxSharedBytes } from '../../../base/dim3.ts';
import type { PtxFunction, Variable } from '../../../ptx/ast.ts';
import { compileDiagnostics, refuse } from '../../diagnostics.ts';
import { inSpace, isDynamic } from '../../layout.ts';

/**
 * Refuses the kernel if its block needs too much. `dynamic`: the dynamic shared memory in bytes.
 * `stride`: the size of a block's part, if a workgroup runs several blocks.
 */
export function checkShared(
  { name, span }: PtxFunction,
  variables: readonly Variable[],
  dynamic: number,
  stride: number | undefined,
): void {
  const bytes = stride ?? nativeBytes(variables, dynamic);
  if (bytes > maxSharedBytes) refuse(compileDiagnostics.tooMuchShared(name, bytes, dynamic), span);
}

/**
 * Returns the shared memory of a block in native code: dynamic variables follow the static ones, at
 * a multiple of their alignment.
 */
function nativeBytes(variables: readonly Variable[], dynamic: number): number {
  let [end, most] = [0, 1];
  for (const variable of inSpace(variables, 'shared')) {
    const { align, bytes } = variable;
    if (isDynamic(variable)) most = Math.max(most, align);
    else end = alignUp(end, align) + bytes;
  }
  return alignUp(end, most) + dynamic;
}
