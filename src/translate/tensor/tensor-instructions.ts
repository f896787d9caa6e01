// The instructions of a module that use or change tensor maps, and copies to several blocks.
import { isLoweredRow } from '../../isa/row-names.ts';
import type { Instruction, Module, Statement } from '../../ptx/ast.ts';

export const isTensorInstruction = (statement: Statement): statement is Instruction =>
  statement.kind === 'instruction' && isLoweredRow(statement.row.name);

export const hasTensors = ({ functions }: Module): boolean =>
  functions.some(({ body }) => body.some(isTensorInstruction));
