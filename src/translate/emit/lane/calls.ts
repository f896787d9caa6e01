// Calls of device functions that remain functions in WGSL.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { InstNamed } from '../../ir/nodes.ts';
import type { Emitter } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';

export function writeCall(emitter: Emitter, inst: InstNamed<'call'>): void {
  const { uses, writer } = emitter;
  const callee = uses.functions.get(inst.attrs.callee);
  if (callee === undefined) throw new InternalError(`${inst.attrs.callee} has not been written`);
  const args = [
    ...inst.args.map((arg) => emitter.read(arg)),
    ...callee.builtins.map((builtin) => uses.builtin(builtin)),
    ...(uses.slots > 1 ? [emitter.slot] : []),
  ];
  // Absent: the function returns nothing, so no code reads the type.
  const call = w.call(callee.name, callee.result ?? 'u32', ...args);
  const [first] = inst.results;
  if (first === undefined) {
    writer.push({ kind: 'do', call });
  } else if (callee.members.length === 0) {
    emitter.define(first, call);
  } else {
    const whole = emitter.name('returned', call);
    inst.results.forEach((result, index) => {
      const member = callee.members[index];
      if (member) emitter.define(result, w.member(whole, member, wgslTypeOf(result.type)));
    });
  }
}
