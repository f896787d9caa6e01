// Generic addresses whose memory is not known: their window says. Local and shared memory have windows at the top, global memory lies below.
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../wgsl/tree/nodes.ts';
import { localWindow, sharedWindow } from '../layout.ts';
import type { Emitter } from './emitter.ts';
import { type Memory, memoryOf } from './memories.ts';

interface GenericFunctions {
  readonly load: Name;
  readonly store: Name;
}

/// Words of a window.
const insideWindow = w.u32(0x1ffffff);

/// The word at a 32-bit generic address.
export function genericLoad(emitter: Emitter, address: Expr): Expr {
  const { load } = functionsOf(emitter);
  return w.call(load, 'u32', w.shr(address, w.u32(2)), slotOf(emitter));
}

/// Puts the bits of `mask` of the word at a generic address.
export function genericStore(emitter: Emitter, address: Expr, mask: Expr, value: Expr): void {
  const { store } = functionsOf(emitter);
  const call = w.call(store, 'u32', w.shr(address, w.u32(2)), mask, value, slotOf(emitter));
  emitter.writer.push({ kind: 'do', call });
}

const slotOf = (emitter: Emitter): Expr => (emitter.slots > 1 ? emitter.slot : w.u32(0));

function functionsOf(emitter: Emitter): GenericFunctions {
  return emitter.uses.once('generic', () => declare(emitter));
}

function declare(emitter: Emitter): GenericFunctions {
  const { uses } = emitter;
  const [load, store] = [new Name('load_generic'), new Name('store_generic')];
  const [index, mask, value, slot] = [new Name('index'), new Name('mask'), new Name('value'), new Name('s')];
  const at = w.ref(index, 'u32');
  // The functions have a parameter for the lane.
  const lane = { uses, slots: emitter.slots, slot: w.ref(slot, 'u32') } as Emitter;
  const memories = memoriesOf(lane);
  const windows = [
    { limit: w.u32(localWindow >>> 2), memory: memories.local },
    { limit: w.u32(sharedWindow >>> 2), memory: memories.shared },
  ];
  const loads: Stmt[] = windows.flatMap(({ limit, memory }) =>
    memory === undefined ? [] : [w.when(w.ge(at, limit), [w.give(loadWord(memory, w.and(at, insideWindow)))])],
  );
  uses.declarations.push({
    kind: 'function',
    name: load,
    params: [param(index), param(slot)],
    result: 'u32',
    body: [...loads, w.give(loadWord(memories.heap, at))],
    comment: 'A word at a generic address: local and shared memory have windows at the top, global memory lies below.',
  });
  const stored = windows.reduceRight<readonly Stmt[]>(
    (otherwise, { limit, memory }) =>
      memory === undefined
        ? otherwise
        : [
            w.when(
              w.ge(at, limit),
              storeWord(memory, w.and(at, insideWindow), w.ref(mask, 'u32'), w.ref(value, 'u32')),
              otherwise,
            ),
          ],
    storeWord(memories.heap, at, w.ref(mask, 'u32'), w.ref(value, 'u32')),
  );
  uses.declarations.push({
    kind: 'function',
    name: store,
    params: [param(index), param(mask), param(value), param(slot)],
    result: undefined,
    body: stored,
  });
  return { load, store };
}

const param = (name: Name) => ({ name, type: 'u32' as const });

/// A space whose variables generic accesses may reach is one array.
function memoriesOf(emitter: Emitter): {
  readonly heap: Memory;
  readonly shared: Memory | undefined;
  readonly local: Memory | undefined;
} {
  const { arrays } = emitter.uses.options.memory;
  const arrayOf = (space: 'shared' | 'local') => {
    const array = arrays.findIndex((candidate) => candidate.space === space);
    return array === -1 ? undefined : memoryOf(emitter, { kind: 'array', array });
  };
  return { heap: memoryOf(emitter, { kind: 'heap' }), shared: arrayOf('shared'), local: arrayOf('local') };
}

function element({ array, granule }: Memory, word: Expr): Expr {
  if (granule === 1) return w.index(array, word);
  const shift = w.u32(granule === 4 ? 2 : 1);
  return w.index(w.index(array, w.shr(word, shift)), w.and(word, w.u32(granule - 1)));
}

const loadWord = (memory: Memory, word: Expr): Expr =>
  memory.atomic ? w.builtin('atomicLoad', 'u32', w.addressOf(element(memory, word))) : element(memory, word);

function storeWord(memory: Memory, word: Expr, mask: Expr, value: Expr): readonly Stmt[] {
  const target = element(memory, word);
  const others = w.complement(mask);
  if (!memory.atomic) return [w.assign(target, w.or(w.and(target, others), value))];
  const call = (fn: string, operand: Expr) => w.perform(w.builtin(fn, 'u32', w.addressOf(target), operand));
  return [
    w.when(
      w.eq(mask, w.u32(0xffffffff)),
      [call('atomicStore', value)],
      [call('atomicAnd', others), call('atomicOr', value)],
    ),
  ];
}
