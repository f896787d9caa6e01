// Comparisons, selections and moves.
import { InternalError } from '../../../base/invariants.ts';
import type { Mods, SelectRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { FloatRelation, IntegerRelation } from '../../ir/operations.ts';
import { argAt, choice, type LaneBuild, type LaneRow, numberType, unary } from './row.ts';

type Row = Extract<
  SelectRowName,
  | ('setp' | 'setp.bool' | 'set' | 'set.bool' | 'selp' | 'slct' | 'mov' | 'cvt.pack' | 'cvt.pack.b32')
  | ('setp.f32' | 'setp.bool.f32' | 'set.f32' | 'set.bool.f32' | 'slct.f32')
>;

/** The relation of each comparison, for unsigned and for signed numbers. */
const relations: Readonly<Record<string, readonly [IntegerRelation, IntegerRelation]>> = {
  eq: ['eq', 'eq'],
  ne: ['ne', 'ne'],
  lt: ['ult', 'slt'],
  le: ['ule', 'sle'],
  gt: ['ugt', 'sgt'],
  ge: ['uge', 'sge'],
  lo: ['ult', 'ult'],
  ls: ['ule', 'ule'],
  hi: ['ugt', 'ugt'],
  hs: ['uge', 'uge'],
};

const opposites: Readonly<Record<IntegerRelation, IntegerRelation>> = {
  eq: 'ne',
  ne: 'eq',
  ult: 'uge',
  uge: 'ult',
  ule: 'ugt',
  ugt: 'ule',
  slt: 'sge',
  sge: 'slt',
  sle: 'sgt',
  sgt: 'sle',
};

/** The negation of each relation. The negation of an ordered relation is an unordered one. */
const floatOpposites: Readonly<Record<FloatRelation, FloatRelation>> = {
  eq: 'neu',
  ne: 'equ',
  lt: 'geu',
  le: 'gtu',
  gt: 'leu',
  ge: 'ltu',
  equ: 'ne',
  neu: 'eq',
  ltu: 'ge',
  leu: 'gt',
  gtu: 'le',
  geu: 'lt',
  num: 'nan',
  nan: 'num',
};

const isFloatRelation = (name: string): name is FloatRelation => Object.hasOwn(floatOpposites, name);

/** Builds the i1 of a comparison, or its complement. */
export type Test = (b: Builder, args: readonly Value[], complement: boolean) => Value;

export function integerTest({ cmp, type }: Mods): Test {
  const relation = choice(relations, cmp)[numberType(type).signed ? 1 : 0];
  return (b, args, complement) => b.icmp(complement ? opposites[relation] : relation, argAt(args, 0), argAt(args, 1));
}

export function floatTest({ cmp = '', ftz }: Mods): Test {
  if (!isFloatRelation(cmp)) throw new InternalError(`unknown comparison of floats ${cmp}`);
  const flushes = ftz !== undefined;
  return (b, args, complement) =>
    b.fcmp(complement ? floatOpposites[cmp] : cmp, flushes, argAt(args, 0), argAt(args, 1));
}

/** The operation on two i1 values that `.bool` selects. */
export const combinations: Readonly<Record<string, (b: Builder, x: Value, y: Value) => Value>> = {
  and: (b, x, y) => b.and(x, y),
  or: (b, x, y) => b.or(x, y),
  xor: (b, x, y) => b.xor(x, y),
};

/**
 * Builds the result of a test, combined with the third operand by `.bool`. If a complement is
 * requested, only the test is negated.
 */
export function combined(mods: Mods, test: Test): Test {
  const combine = choice(combinations, mods.bool);
  return (b, args, complement) => combine(b, test(b, args, complement), argAt(args, 2));
}

const setPredicates =
  (test: Test): LaneBuild =>
  (b, args, second) => {
    const first = test(b, args, false);
    return second ? [first, test(b, args, true)] : [first];
  };

/** Builds `set`, whose result for true is all ones, or 1.0. */
function setNumber({ dtype }: Mods, test: Test): LaneBuild {
  const { type } = numberType(dtype);
  const [yes, no] = [constant(type, type === 'f32' ? 0x3f80_0000n : -1n), constant(type, 0n)];
  return (b, args) => [b.select(test(b, args, false), yes, no)];
}

/** Builds a number clamped to 16 bits. */
function packedHalf(b: Builder, signed: boolean, x: Value): Value {
  const [least, most] = signed ? [-0x8000, 0x7fff] : [0, 0xffff];
  return b.resize(b.smin(b.smax(x, b.i32(least)), b.i32(most)), 'i16');
}

/** The rows that compare two floats of any type. */
export const comparisonRows = {
  setp: (mods) => setPredicates(floatTest(mods)),
  setpCombined: (mods) => setPredicates(combined(mods, floatTest(mods))),
  set: (mods) => setNumber(mods, floatTest(mods)),
  setCombined: (mods) => setNumber(mods, combined(mods, floatTest(mods))),
} as const satisfies Readonly<Record<string, LaneRow>>;

export const compareRows: Readonly<Record<Row, LaneRow>> = {
  setp: (mods) => setPredicates(integerTest(mods)),
  'setp.bool': (mods) => setPredicates(combined(mods, integerTest(mods))),
  'setp.f32': comparisonRows.setp,
  'setp.bool.f32': comparisonRows.setpCombined,
  set: (mods) => setNumber(mods, integerTest(mods)),
  'set.bool': (mods) => setNumber(mods, combined(mods, integerTest(mods))),
  'set.f32': comparisonRows.set,
  'set.bool.f32': comparisonRows.setCombined,

  selp: () => (b, args) => [b.select(argAt(args, 2), argAt(args, 0), argAt(args, 1))],
  slct: () => (b, args) => [b.select(b.icmp('sge', argAt(args, 2), b.i32(0)), argAt(args, 0), argAt(args, 1))],
  'slct.f32': ({ ftz }) => {
    const flushes = ftz !== undefined;
    const zero = constant('f32', 0n);
    return (b, args) => [b.select(b.fcmp('ge', flushes, argAt(args, 2), zero), argAt(args, 0), argAt(args, 1))];
  },

  mov: () => unary((_, x) => x),

  'cvt.pack': ({ dtype }) => {
    const { signed } = numberType(dtype);
    return (b, args) => [b.join(packedHalf(b, signed, argAt(args, 1)), packedHalf(b, signed, argAt(args, 0)))];
  },

  'cvt.pack.b32': ({ dtype = '' }) => {
    const bits = Number(dtype.slice(1));
    const range = (b: Builder, value: Value) => {
      const [least, most] = dtype.startsWith('s') ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
      const clamped = b.smin(b.smax(value, b.i32(least)), b.i32(most));
      return b.and(clamped, b.i32(2 ** bits - 1));
    };
    return (b, args) => {
      const pair = b.or(b.shlw(range(b, argAt(args, 0)), b.i32(bits)), range(b, argAt(args, 1)));
      return [b.or(b.shlw(argAt(args, 2), b.i32(2 * bits)), pair)];
    };
  },
};
