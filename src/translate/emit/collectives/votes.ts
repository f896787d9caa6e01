// Votes: conditions that all lanes of a subgroup or a workgroup decide together.
import { hasWholeWarps } from '../../../base/lane-plan.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { anyInSubgroup as holdsInAny } from '../../../wgsl/warp/index.ts';
import type { Emitter } from '../values/emitter.ts';
import { warpWriter } from './warp.ts';

/**
 * Returns whether the predicate holds in any lane of the subgroup. The result is uniform in the
 * subgroup.
 */
export function anyInSubgroup(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { options } = emitter.uses;
  if (emitter.slots > 1) return ballotIsNotEmpty(emitter, predicate);
  if (!hasWholeWarps(options.plan)) return predicate(emitter.slot);
  emitter.uses.subgroups = true;
  return holdsInAny(options, predicate(emitter.slot));
}

/** Returns whether a warp-uniform condition holds in any warp of the subgroup. */
export function inAnyWarp(emitter: Emitter, condition: Expr): Expr {
  if (emitter.uses.options.plan.kind !== 'wide') return condition;
  return anyInSubgroup(emitter, () => condition);
}

/**
 * Returns whether the predicate holds in any lane of the block. WGSL's own analysis proves the
 * result uniform in the workgroup. Each vote writes a different number to a shared flag, so the
 * flag needs no reset. All invocations update the number in uniform control flow, so that the
 * analysis treats it as uniform.
 */
export function anyInBlock(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { uses } = emitter;
  const own = emitter.slots === 1 ? predicate(emitter.slot) : ballotIsNotEmpty(emitter, predicate);
  const vote = emitter.once('block vote', () => emitter.declare('block_vote', 'u32', w.u32(0)));
  const comment =
    'Whether the condition holds in any invocation of the workgroup. Each vote has another number. WGSL proves the result uniform.';
  const head = {
    params: [
      ['condition', 'bool'],
      ['vote', 'u32'],
    ],
    result: 'bool',
    comment,
  } as const;
  const fn = uses.func('any_in_block', 'any_in_block', head, (condition, number) => {
    const flag = uses.workgroupVariable('block_flag', 'u32');
    const loaded = w.builtin('workgroupUniformLoad', 'u32', w.addressOf(flag, 'workgroup'));
    return [w.when(condition, [w.assign(flag, number)]), w.give(w.eq(loaded, number))];
  });
  emitter.writer.push(w.update(vote, '+', w.u32(1)));
  return w.call(fn, 'bool', own, vote);
}

function ballotIsNotEmpty(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  return w.ne(warpWriter(emitter, undefined).ballot('any', predicate), w.u32(0));
}
