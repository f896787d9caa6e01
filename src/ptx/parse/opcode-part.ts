// The rows that few kernels use, and the manual's list of instructions: a part of the compiler that
// a page loads when a text has an opcode that no common row matches.

import { Part } from '../../base/part.ts';
import type { rejectOpcode } from './reject-opcode.ts';

/** Loading it adds the rows to those that opcodes are matched against. */
export const opcodePart = new Part<{ readonly rejectOpcode: typeof rejectOpcode }>('opcodes');
