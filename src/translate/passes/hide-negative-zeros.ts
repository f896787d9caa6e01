// A driver takes a constant -0 that a branch gives an f32 variable for +0 (seen on an H200). So where ways join, and where one of two values is chosen, a
// negative zero comes as a value that no compiler knows.
import type { Builder } from '../ir/builder.ts';
import { constantOf, type Edge, type Func, mapTerminator, type Value } from '../ir/nodes.ts';
import { HiddenConstants } from './hide-constants.ts';

const negativeZero = 0x8000_0000n;

export function hideNegativeZeros(func: Func, builder: Builder): void {
  const hidden = new HiddenConstants(builder);
  const hide = (value: Value): Value =>
    value.type === 'f32' && constantOf(value) === negativeZero ? hidden.of(negativeZero) : value;
  const edge = ({ to, args }: Edge): Edge => ({ to, args: args.map(hide) });
  for (const block of func.blocks) {
    for (const inst of block.insts) if (inst.op === 'select') inst.args = inst.args.map(hide);
    block.end = mapTerminator(block.end, (value) => value, edge);
  }
  func.blocks[0]?.insts.unshift(...hidden.insts);
}
