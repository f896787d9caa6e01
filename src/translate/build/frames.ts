// Frames: copies of functions, and the calls between them.
import type { CallOperand, Span } from '../../ptx/ast.ts';
import type { Block } from '../ir/nodes.ts';
import type { FunctionBody } from './function-body.ts';

/** A copy of a function's registers. They have the numbers of the body's registers, plus `base`. */
export interface Frame {
  readonly body: FunctionBody;
  readonly base: number;
  /** The target of the copy's `ret`; undefined in the function that is being built. */
  readonly returnTo: Block | undefined;
}

/** A call from one frame to another. */
export interface Passage {
  readonly call: CallOperand;
  readonly span: Span;
  readonly caller: Frame;
  readonly callee: Frame;
}
