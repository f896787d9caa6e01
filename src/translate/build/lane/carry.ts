// Extended-precision arithmetic. The carry flag, an i1, is the last source and the last result. A
// subtraction sets it to the carry out of a + ~b + 1: true if there is no borrow, as on NVIDIA's
// hardware.
import type { IntegerRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { product } from './arithmetic.ts';
import { argAt, type LaneRow } from './row.ts';

type Row = Extract<IntegerRowName, 'add.cc' | 'addc' | 'sub.cc' | 'subc' | 'mad.cc' | 'madc'>;

/** Builds x + y, and its carry. */
function sum(b: Builder, x: Value, y: Value): readonly [Value, Value] {
  const total = b.iadd(x, y);
  return [total, b.icmp('ult', total, x)];
}

/** Builds x + y + carry. At most one of the two additions carries. */
function sumWithCarry(b: Builder, x: Value, y: Value, carry: Value, flag: boolean): readonly Value[] {
  const first = b.iadd(x, y);
  const total = b.iadd(first, b.resize(carry, x.type));
  if (!flag) return [total];
  return [total, b.or(b.icmp('ult', first, x), b.icmp('ult', total, first))];
}

/** Builds x + ~y + carry, which equals x - y minus the inverted carry. */
function difference(b: Builder, x: Value, y: Value, carry: Value, flag: boolean): readonly Value[] {
  const first = b.isub(x, y);
  const taken = b.resize(b.not(carry), x.type);
  const total = b.isub(first, taken);
  if (!flag) return [total];
  return [total, b.and(b.icmp('uge', x, y), b.icmp('uge', first, taken))];
}

/** Whether an instruction writes the carry flag. Forms without `.cc` do not change it. */
const writesFlag = ({ cc }: Mods): boolean => cc !== undefined;

export const carryRows: Readonly<Record<Row, LaneRow>> = {
  'add.cc': () => (b, args) => sum(b, argAt(args, 0), argAt(args, 1)),

  addc: (mods) => {
    const flag = writesFlag(mods);
    return (b, args) => sumWithCarry(b, argAt(args, 0), argAt(args, 1), argAt(args, 2), flag);
  },

  'sub.cc': () => (b, args) => [b.isub(argAt(args, 0), argAt(args, 1)), b.icmp('uge', argAt(args, 0), argAt(args, 1))],

  subc: (mods) => {
    const flag = writesFlag(mods);
    return (b, args) => difference(b, argAt(args, 0), argAt(args, 1), argAt(args, 2), flag);
  },

  'mad.cc': (mods) => {
    const multiply = product(mods);
    return (b, args) => sum(b, multiply(b, argAt(args, 0), argAt(args, 1)), argAt(args, 2));
  },

  madc: (mods) => {
    const multiply = product(mods);
    const flag = writesFlag(mods);
    return (b, args) =>
      sumWithCarry(b, multiply(b, argAt(args, 0), argAt(args, 1)), argAt(args, 2), argAt(args, 3), flag);
  },
};
