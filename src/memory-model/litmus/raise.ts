// Errors in litmus tests.
import type { Diagnostic, Source } from '../../ptx/ast.ts';
import { PtxError } from '../../ptx/index.ts';

/** Throws a `PtxError` with one diagnostic. */
export type Raise = (diagnostic: Diagnostic) => never;

export const raiseIn =
  (source: Source): Raise =>
  (diagnostic) => {
    throw new PtxError(source, [diagnostic]);
  };
