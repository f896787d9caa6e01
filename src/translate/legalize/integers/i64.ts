// 64-bit integers as pairs of words. 128-bit integers first become pairs of 64-bit integers, by the
// same rules if these rules need no prelude function.
import type { Builder } from '../../ir/builder.ts';
import { constant, type InstNamed, type Program, undef, type Value } from '../../ir/nodes.ts';
import { type IntegerType, integerOf, widthOf } from '../../ir/types.ts';
import { type Contents, type Family, type Lower, type Lowering, lowerProgram, type Plain } from '../lowering.ts';
import { difference, divided, helped, product, sum } from './wide-arithmetic.ts';
import { compared } from './wide-compare.ts';
import { pairOf } from './wide-parts.ts';
import { counted, field, insertion, leadingZeros, shifted, turned } from './wide-shifts.ts';

const each =
  (op: 'and' | 'or' | 'xor'): Plain =>
  (lowering, inst) => {
    const [a, b] = [pairOf(lowering, inst, 0), pairOf(lowering, inst, 1)];
    return [lowering.builder[op](a[0], b[0]), lowering.builder[op](a[1], b[1])];
  };

const extended = (signed: boolean) => (lowering: Lowering, inst: InstNamed<'zext'> | InstNamed<'sext'>) => {
  const { builder } = lowering;
  const half = integerOf(widthOf(inst.attrs.to) / 2);
  const low = builder.resize(lowering.arg(inst, 0), half, signed);
  return [low, signed ? builder.ashrw(low, builder.i32(widthOf(half) - 1)) : constant(half, 0n)];
};

/**
 * Splits or joins a value. This needs no instruction, because the two parts already represent the
 * value.
 */
const split: Plain = (lowering, inst) => lowering.args(inst);
const join: Plain = (lowering, inst) => lowering.args(inst);

const truncated: Lower<'trunc'> = (lowering, inst) => {
  const [low] = pairOf(lowering, inst, 0);
  return [lowering.builder.resize(low, inst.attrs.to)];
};

/** Lowers a 64-bit special register, whose high word is always zero. */
const special: Lower<'special'> = ({ builder }, { attrs }) => [
  ...builder.emit('special', { ...attrs, type: 'i32' }, []),
  builder.i32(0),
];

const rules: Family['rules'] = {
  iadd: sum,
  isub: difference,
  imul: product,
  umulhi: helped('mul_hi_u64'),
  smulhi: helped('mul_hi_s64'),
  udiv: divided('udiv', 'div_u64'),
  urem: divided('urem', 'rem_u64'),
  sdiv: helped('div_s64'),
  srem: helped('rem_s64'),
  umin: helped('min_u64'),
  umax: helped('max_u64'),
  smin: helped('min_s64'),
  smax: helped('max_s64'),
  and: each('and'),
  or: each('or'),
  xor: each('xor'),
  shl: shifted('shl', false),
  lshr: shifted('lshr', false),
  ashr: shifted('ashr', false),
  shlw: shifted('shl', true),
  lshrw: shifted('lshr', true),
  ashrw: shifted('ashr', true),
  popcount: counted,
  clz: leadingZeros,
  bitreverse: turned,
  ubfe: field('bfe_u64'),
  sbfe: field('bfe_s64'),
  bfi: insertion,
  icmp: compared,
  zext: extended(false),
  sext: extended(true),
  trunc: truncated,
  join,
  split,
  special,
};

function family(wide: IntegerType, half: IntegerType): Family {
  const shift = BigInt(widthOf(half));
  return {
    rules,
    parts: (type) => (type === wide ? [half, half] : undefined),
    suffixes: ['_lo', '_hi'],
    literal(value: Value) {
      if (value.kind !== 'constant') return [undef(half), undef(half)];
      return [constant(half, value.bits), constant(half, value.bits >> shift)];
    },
  };
}

const words = family('i64', 'i32');
const doubleWords = family('i128', 'i64');

/** Removes all i128 and i64 values. */
export function legalizeWide(program: Program, builder: Builder, contents?: Contents): void {
  lowerProgram(program, builder, doubleWords, contents);
  lowerProgram(program, builder, words, contents);
}
