// Allocations on a function's stack. A page loads them with their instructions.

import { Part } from '../../base/part.ts';
import type { expandStack } from './stack.ts';

/** Changes only modules with these instructions. */
export const stackPart = new Part<{ readonly expandStack: typeof expandStack }>('opcodes');
