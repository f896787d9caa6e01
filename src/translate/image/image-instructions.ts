// The texture and surface instructions of a function.

import type { Instruction, PtxFunction, Statement } from '../../ptx/ast.ts';
import { isImageSlot } from '../../ptx/types.ts';

export const isImageInstruction = (statement: Statement): statement is Instruction =>
  statement.kind === 'instruction' && isImageSlot(statement.row.types.a);

/** Returns the first texture or surface instruction of a function. */
export const imageIn = ({ body }: PtxFunction): Instruction | undefined => body.find(isImageInstruction);

/** Returns the texture and surface variables that a function's instructions name, in order. */
export function referencesIn({ body }: PtxFunction): readonly string[] {
  const names = new Set<string>();
  for (const statement of body) {
    const a = isImageInstruction(statement) ? statement.operands.a : undefined;
    if (a?.kind === 'image' && 'reference' in a.object) names.add(a.object.reference);
  }
  return [...names];
}
