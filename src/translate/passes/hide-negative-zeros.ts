// Hides two kinds of f32 values from the driver, which otherwise computes wrong signs of zeros
// (seen on an H200):
//
// - A constant -0 that a branch or a selection passes on. The driver treats it as +0.
// - The result of an operation on constants alone, such as `0 - 0`. The driver computes it. If it
//   is a zero, the driver then treats `fma(x, y, 0.0)` as `x * y`, which may be -0. The pass hides
//   one operand of the operation.
import type { Builder } from '../ir/builder.ts';
import { constantOf, type Edge, type Func, type Inst, mapTerminator, readsAny, type Value } from '../ir/nodes.ts';
import { HiddenConstants } from './hide-constants.ts';

const negativeZero = 0x8000_0000n;

const isNegativeZero = (value: Value): boolean => value.type === 'f32' && constantOf(value) === negativeZero;

export function hideNegativeZeros(func: Func, builder: Builder): void {
  const hidden = new HiddenConstants(builder);
  const hide = (value: Value): Value => (isNegativeZero(value) ? hidden.of(negativeZero) : value);
  const hideFirst = (args: readonly Value[]): readonly Value[] => {
    const [first, ...rest] = args;
    const bits = first && constantOf(first);
    if (bits === undefined || (first?.type !== 'f32' && first?.type !== 'i32')) return args;
    return [hidden.of(bits, first.type), ...rest];
  };
  const edge = ({ to, args }: Edge): Edge => ({ to, args: args.map(hide) });
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      if (inst.op === 'select') {
        if (inst.args.some(isNegativeZero)) inst.args = inst.args.map(hide);
      } else if (isKnownFloat(inst)) {
        inst.args = hideFirst(inst.args);
      }
    }
    // Only few terminators pass a negative zero.
    if (readsAny(block.end, isNegativeZero)) block.end = mapTerminator(block.end, (value) => value, edge);
  }
  func.blocks[0]?.insts.unshift(...hidden.insts);
}

/** Whether the instruction computes an f32 from constants alone. */
const isKnownFloat = ({ op, args, results }: Inst): boolean =>
  args[0] !== undefined &&
  constantOf(args[0]) !== undefined &&
  op !== 'bitcast' &&
  results.some(({ type }) => type === 'f32') &&
  args.every((arg) => constantOf(arg) !== undefined);
