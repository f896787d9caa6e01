// Loads and stores of words of a memory.
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, Stmt } from '../../../wgsl/tree/nodes.ts';
import { observed } from '../program/ordered-accesses.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Memory } from './memories.ts';

/** Loads a word of a memory. */
export function loadElement(uses: ProgramUses, memory: Memory, element: Expr): Expr {
  if (!memory.atomic) return element;
  const loaded = w.builtin('atomicLoad', 'u32', w.addressOf(element));
  return memory.zero !== undefined ? observed(uses, loaded) : loaded;
}

/** Stores a word of a memory. */
export function storeElement(uses: ProgramUses, memory: Memory, element: Expr, value: Expr): Stmt {
  if (!memory.atomic) return w.assign(element, value);
  const pointer = w.addressOf(element);
  if (memory.zero === undefined) return w.perform(w.builtin('atomicStore', 'u32', pointer, value));
  return w.perform(observed(uses, w.builtin('atomicExchange', 'u32', pointer, value)));
}
