// The status buffer, through which a shader reports to the host. A shader cannot stop a dispatch,
// so a word records that a lane trapped or that lanes wait for each other forever. If the kernel
// prints or asserts, messages follow the word.

import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import type { ProgramUses } from './program-uses.ts';

export const statusCodes = { trap: 1, deadlock: 2 } as const;

/**
 * Words of the buffer: the status code; the words used by all messages so far; the number of
 * dropped messages; then the messages, each with the number of its site and its arguments.
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
  return uses.once(`message ${count}`, () => {
    const name = new Name(`report_${count}`);
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
        // Check first: in a kernel that prints forever, the counter must not wrap around to 0.
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
