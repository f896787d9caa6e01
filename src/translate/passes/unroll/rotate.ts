// Rotates loops that test first into loops that test last, with one test before them.
import type { Builder } from '../../ir/builder.ts';
import type { Block, Definition, Func, Value } from '../../ir/nodes.ts';
import { type Copied, copyEdge, copyInsts, lookUp } from '../copy-insts.ts';
import { closeLoop } from './close-loop.ts';
import type { TestedLoop } from './counted-loops.ts';

/**
 * Rotates a loop. Returns the block that branches to itself: the body, followed by the test of the
 * next iteration.
 */
export function rotate(func: Func, b: Builder, { head, end, body, exit, iteration: { stays } }: TestedLoop): Block {
  const leaving = closeLoop(func, b, new Set([head, body]), head, exit);
  const loop = b.block();
  // The loop carries the values that the head defines.
  const carried: Definition[] = [...head.params, ...head.insts.flatMap(({ results }) => results)];
  const copied: Copied = new Map();
  for (const value of carried) copied.set(value, b.param(loop, value.type, value.hint));
  b.into(loop.insts);
  copyInsts(b, body.insts, copied);
  const back = body.end.kind === 'jump' ? body.end.to.args.map(lookUp(copied)) : [];
  const next: Copied = new Map(
    head.params.flatMap((param, index): [Definition, Value][] => {
      const value = back[index];
      return value === undefined ? [] : [[param, value]];
    }),
  );
  copyInsts(b, head.insts, next);
  const again = { to: loop, args: carried.map((value) => lookUp(next)(value)) };
  const away = copyEdge(leaving, next);
  const condition = lookUp(next)(end.condition);
  loop.end = { ...end, condition, then: stays ? again : away, else: stays ? away : again };
  const into = { to: loop, args: carried };
  head.end = { ...end, then: stays ? into : leaving, else: stays ? leaving : into };
  func.blocks = [...func.blocks.filter((block) => block !== body), loop];
  return loop;
}
