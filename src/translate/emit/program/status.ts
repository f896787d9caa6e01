// The status buffer, through which a shader reports to the host. A shader cannot stop a dispatch,
// so a word records that a lane trapped or that lanes wait for each other forever. If the kernel
// prints or asserts, messages follow the word.

import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, Name, Stmt } from '../../../wgsl/tree/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

export const statusCodes = { trap: 1, deadlock: 2 } as const;

/**
 * The words of the buffer: the status code; the number of words that all messages use so far; the
 * number of dropped messages; then the messages. Each message is the number of its site, and its
 * arguments.
 */
export const statusPlaces = { code: 0, used: 1, dropped: 2, messages: 3 } as const;

function statusWord(uses: ProgramUses, place: number): Expr {
  const status = uses.use(uses.status);
  return w.addressOf(uses.hasMessages ? w.index(status, w.u32(place)) : status);
}

export const statusStmt = (uses: ProgramUses, code: number): Stmt =>
  w.perform(w.builtin('atomicMax', 'u32', statusWord(uses, statusPlaces.code), w.u32(code)));

/** Declares the function that writes a message with `count` arguments. */
export function messageFunction(uses: ProgramUses, count: number): Name {
  const hints = ['site', ...Array.from({ length: count }, (_, index) => `word_${index}`)];
  const params = hints.map((hint) => [hint, 'u32'] as const);
  return uses.func(`message ${count}`, `report_${count}`, { params }, (...words) => {
    const status = uses.use(uses.status);
    const size = w.u32(words.length);
    const room = w.builtin('arrayLength', 'u32', w.addressOf(status));
    const fits = (end: Expr) => w.le(w.add(end, size), w.sub(room, w.u32(statusPlaces.messages)));
    const drop = [w.perform(w.builtin('atomicAdd', 'u32', statusWord(uses, statusPlaces.dropped), w.u32(1))), w.give()];
    const [used, load] = w.local('used', w.builtin('atomicLoad', 'u32', statusWord(uses, statusPlaces.used)));
    const [place, reserve] = w.local('at', w.builtin('atomicAdd', 'u32', statusWord(uses, statusPlaces.used), size));
    return [
      // Check the space first: in a kernel that prints forever, the counter must not wrap around to
      // 0.
      load,
      w.when(w.not(fits(used)), drop),
      reserve,
      w.when(w.not(fits(place)), drop),
      ...words.map((word, index) => {
        const at = w.addressOf(w.index(status, w.add(place, w.u32(statusPlaces.messages + index))));
        return w.perform(w.builtin('atomicStore', 'u32', at, word));
      }),
    ];
  });
}
