// Memory by which the blocks of a grid exchange values at their barrier. WGSL orders the accesses of different words for the lanes of one workgroup only,
// so here an access is over before its lane comes to the barrier: it is an operation that gives a word, and the lane looks at the word. What other blocks
// wait for is counted, since WebGPU does not promise that they ever run.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import { statusCodes, statusStmt } from '../program/status.ts';
import type { Memory } from './memories.ts';

/** The second word of the heap, which is no valid address: nobody reads it. */
const unreadWord = 1;
/** Any word would do that compilers cannot know a loaded one to differ from. */
const rareWord = 0x9e37_79b1;

/** Whether other blocks may change the memory, or look at it, while the kernel runs. */
export const isExchanged = ({ options }: ProgramUses, { atomic, space }: Memory): boolean =>
  options.program.gridBarrier !== undefined && atomic && space === 'storage';

/** What an atomic operation gave, once it has. */
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
      comment: 'Lanes go on when the word is there, as something depends on it.',
    });
    return name;
  });
  return w.call(fn, 'u32', given);
}

/** A word of a memory with atomic elements. */
export function loadAtomic(uses: ProgramUses, memory: Memory, element: Expr): Expr {
  const loaded = w.builtin('atomicLoad', 'u32', w.addressOf(element));
  return isExchanged(uses, memory) ? completed(uses, loaded) : loaded;
}

/** As `loadAtomic`. */
export function storeAtomic(uses: ProgramUses, memory: Memory, element: Expr, value: Expr): Stmt {
  const pointer = w.addressOf(element);
  if (!isExchanged(uses, memory)) return w.perform(w.builtin('atomicStore', 'u32', pointer, value));
  return w.perform(completed(uses, w.builtin('atomicExchange', 'u32', pointer, value)));
}

/** Whether a lane may wait for other blocks by repeating the load. */
export function isPoll({ options: { program } }: ProgramUses, { attrs }: InstNamed<'load'>): boolean {
  const { place, order, scope } = attrs;
  const isOrdered = order === 'volatile' || (order === 'acquire' && scope !== 'cta');
  return (
    program.gridBarrier !== undefined && isOrdered && (place.root.kind === 'heap' || place.root.kind === 'generic')
  );
}

/** Of the polls of a wait for other blocks, the part that a block makes whose threads poll together: each costs some barriers. */
const shiftOfBlock = 5;

/** What a poll of another block's word gave. */
export const polled = (uses: ProgramUses, given: Expr): Expr => pollsOf(uses, given, uses.options.maxPolls);

/** What a poll gave that all threads of a block make together. */
export const polledByBlock = (uses: ProgramUses, given: Expr): Expr =>
  pollsOf(uses, given, Math.ceil(uses.options.maxPolls / 2 ** shiftOfBlock));

/**
 * Where nothing has changed for `maxPolls` polls of an invocation, the program tells that it hangs, and each second poll from there on gives the
 * complement of the word: a wait for any bit of it ends.
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
      comment: 'Ends waits that never end.',
    });
    return name;
  });
  return w.call(fn, 'u32', given);
}
