// Recursion: calls that use a stack in local memory. A function that may call itself has one copy.
// A caller pushes the number of the call site and, if it may be called recursively itself, the
// registers that it needs after the call. When the function returns, it branches on that number.

import { alignUp } from '../../base/align.ts';
import { at, get } from '../../base/invariants.ts';
import type { Variable } from '../../ptx/ast.ts';
import type { Block } from '../ir/nodes.ts';
import { type Type, widthOf } from '../ir/types.ts';
import type { CallGraph } from './call-graph.ts';
import type { Passage } from './frames.ts';
import {
  type BodyBlock,
  type CallEnd,
  type FunctionBody,
  frameRegister,
  stackRegister,
  targetsOf,
} from './function-body.ts';
import { exposedByPassing, writtenByPassing } from './register-use.ts';

/** The size of the stack in bytes: four times CUDA's default per thread. */
export const stackBytes = 4096;
const stackAlign = 16;

export const stackVariable: Variable = {
  name: 'call_stack',
  space: 'local',
  type: 'b32',
  bytes: stackBytes,
  align: stackAlign,
  array: true,
  external: false,
  initializers: [],
  span: { start: 0, end: 0 },
};

/** A register of the caller, and its position in the stack during the call. */
interface Saved {
  readonly register: number;
  readonly type: Type;
  readonly offset: number;
}

/** A call of a function that has one copy. */
export interface StackCall {
  readonly passage: Passage;
  /** The number of the call site among the call sites of the callee. */
  readonly site: number;
  readonly saved: readonly Saved[];
  /**
   * The number of bytes between the end of the caller's stack and the callee's part. The last word
   * is the number of the call site.
   */
  readonly area: number;
  /** The size of the callee's own variables in bytes. */
  readonly locals: number;
}

/** A stack operation of a block. */
export type StackWork =
  /** Tests whether the stack has room for the call. */
  | { readonly kind: 'check'; readonly call: StackCall; readonly then: Block; readonly otherwise: Block }
  | { readonly kind: 'push' | 'pop'; readonly call: StackCall; readonly next: Block }
  /** Returns from the function to the call site whose number is on the stack. */
  | { readonly kind: 'back'; readonly passage: Pick<Passage, 'callee'>; readonly sites: readonly Block[] };

interface Locals {
  readonly offsets: ReadonlyMap<Variable, number>;
  readonly bytes: number;
}

const localsOfBody = new WeakMap<FunctionBody, Locals>();

/** The positions of a function's variables in its own part of the stack. */
export function localsOf(graph: CallGraph, body: FunctionBody): Locals {
  const known = localsOfBody.get(body);
  if (known !== undefined) return known;
  const inMemory = [...get(graph.params, body, 'the parameters of a function').values()].flatMap(({ memory }) =>
    memory === undefined ? [] : [memory],
  );
  const offsets = new Map<Variable, number>();
  let end = 0;
  for (const variable of [...body.fn.variables.filter(({ space }) => space === 'local'), ...inMemory]) {
    const start = alignUp(end, Math.max(variable.align, 4));
    offsets.set(variable, start);
    end = start + variable.bytes;
  }
  const locals = { offsets, bytes: alignUp(end, stackAlign) };
  localsOfBody.set(body, locals);
  return locals;
}

/**
 * Returns the registers that a recursive caller saves: those that are live after the call, except
 * the call's results, and the registers of the stack.
 */
export function savedBy(graph: CallGraph, body: FunctionBody, end: CallEnd): readonly Saved[] {
  if (!graph.recursive.has(body) || end.next === undefined) return [];
  const given = new Set(writtenByPassing(graph, body, end.call.results));
  const live = [...at(liveAtStart(graph, body), end.next, 'the registers that are live in a block')].filter(
    (register) => !given.has(register),
  );
  const registers = [...new Set([...live, stackRegister, frameRegister])];
  const typed = registers.map((register) => ({
    register,
    type: storedType(at(body.types, register, 'the type of a register')),
  }));
  let offset = 0;
  return typed
    .sort((a, b) => widthOf(b.type) - widthOf(a.type))
    .map(({ register, type }) => {
      const saved = { register, type, offset };
      offset += widthOf(type) / 8;
      return saved;
    });
}

export const areaOf = (saved: readonly Saved[]): number =>
  alignUp(saved.reduce((end, { type }) => end + widthOf(type) / 8, 0) + 4, stackAlign);

/**
 * Returns the type of a value in the stack. Values narrower than a word, including i1, are widened
 * to a word.
 */
const storedType = (type: Type): Type => (widthOf(type) < 32 ? 'i32' : type);

const liveSets = new WeakMap<FunctionBody, readonly ReadonlySet<number>[]>();

/** Returns the registers that are live at the start of each block. */
function liveAtStart(graph: CallGraph, body: FunctionBody): readonly ReadonlySet<number>[] {
  const known = liveSets.get(body);
  if (known !== undefined) return known;
  const live = body.blocks.map(() => new Set<number>());
  for (let changed = true; changed; ) {
    changed = false;
    for (let number = body.blocks.length - 1; number >= 0; number--) {
      const [block, own] = [body.blocks[number], live[number]];
      if (block === undefined || own === undefined) continue;
      const before = own.size;
      for (const register of liveInBlock(graph, body, block, live)) own.add(register);
      changed ||= own.size > before;
    }
  }
  liveSets.set(body, live);
  return live;
}

function liveInBlock(
  graph: CallGraph,
  body: FunctionBody,
  { end, exposed, defined }: BodyBlock,
  live: readonly ReadonlySet<number>[],
): readonly number[] {
  const after = new Set(targetsOf(end).flatMap((to) => [...at(live, to, 'the registers that are live in a block')]));
  if (end.kind === 'call') {
    for (const register of writtenByPassing(graph, body, end.call.results)) after.delete(register);
    for (const register of exposedByPassing(graph, body, end.call.args)) after.add(register);
    if (end.call.indirect) after.add(body.numberOf(end.call.indirect.address));
  }
  for (const register of defined) after.delete(register);
  return [...exposed, ...after];
}
