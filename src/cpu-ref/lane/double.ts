// f64 arithmetic. The manual does not specify NaN results; the results in this file are those of an
// H200. https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions

import type { LaneFunction } from '../types.ts';
import { classTest } from './class-test.ts';
import {
  doubleInfinity,
  doubleMagnitude,
  doubleOne,
  doubleSign,
  isNaNDouble,
  isNegativeDouble,
  isSubnormalDouble,
  minMaxDouble,
  nanAmong,
  quieted,
} from './double-bits.ts';
import { addDouble, divideDouble, fmaDouble, multiplyDouble, sqrtDouble } from './double-exact.ts';
import { roundingOf } from './float.ts';
import type { Direction } from './float-exact.ts';
import { wideSource } from './values.ts';

const unary =
  (compute: (a: bigint, direction: Direction) => bigint): LaneFunction =>
  (mods, sources) => {
    const a = wideSource(sources, 0);
    return [nanAmong([a]) ?? compute(a, roundingOf(mods).direction)];
  };

/**
 * Returns an instruction with two operands. If both operands are NaNs, the result is the second
 * one, quieted.
 */
const binary =
  (compute: (a: bigint, b: bigint, direction: Direction) => bigint): LaneFunction =>
  (mods, sources) => {
    const [a, b] = [wideSource(sources, 0), wideSource(sources, 1)];
    return [nanAmong([b, a]) ?? compute(a, b, roundingOf(mods).direction)];
  };

/**
 * Returns `a * b + c`. If several operands are NaNs, the result is the second operand's NaN, or
 * else the third operand's.
 */
const fma: LaneFunction = (mods, sources) => {
  const [a, b, c] = [wideSource(sources, 0), wideSource(sources, 1), wideSource(sources, 2)];
  return [nanAmong([b, c, a]) ?? fmaDouble(a, b, c, roundingOf(mods).direction)];
};

/**
 * Returns `a / b`. If both operands are NaNs, the result is the first one, unlike in products and
 * sums.
 */
const div: LaneFunction = (mods, sources) => {
  const [a, b] = [wideSource(sources, 0), wideSource(sources, 1)];
  return [nanAmong([a, b]) ?? divideDouble(a, b, roundingOf(mods).direction)];
};

/** Returns an instruction that changes only the sign. A NaN keeps its sign. */
const withSign =
  (change: (a: bigint) => bigint): LaneFunction =>
  (_, sources) => {
    const a = wideSource(sources, 0);
    return [isNaNDouble(a) ? quieted(a) : change(a)];
  };

const extreme =
  (which: 'min' | 'max'): LaneFunction =>
  (_, sources) => [minMaxDouble(which, wideSource(sources, 0), wideSource(sources, 1))];

/** The tests of the classes of values. Zeros count as normal. */
const classes: Readonly<Record<string, (bits: bigint) => boolean>> = {
  finite: (bits) => doubleMagnitude(bits) < doubleInfinity,
  infinite: (bits) => doubleMagnitude(bits) === doubleInfinity,
  number: (bits) => !isNaNDouble(bits),
  notanumber: isNaNDouble,
  normal: (bits) => doubleMagnitude(bits) < doubleInfinity && !isSubnormalDouble(bits),
  subnormal: isSubnormalDouble,
};

const testp = classTest(classes, wideSource);

/** Clamps a result to [0.0, 1.0], for `.sat`. A NaN becomes +0.0. */
export function saturatedDouble(bits: bigint): bigint {
  if (isNaNDouble(bits) || isNegativeDouble(bits)) return 0n;
  return bits < doubleOne ? bits : doubleOne;
}

export const doubleFunctions = {
  'add.f64': binary(addDouble),
  'sub.f64': binary((a, b, direction) => addDouble(a, b ^ doubleSign, direction)),
  'mul.f64': binary(multiplyDouble),
  'fma.f64': fma,
  'mad.f64': fma,
  'div.f64': div,
  'rcp.f64': unary((a, direction) => divideDouble(doubleOne, a, direction)),
  'sqrt.f64': unary(sqrtDouble),
  'abs.f64': withSign(doubleMagnitude),
  'neg.f64': withSign((a) => a ^ doubleSign),
  'min.f64': extreme('min'),
  'max.f64': extreme('max'),
  'copysign.f64': (_, sources) => [(wideSource(sources, 0) & doubleSign) | doubleMagnitude(wideSource(sources, 1))],
  'testp.f64': testp,
} satisfies Record<string, LaneFunction>;
