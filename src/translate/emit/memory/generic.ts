// Accesses through generic addresses of an unknown space. The window of the address selects the
// space. Local and shared memory have windows at the top, above global memory.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import { localWindow, sharedWindow } from '../../layout.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { Writer } from '../values/scope.ts';
import { completed, isExchanged, loadAtomic, storeAtomic } from './block-exchange.ts';
import { elementOf, type LaneOfProgram, type Memory, memoryOf } from './memories.ts';
import { type UpdateOperands, updateWord, type WordUpdate } from './word-updates.ts';

/** The words of a window, as a mask. */
const insideWindow = w.u32(0x1ffffff);
const comment =
  'A word at a generic address: local and shared memory have windows at the top, global memory lies below.';

/** The word at a 32-bit generic address. */
export function genericLoad(emitter: Emitter, address: Expr): Expr {
  const { uses } = emitter;
  const load = uses.once('generic load', () =>
    declareByWindow(uses, {
      name: new Name('load_generic'),
      operands: [],
      result: true,
      comment,
      at: (memory, word) => [w.give(loadWord(uses, memory, word))],
    }),
  );
  return w.call(load, 'u32', w.shr(address, w.u32(2)), ...slotOf(emitter));
}

export function genericStore(emitter: Emitter, address: Expr, value: Expr): void {
  const { uses, writer } = emitter;
  const store = uses.once('generic store', () => {
    const name = new Name('value');
    return declareByWindow(uses, {
      name: new Name('store_generic'),
      operands: [name],
      result: false,
      at: (memory, word) => [storeWord(uses, memory, word, w.ref(name, 'u32'))],
    });
  });
  const call = w.call(store, 'u32', w.shr(address, w.u32(2)), value, ...slotOf(emitter));
  writer.push({ kind: 'do', call });
}

/** Returns the old value if it is wanted. */
export function genericUpdate(
  emitter: Emitter,
  address: Expr,
  update: WordUpdate,
  { operand, replacement, shift }: UpdateOperands,
): Expr | undefined {
  const { uses, writer } = emitter;
  const { op, type, signed, result, keepsSubnormals } = update;
  const kind = type === 'i32' ? (signed && (op === 'min' || op === 'max') ? 's32' : 'u32') : type;
  const title = `${op}_${kind}${keepsSubnormals ? '_noftz' : ''}_generic`;
  const given = Object.entries({ operand, replacement, shift }).flatMap(([hint, value]) =>
    value === undefined ? [] : [{ hint, value }],
  );
  const fn = uses.once(`${title} ${result}`, () => {
    const params = new Map(given.map(({ hint }) => [hint, new Name(hint)]));
    const param = (hint: string) => {
      const name = params.get(hint);
      return name && w.ref(name, 'u32');
    };
    return declareByWindow(uses, {
      name: new Name(title),
      operands: [...params.values()],
      result,
      at: (memory, word, space) => {
        const steps = new Writer();
        const exchanged = isExchanged(uses, memory);
        const here = {
          ...update,
          keepsSubnormals: keepsSubnormals || space !== 'heap',
          result: result || exchanged,
        };
        const old = updateWord(steps, elementOf(memory, word), memory.atomic, here, {
          operand: param('operand') ?? operand,
          replacement: param('replacement'),
          shift: param('shift'),
        });
        const given = exchanged && old ? completed(uses, old) : old;
        if (result) return [...steps.scope.stmts, ...(given ? [w.give(given)] : [])];
        return [...steps.scope.stmts, ...(exchanged && given ? [w.perform(given)] : [])];
      },
    });
  });
  const operands = given.map(({ value }) => value);
  const call = w.call(fn, 'u32', w.shr(address, w.u32(2)), ...operands, ...slotOf(emitter));
  if (result) return call;
  writer.push({ kind: 'do', call });
  return undefined;
}

const slotOf = (emitter: Emitter): readonly Expr[] => [emitter.slots > 1 ? emitter.slot : w.u32(0)];

type GenericSpace = 'heap' | 'shared' | 'local';

interface ByWindow {
  readonly name: Name;
  readonly operands: readonly Name[];
  readonly result: boolean;
  readonly comment?: string;
  /** Writes the access to a word of a memory. */
  readonly at: (memory: Memory, word: Expr, space: GenericSpace) => readonly Stmt[];
}

/**
 * Declares a function that performs an access in any window. Its parameters are the word's index in
 * the generic address space, the operands and the lane's slot.
 */
function declareByWindow(uses: ProgramUses, { name, operands, result, comment: text, at }: ByWindow): Name {
  const [index, slot] = [new Name('index'), new Name('s')];
  const word = w.ref(index, 'u32');
  // The function has a parameter for the slot.
  const body = byWindow({ uses, slots: uses.slots, slot: w.ref(slot, 'u32') }, word, result, at);
  uses.declarations.push({
    kind: 'function',
    name,
    params: [index, ...operands, slot].map((param) => ({ name: param, type: 'u32' as const })),
    result: result ? 'u32' : undefined,
    body,
    ...(text === undefined ? {} : { comment: text }),
  });
  return name;
}

/** Writes an access for each memory that may contain a word of the generic address space. */
export function byWindow(lane: LaneOfProgram, word: Expr, returns: boolean, at: ByWindow['at']): readonly Stmt[] {
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

/** Generic accesses see one array per space. */
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

const loadWord = (uses: ProgramUses, memory: Memory, word: Expr): Expr => {
  const element = elementOf(memory, word);
  return memory.atomic ? loadAtomic(uses, memory, element) : element;
};

function storeWord(uses: ProgramUses, memory: Memory, word: Expr, value: Expr): Stmt {
  const element = elementOf(memory, word);
  return memory.atomic ? storeAtomic(uses, memory, element, value) : w.assign(element, value);
}
