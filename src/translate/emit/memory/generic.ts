// Accesses through generic addresses of an unknown space. The window of the address selects the
// space. Local and shared memory have windows at the top, above global memory.
import { missing } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, Stmt } from '../../../wgsl/tree/nodes.ts';
import { Writer } from '../../../wgsl/tree/writer.ts';
import { localWindow, sharedWindow } from '../../layout.ts';
import type { Emitter } from '../values/emitter.ts';
import { loadElement, storeElement } from './elements.ts';
import { elementOf, type LaneOfProgram, type Memory, memoryOf } from './memories.ts';
import { type UpdateOperands, updateWord, type WordUpdate } from './word-updates.ts';

/** A mask of the index of a word in a window. */
const insideWindow = w.u32(0x1ffffff);
const comment =
  'A word at a generic address: local and shared memory have windows at the top, global memory lies below.';

/** Loads the word at a 32-bit generic address. */
export function genericLoad(emitter: Emitter, address: Expr): Expr {
  const { uses } = emitter;
  const access = { title: 'load_generic', operands: [], result: true, comment };
  return callByWindow(emitter, address, access, (memory, word) => [
    w.give(loadElement(uses, memory, elementOf(memory, word))),
  ]);
}

export function genericStore(emitter: Emitter, address: Expr, value: Expr): void {
  const { uses, writer } = emitter;
  const access = { title: 'store_generic', operands: [['value', value]], result: false } as const;
  const store = callByWindow(emitter, address, access, (memory, word, _, [stored]) =>
    stored === undefined ? [] : [storeElement(uses, memory, elementOf(memory, word), stored)],
  );
  writer.push(w.perform(store));
}

/**
 * Updates the word at a 32-bit generic address. Returns the old value if an instruction reads it.
 */
export function genericUpdate(
  emitter: Emitter,
  address: Expr,
  update: WordUpdate,
  operands: UpdateOperands,
): Expr | undefined {
  const { uses, writer } = emitter;
  const { op, type, signed, result, keepsSubnormals } = update;
  const kind = type === 'i32' ? (signed && (op === 'min' || op === 'max') ? 's32' : 'u32') : type;
  const title = `${op}_${kind}${keepsSubnormals ? '_noftz' : ''}_generic`;
  const given = (['operand', 'replacement', 'shift'] as const).flatMap((hint) => {
    const value = operands[hint];
    return value === undefined ? [] : [[hint, value] as const];
  });
  const call = callByWindow(emitter, address, { title, operands: given, result }, (memory, word, space, params) => {
    const param = (hint: keyof UpdateOperands) => params[given.findIndex(([each]) => each === hint)];
    const steps = new Writer();
    const here = { ...update, keepsSubnormals: keepsSubnormals || space !== 'heap' };
    const old = updateWord(uses, steps, memory, elementOf(memory, word), here, {
      operand: param('operand') ?? operands.operand,
      replacement: param('replacement'),
      shift: param('shift'),
    });
    return [...steps.scope.stmts, ...(result && old ? [w.give(old)] : [])];
  });
  if (result) return call;
  writer.push(w.perform(call));
  return undefined;
}

type GenericSpace = 'heap' | 'shared' | 'local';

interface GenericAccess {
  readonly title: string;
  readonly operands: readonly (readonly [hint: string, value: Expr])[];
  readonly result: boolean;
  readonly comment?: string;
}

/**
 * Calls the function that performs an access in any window. Its parameters are the word's index in
 * the generic address space, the operands and the lane's slot. `at` writes the access to a word of
 * a memory.
 */
function callByWindow(
  { uses, slot }: Emitter,
  address: Expr,
  { title, operands, result, comment }: GenericAccess,
  at: (memory: Memory, word: Expr, space: GenericSpace, operands: readonly Expr[]) => readonly Stmt[],
): Expr {
  const params = ['index', ...operands.map(([hint]) => hint), 's'].map((hint) => [hint, 'u32'] as const);
  const type = result ? ('u32' as const) : undefined;
  const fn = uses.func(`${title} ${result}`, title, { params, result: type, comment }, (...given) => {
    const [word, lane] = [given[0] ?? missing('the word of an access'), given.at(-1) ?? missing('the slot')];
    const here = { uses, slot: lane };
    return byWindow(here, word, result, (memory, index, space) => at(memory, index, space, given.slice(1, -1)));
  });
  const values = operands.map(([, value]) => value);
  return w.call(fn, 'u32', w.shr(address, w.u32(2)), ...values, uses.slots > 1 ? slot : w.u32(0));
}

/** Emits an access for each memory that may contain a word of the generic address space. */
export function byWindow(
  lane: LaneOfProgram,
  word: Expr,
  returns: boolean,
  at: (memory: Memory, word: Expr, space: GenericSpace) => readonly Stmt[],
): readonly Stmt[] {
  const memories = memoriesOf(lane);
  const windows = [
    { space: 'shared', limit: sharedWindow, memory: memories.shared },
    { space: 'local', limit: localWindow, memory: memories.local },
  ] as const;
  let body = at(memories.heap, word, 'heap');
  for (const { space, limit, memory } of windows) {
    if (memory === undefined) continue;
    const condition = w.ge(word, w.u32(limit >>> 2));
    const then = at(memory, w.and(word, insideWindow), space);
    body = returns ? [w.when(condition, then), ...body] : [w.when(condition, then, body)];
  }
  return body;
}

/** Returns the memories that a generic address may select, with one array per space. */
function memoriesOf(lane: LaneOfProgram): {
  readonly heap: Memory;
  readonly shared: Memory | undefined;
  readonly local: Memory | undefined;
} {
  const { arrays } = lane.uses.options.memory;
  const arrayOf = (space: 'shared' | 'local') => {
    const array = arrays.findIndex((candidate) => candidate.space === space);
    return array === -1 ? undefined : memoryOf(lane, { kind: 'array', array });
  };
  return { heap: memoryOf(lane, { kind: 'heap' }), shared: arrayOf('shared'), local: arrayOf('local') };
}
