// The words of a value of several words.
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { elementOf, type Memory } from './memories.ts';

/** Returns consecutive words of a memory. */
export const wordsFrom = (memory: Memory, first: Expr, count: number): readonly Expr[] =>
  Array.from({ length: count }, (_, index) => elementOf(memory, index === 0 ? first : w.add(first, w.u32(index))));
