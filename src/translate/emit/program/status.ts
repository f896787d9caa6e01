// What a shader tells the host, in one buffer. A word says that a lane trapped or that lanes wait for each other for ever, since a shader cannot stop a
// dispatch. Where the kernel prints or asserts, messages follow.

import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

export const statusCodes = { trap: 1, deadlock: 2 } as const;

/**
 * Words of the buffer: the code; the words of all messages so far; how many messages did not fit; then messages: the number of
 * the site, and the words that it tells.
 */
export const statusPlaces = { code: 0, used: 1, dropped: 2, messages: 3 } as const;

function statusWord(uses: ProgramUses, place: number): Expr {
  const status = uses.use(uses.status);
  return w.addressOf(uses.tells ? w.index(status, w.u32(place)) : status);
}

export const statusStmt = (uses: ProgramUses, code: number): Stmt =>
  w.perform(w.builtin('atomicMax', 'u32', statusWord(uses, statusPlaces.code), w.u32(code)));

/** The function that leaves a message of so many words. */
export function messageFunction(uses: ProgramUses, count: number): Name {
  return uses.once(`tell ${count}`, () => {
    const name = new Name(`tell_${count}`);
    const params = ['site', ...Array.from({ length: count }, (_, index) => `word_${index}`)].map((hint) => ({
      name: new Name(hint),
      type: 'u32' as const,
    }));
    const status = uses.use(uses.status);
    const [used, at, size] = [new Name('used'), new Name('at'), w.u32(params.length)];
    const room = w.builtin('arrayLength', 'u32', w.addressOf(status));
    const [usedWords, place] = [w.ref(used, 'u32'), w.ref(at, 'u32')];
    const fits = (end: Expr) => w.le(w.add(end, size), w.sub(room, w.u32(statusPlaces.messages)));
    const drop = [w.perform(w.builtin('atomicAdd', 'u32', statusWord(uses, statusPlaces.dropped), w.u32(1))), w.give()];
    uses.declarations.push({
      kind: 'function',
      name,
      params,
      result: undefined,
      body: [
        // Looked at first: a kernel that prints for ever must not count round to 0.
        w.define(used, w.builtin('atomicLoad', 'u32', statusWord(uses, statusPlaces.used))),
        w.when(w.not(fits(usedWords)), drop),
        w.define(at, w.builtin('atomicAdd', 'u32', statusWord(uses, statusPlaces.used), size)),
        w.when(w.not(fits(place)), drop),
        ...params.map((param, index) => {
          const word = w.addressOf(w.index(status, w.add(place, w.u32(statusPlaces.messages + index))));
          return w.perform(w.builtin('atomicStore', 'u32', word, w.ref(param.name, 'u32')));
        }),
      ],
    });
    return name;
  });
}
