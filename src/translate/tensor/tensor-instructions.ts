// The instructions of a module that use or change tensor maps.
import { isTensorRow } from '../../isa/row-names.ts';
import type { Instruction, Module, Statement } from '../../ptx/ast.ts';

export const isTensorInstruction = (statement: Statement): statement is Instruction =>
  statement.kind === 'instruction' && isTensorRow(statement.row.name);

export const hasTensors = ({ functions }: Module): boolean =>
  functions.some(({ body }) => body.some(isTensorInstruction));
