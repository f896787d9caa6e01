// Reads the control tree that print.ts prints.
import type { Variable } from '../../ptx/ast.ts';
import type { Names } from '../ir/print-insts.ts';
import { body } from './notation.ts';
import { ControlReader } from './reader.ts';
import type { Tree } from './tree.ts';

export interface ParsedControl {
  /** The kernel's name. */
  readonly name: string;
  readonly tree: readonly Tree[];
  /** The names of the values in the text. */
  readonly names: Names;
}

/**
 * Reads a control tree. Throws IrSyntaxError for text that is not a control tree. The verifier
 * checks the meaning of the tree.
 */
export function parseControl(
  text: string,
  file = 'control',
  variables: ReadonlyMap<string, Variable> = new Map(),
): ParsedControl {
  const from = new ControlReader(text, file, variables);
  from.cursor.expect('control');
  const name = from.cursor.peek()?.kind === 'value' ? from.cursor.next('value') : from.cursor.next('name');
  const list = body.parse(from);
  from.end();
  return { name, tree: list(), names: from.names() };
}
