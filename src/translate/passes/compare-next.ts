// Rewrites the exit tests of loops to use the incremented counter, so that only one of the two
// stays live. Folding has turned `i + 1 == n` into `i == n - 1`, which reads `i` after `i + 1` is
// computed.

import { getOrInsert } from '../../base/maps.ts';
import { constant, constantOf, edgesOf, type Func, type Inst, type Param, type Result } from '../ir/nodes.ts';

/**
 * If a loop continues with `p + c` for its parameter p, and a block with that sum tests whether p
 * equals a constant, changes the test to compare the sum instead. Requires legal IR.
 */
export function compareNext(func: Func): void {
  const sums = sumsPassedOn(func);
  if (sums.size === 0) return;
  for (const block of func.blocks) {
    if (!block.insts.some(isEquality)) continue;
    const here = new Set(block.insts);
    for (const inst of here) {
      if (!isEquality(inst)) continue;
      const [value, other] = inst.args;
      const bits = constantOf(other);
      if (value?.kind !== 'param' || bits === undefined) continue;
      const next = sums.get(value)?.find((sum) => here.has(sum.inst));
      const step = next && constantOf(next.inst.args[1]);
      if (next === undefined || step === undefined) continue;
      putBefore(block.insts, next.inst, inst);
      inst.args = [next, constant(value.type, bits + step)];
    }
  }
}

const isEquality = (inst: Inst): boolean =>
  inst.op === 'icmp' && (inst.attrs.relation === 'eq' || inst.attrs.relation === 'ne');

/** Returns, for each parameter, its sums with constants that edges pass to it. */
function sumsPassedOn(func: Func): ReadonlyMap<Param, Result[]> {
  const sums = new Map<Param, Result[]>();
  for (const { end } of func.blocks) {
    for (const { to, args } of edgesOf(end)) {
      to.params.forEach((param, index) => {
        const next = args[index];
        if (next?.kind !== 'result' || next.inst.op !== 'iadd' || next.inst.args[0] !== param) return;
        if (constantOf(next.inst.args[1]) === undefined) return;
        getOrInsert(sums, param, () => []).push(next);
      });
    }
  }
  return sums;
}

/**
 * Moves `moved` before `place` if it is after `place`. The operands of `moved` are a parameter and
 * a constant.
 */
function putBefore(insts: Inst[], moved: Inst, place: Inst): void {
  const [from, to] = [insts.indexOf(moved), insts.indexOf(place)];
  if (from < to) return;
  insts.splice(from, 1);
  insts.splice(to, 0, moved);
}
