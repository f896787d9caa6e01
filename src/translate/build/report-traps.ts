// Makes a kernel report which thread trapped.
import type { Builder } from '../ir/builder.ts';
import { constant, type Func } from '../ir/nodes.ts';
import type { LaunchShape } from './launch-shape.ts';
import { buildSpecial } from './specials.ts';

const indexes = ['%ctaid.x', '%ctaid.y', '%ctaid.z', '%tid.x', '%tid.y', '%tid.z'] as const;

/** Inserts a message before each trap that has no message of its own. */
export function reportTraps(b: Builder, func: Func, launch: LaunchShape): void {
  for (const { insts, end } of func.blocks) {
    if (end.kind !== 'trap' || insts.at(-1)?.op === 'message') continue;
    b.into(insts);
    b.span = end.span;
    const thread = indexes.map((name) => buildSpecial(b, name, 'i32', launch));
    b.emit('message', { kind: 'trap' }, [...thread, constant('i32', 0)]);
  }
  b.span = undefined;
}
