// Polls of words that other blocks store. WebGPU does not guarantee that other blocks ever run, so
// the kernel counts its polls.
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../../wgsl/tree/nodes.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import { statusCodes, statusStmt } from '../program/status.ts';

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

/** Returns the result of a poll for another block's word. */
export const polled = (uses: ProgramUses, given: Expr): Expr => pollsOf(uses, given, uses.options.maxPolls);

/** Returns the result of a poll that all threads of a block make together. */
export const polledByBlock = (uses: ProgramUses, given: Expr): Expr =>
  pollsOf(uses, given, Math.ceil(uses.options.maxPolls / 2 ** shiftOfBlock));

/**
 * Returns a polled word. After `maxPolls` polls without a change in an invocation, reports a
 * deadlock. From then on, every second poll returns the complement of the word, which ends a wait
 * for any of its bits.
 */
function pollsOf(uses: ProgramUses, given: Expr, maxPolls: number): Expr {
  const comment = 'Stops polls of a word that does not change.';
  const head = { params: [['word', 'u32']], result: 'u32', comment } as const;
  const fn = uses.func(`polled ${maxPolls}`, 'polled', head, (word) => {
    const [polls, last] = [new Name('polls'), new Name('last_poll')];
    for (const variable of [polls, last])
      uses.declarations.push({ kind: 'variable', space: 'private', name: variable, type: 'u32' });
    const [count, before, most] = [w.ref(polls, 'u32'), w.ref(last, 'u32'), w.u32(maxPolls)];
    return [
      w.when(w.lt(count, most), [
        w.assign(count, w.select(w.eq(word, before), w.add(count, w.u32(1)), w.u32(0))),
        w.assign(before, word),
        w.when(w.lt(count, most), [w.give(word)]),
        statusStmt(uses, statusCodes.deadlock),
      ]),
      w.assign(count, w.xor(count, w.u32(1))),
      w.give(w.select(w.eq(count, most), w.complement(word), word)),
    ];
  });
  return w.call(fn, 'u32', given);
}
