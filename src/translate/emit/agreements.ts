// Conditions that lanes decide together: over a subgroup, and over the workgroup.
import { exchangesInWorkgroup } from '../../base/lane-plan.ts';
import * as w from '../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../wgsl/tree/nodes.ts';
import type { Emitter } from './emitter.ts';
import { warpWriter } from './warp.ts';

/// Whether the predicate holds in any lane of the subgroup; the same in all of it.
export function anyInSubgroup(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { plan } = emitter.uses.options;
  if (emitter.slots > 1) return ballotIsNotEmpty(emitter, predicate);
  if (plan.kind !== 'native' && plan.kind !== 'wide') return predicate(emitter.slot);
  emitter.uses.subgroups = true;
  return w.builtin('subgroupAny', 'bool', predicate(emitter.slot));
}

/// Whether the predicate holds in any lane of the block; uniform in the workgroup by WGSL's own analysis.
export function anyInBlock(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  const { uses } = emitter;
  if (exchangesInWorkgroup(uses.options.plan)) return anyByTurns(emitter, predicate(emitter.slot));
  const own = emitter.slots === 1 ? predicate(emitter.slot) : ballotIsNotEmpty(emitter, predicate);
  const fn = uses.once('any_in_block', () => {
    const name = new Name('any_in_block');
    const flag = uses.workgroupVariable('block_flag', 'u32');
    const [condition, thread] = [new Name('condition'), new Name('thread')];
    const isFirst = w.eq(w.ref(thread, 'u32'), w.u32(0));
    uses.declarations.push({
      kind: 'function',
      name,
      params: [
        { name: condition, type: 'bool' },
        { name: thread, type: 'u32' },
      ],
      result: 'bool',
      body: [
        w.when(isFirst, [w.assign(flag, w.u32(0))]),
        w.perform(w.builtin('workgroupBarrier', 'u32')),
        w.when(w.ref(condition, 'bool'), [w.assign(flag, w.u32(1))]),
        w.give(w.ne(w.builtin('workgroupUniformLoad', 'u32', w.addressOf(flag, 'workgroup')), w.u32(0))),
      ],
      comment:
        'Whether the condition holds in any invocation of the workgroup; WGSL takes the result for uniform, as barriers demand.',
    });
    return name;
  });
  return w.call(fn, 'bool', own, uses.builtin('thread'));
}

/// With a barrier less: the flag needs no reset if it is another number each time. The number is a variable of the entry point, changed where all of the
/// block comes by, so that WGSL takes it for uniform.
function anyByTurns(emitter: Emitter, own: Expr): Expr {
  const { uses, writer } = emitter;
  const turn = emitter.once('block turn', () => {
    const name = new Name('block_turn');
    emitter.declare(name, 'u32', w.u32(0));
    return w.ref(name, 'u32');
  });
  const fn = uses.once('any_in_block', () => {
    const name = new Name('any_in_block');
    const flag = uses.workgroupVariable('exchange_flag', 'u32');
    const [condition, number] = [new Name('condition'), new Name('turn')];
    uses.declarations.push({
      kind: 'function',
      name,
      params: [
        { name: condition, type: 'bool' },
        { name: number, type: 'u32' },
      ],
      result: 'bool',
      body: [
        w.when(w.ref(condition, 'bool'), [w.assign(flag, w.ref(number, 'u32'))]),
        w.give(w.eq(w.builtin('workgroupUniformLoad', 'u32', w.addressOf(flag, 'workgroup')), w.ref(number, 'u32'))),
      ],
      comment:
        'Whether the condition holds in any invocation of the workgroup, which comes by with the next number each time; WGSL takes the result for uniform.',
    });
    return name;
  });
  writer.push(w.update(turn, '+', w.u32(1)));
  return w.call(fn, 'bool', own, turn);
}

function ballotIsNotEmpty(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  return w.ne(warpWriter(emitter, undefined).ballot('any', predicate), w.u32(0));
}
