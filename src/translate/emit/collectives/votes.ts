// Votes: conditions that all lanes of a subgroup or a workgroup decide together.
import { exchangesInWorkgroup, hasWholeWarps } from '../../../base/lane-plan.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name, type Stmt } from '../../../wgsl/tree/nodes.ts';
import { anyInSubgroup as holdsInAny } from '../../../wgsl/warp/index.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';
import { warpWriter } from './warp.ts';

/** Whether the predicate holds in any lane of the subgroup. Subgroup-uniform. */
export function anyInSubgroup(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { options } = emitter.uses;
  if (emitter.slots > 1) return ballotIsNotEmpty(emitter, predicate);
  if (!hasWholeWarps(options.plan)) return predicate(emitter.slot);
  emitter.uses.subgroups = true;
  return holdsInAny(options, predicate(emitter.slot));
}

/** Whether a warp-uniform condition holds in any warp of the subgroup. */
export function inAnyWarp(emitter: Emitter, condition: Expr): Expr {
  if (emitter.uses.options.plan.kind !== 'wide') return condition;
  return anyInSubgroup(emitter, () => condition);
}

/**
 * Whether the predicate holds in any lane of the block. WGSL's own analysis proves the result
 * uniform in the workgroup.
 */
export function anyInBlock(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { uses } = emitter;
  if (exchangesInWorkgroup(uses.options.plan)) return anyByTurns(emitter, predicate(emitter.slot));
  const own = emitter.slots === 1 ? predicate(emitter.slot) : ballotIsNotEmpty(emitter, predicate);
  const fn = uses.once('any_in_block', () =>
    declareAny(uses, 'thread', (condition, thread) => {
      const flag = uses.workgroupVariable('block_flag', 'u32');
      return {
        body: [
          w.when(w.eq(thread, w.u32(0)), [w.assign(flag, w.u32(0))]),
          w.perform(w.builtin('workgroupBarrier', 'u32')),
          w.when(condition, [w.assign(flag, w.u32(1))]),
          w.give(w.ne(w.builtin('workgroupUniformLoad', 'u32', w.addressOf(flag, 'workgroup')), w.u32(0))),
        ],
        comment:
          'Whether the condition holds in any invocation of the workgroup; WGSL takes the result for uniform, as barriers demand.',
      };
    }),
  );
  return w.call(fn, 'bool', own, uses.builtin('thread'));
}

/**
 * The same with one barrier fewer: a different number in each vote makes a reset of the flag
 * unnecessary. All invocations update the number, a variable of the entry point, in uniform control
 * flow, so that WGSL's analysis treats it as uniform.
 */
function anyByTurns(emitter: Emitter, own: Expr): Expr {
  const { uses, writer } = emitter;
  const turn = emitter.once('block turn', () => emitter.declare('block_turn', 'u32', w.u32(0)));
  const fn = uses.once('any_in_block', () =>
    declareAny(uses, 'turn', (condition, number) => {
      const flag = uses.workgroupVariable('exchange_flag', 'u32');
      return {
        body: [
          w.when(condition, [w.assign(flag, number)]),
          w.give(w.eq(w.builtin('workgroupUniformLoad', 'u32', w.addressOf(flag, 'workgroup')), number)),
        ],
        comment:
          'Whether the condition holds in any invocation of the workgroup, which comes by with the next number each time; WGSL takes the result for uniform.',
      };
    }),
  );
  writer.push(w.update(turn, '+', w.u32(1)));
  return w.call(fn, 'bool', own, turn);
}

/** Declares the function, which has a condition and a number as parameters. */
function declareAny(
  uses: ProgramUses,
  hint: string,
  write: (condition: Expr, number: Expr) => { readonly body: readonly Stmt[]; readonly comment: string },
): Name {
  const name = new Name('any_in_block');
  const [condition, number] = [new Name('condition'), new Name(hint)];
  const { body, comment } = write(w.ref(condition, 'bool'), w.ref(number, 'u32'));
  const params = [
    { name: condition, type: 'bool' },
    { name: number, type: 'u32' },
  ] as const;
  uses.declarations.push({ kind: 'function', name, params, result: 'bool', body, comment });
  return name;
}

function ballotIsNotEmpty(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  return w.ne(warpWriter(emitter, undefined).ballot('any', predicate), w.u32(0));
}
