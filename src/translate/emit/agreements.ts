// Conditions that lanes decide together: over a subgroup, and over the workgroup.
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

function ballotIsNotEmpty(emitter: Emitter, predicate: (slot: Expr) => Expr): Expr {
  return w.ne(warpWriter(emitter, undefined).ballot('any', predicate), w.u32(0));
}
