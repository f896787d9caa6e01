// Memory through which the blocks of a grid exchange values at their barrier. WGSL orders accesses
// to different words only within a workgroup. So each access must complete before its lane reaches
// the barrier: it is an atomic operation with a result, and the lane uses the result. WebGPU does
// not guarantee that other blocks ever run, so the kernel counts its polls for their words.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import { statusCodes, statusStmt } from '../program/status.ts';
import type { Memory } from './memories.ts';

/** The second word of the heap. It has no valid address, so no code reads it. */
const unreadWord = 1;
/** Any word that a compiler cannot prove different from a loaded one. */
const rareWord = 0x9e37_79b1;

/** Whether other blocks may access the memory while the kernel runs. */
export const isExchanged = ({ options }: ProgramUses, { atomic, space }: Memory): boolean =>
  options.program.gridBarrier !== undefined && atomic && space === 'storage';

/** Returns the result of an atomic operation after the operation has completed. */
export function completed(uses: ProgramUses, given: Expr): Expr {
  const fn = uses.once('completed', () => {
    const [name, param] = [new Name('completed'), new Name('word')];
    const word = w.ref(param, 'u32');
    const unread = w.addressOf(w.index(uses.use(uses.heap), w.u32(unreadWord)));
    uses.declarations.push({
      kind: 'function',
      name,
      params: [{ name: param, type: 'u32' }],
      result: 'u32',
      body: [
        w.when(w.eq(word, w.u32(rareWord)), [w.perform(w.builtin('atomicStore', 'u32', unread, word))]),
        w.give(word),
      ],
      comment: 'The lane continues after the operation has completed: it reads the result.',
    });
    return name;
  });
  return w.call(fn, 'u32', given);
}

/** Loads a word of a memory with atomic elements. */
export function loadAtomic(uses: ProgramUses, memory: Memory, element: Expr): Expr {
  const loaded = w.builtin('atomicLoad', 'u32', w.addressOf(element));
  return isExchanged(uses, memory) ? completed(uses, loaded) : loaded;
}

/** Stores a word of a memory with atomic elements. */
export function storeAtomic(uses: ProgramUses, memory: Memory, element: Expr, value: Expr): Stmt {
  const pointer = w.addressOf(element);
  if (!isExchanged(uses, memory)) return w.perform(w.builtin('atomicStore', 'u32', pointer, value));
  return w.perform(completed(uses, w.builtin('atomicExchange', 'u32', pointer, value)));
}

/** Whether a lane may poll other blocks with this load. */
export function isPoll({ options: { program } }: ProgramUses, { attrs }: InstNamed<'load'>): boolean {
  const { place, order, scope } = attrs;
  const isOrdered = order === 'volatile' || (order === 'acquire' && scope !== 'cta');
  return (
    program.gridBarrier !== undefined && isOrdered && (place.root.kind === 'heap' || place.root.kind === 'generic')
  );
}

/**
 * The limit on polls is lower by this shift if the threads of a block poll together, because each
 * such poll requires several barriers.
 */
const shiftOfBlock = 5;

/** The result of a poll for another block's word. */
export const polled = (uses: ProgramUses, given: Expr): Expr => pollsOf(uses, given, uses.options.maxPolls);

/** The result of a poll that all threads of a block make together. */
export const polledByBlock = (uses: ProgramUses, given: Expr): Expr =>
  pollsOf(uses, given, Math.ceil(uses.options.maxPolls / 2 ** shiftOfBlock));

/**
 * Returns a polled word. After `maxPolls` polls without a change in an invocation, reports a
 * deadlock. From then on, every second poll returns the complement of the word, which ends a wait
 * for any of its bits.
 */
function pollsOf(uses: ProgramUses, given: Expr, maxPolls: number): Expr {
  const fn = uses.once(`polled ${maxPolls}`, () => {
    const [name, param, polls, last] = [new Name('polled'), new Name('word'), new Name('polls'), new Name('last_poll')];
    for (const variable of [polls, last])
      uses.declarations.push({ kind: 'variable', space: 'private', name: variable, type: 'u32' });
    const [word, count, before] = [w.ref(param, 'u32'), w.ref(polls, 'u32'), w.ref(last, 'u32')];
    const most = w.u32(maxPolls);
    uses.declarations.push({
      kind: 'function',
      name,
      params: [{ name: param, type: 'u32' }],
      result: 'u32',
      body: [
        w.when(w.lt(count, most), [
          w.assign(count, w.select(w.eq(word, before), w.add(count, w.u32(1)), w.u32(0))),
          w.assign(before, word),
          w.when(w.lt(count, most), [w.give(word)]),
          statusStmt(uses, statusCodes.deadlock),
        ]),
        w.assign(count, w.xor(count, w.u32(1))),
        w.give(w.select(w.eq(count, most), w.complement(word), word)),
      ],
      comment: 'Stops polls of a word that does not change.',
    });
    return name;
  });
  return w.call(fn, 'u32', given);
}
