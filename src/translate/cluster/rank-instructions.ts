// The instructions of a module that name blocks of a cluster by their ranks.
import { isRankRow } from '../../isa/row-names.ts';
import type { Instruction, Module, Statement } from '../../ptx/ast.ts';

export const isRankInstruction = (statement: Statement): statement is Instruction =>
  statement.kind === 'instruction' && isRankRow(statement.row.name);

export const namesRanks = ({ functions }: Module): boolean =>
  functions.some(({ body }) => body.some(isRankInstruction));
