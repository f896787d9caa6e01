// Copies of functions, and calls between them.
import type { CallOperand, Span } from '../../ptx/ast.ts';
import type { Block } from '../ir/nodes.ts';
import type { FunctionBody } from './function-body.ts';

/** One copy of a function: its registers are those of the body from `base` on. */
export interface Frame {
  readonly body: FunctionBody;
  readonly base: number;
  /** Where its `ret` goes; undefined in the function that is built. */
  readonly returnTo: Block | undefined;
}

/** A call as one of its blocks does it. */
export interface Passage {
  readonly call: CallOperand;
  readonly span: Span;
  readonly caller: Frame;
  readonly callee: Frame;
}
