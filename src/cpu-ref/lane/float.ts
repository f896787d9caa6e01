// f32 arithmetic.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions

import type { Mods } from '../../isa/index.ts';
import type { LaneFunction } from '../types.ts';
import { classTest } from './class-test.ts';
import {
  canonicalNaN,
  flushed,
  infinity,
  isNaNBits,
  isNegative,
  isSubnormal,
  type MinMax,
  magnitude,
  minMax,
  one,
  signBit,
} from './float-bits.ts';
import {
  addFloat,
  type Direction,
  divideFloat,
  fmaFloat,
  multiplyFloat,
  type Rounding,
  sqrtFloat,
  subtractFloat,
} from './float-exact.ts';
import { wordAt } from './values.ts';

const directions: Readonly<Record<string, Direction>> = { rn: 'rn', rz: 'rz', rm: 'rm', rp: 'rp' };

/** Returns the instruction's rounding. The default is `.rn`. */
export function roundingOf(mods: Mods): Rounding {
  const direction = directions[mods.rnd ?? 'rn'];
  if (direction === undefined) throw new Error(`'.${mods.rnd}' is not a rounding to f32.`);
  return { direction, flush: mods.ftz !== undefined };
}

/** Returns the i-th source. With `.ftz`, a subnormal source becomes a zero of the same sign. */
export function floatSource(mods: Mods, sources: Parameters<LaneFunction>[1], i: number): number {
  const bits = wordAt(sources, i);
  return mods.ftz === undefined ? bits : flushed(bits);
}

/** Returns a result. With `.sat`, it is clamped to [0.0, 1.0], and a NaN becomes +0.0. */
export function floatResult(mods: Mods, bits: number): readonly [number] {
  return [mods.sat === undefined ? bits : saturated(bits)];
}

function saturated(bits: number): number {
  if (isNaNBits(bits) || isNegative(bits)) return 0;
  return Math.min(bits, one);
}

/** Returns an operation on f32 bits that rounds once. */
function rounded(
  operands: 1 | 2 | 3,
  compute: (rounding: Rounding, ...bits: [number, number, number]) => number,
): LaneFunction {
  return (mods, sources) => {
    const bit = (i: number) => (i < operands ? floatSource(mods, sources, i) : 0);
    return floatResult(mods, compute(roundingOf(mods), bit(0), bit(1), bit(2)));
  };
}

const fma = rounded(3, (rounding, a, b, c) => fmaFloat(a, b, c, rounding));

/**
 * Returns an instruction that changes the sign. "NaN input yields unspecified NaN"; the result is
 * the canonical NaN, as on an H200.
 */
function withSign(change: (bits: number) => number): LaneFunction {
  return (mods, sources) => {
    const a = floatSource(mods, sources, 0);
    return [isNaNBits(a) ? canonicalNaN : change(a) >>> 0];
  };
}

/**
 * Returns `min` or `max`. `.abs` compares magnitudes. With `.xorsign`, the sign of the result is
 * the exclusive or of the inputs' signs. NaN results ignore both modifiers.
 */
function minMaxFunction(which: MinMax): LaneFunction {
  return (mods, sources) => {
    const inputs = sources.map((_, i) => floatSource(mods, sources, i));
    const compared = mods.abs === undefined ? inputs : inputs.map(magnitude);
    const result = compared.reduce((a, b) => minMax(which, a, b, mods.NaN !== undefined));
    if (isNaNBits(result)) return [canonicalNaN];
    if (mods.xorsign === undefined) return [result];
    const sign = inputs.reduce((a, b) => a ^ b) & signBit;
    return [(magnitude(result) | sign) >>> 0];
  };
}

/** The tests of the classes of values. Zeros count as normal. */
const classes: Readonly<Record<string, (bits: number) => boolean>> = {
  finite: (bits) => magnitude(bits) < infinity,
  infinite: (bits) => magnitude(bits) === infinity,
  number: (bits) => !isNaNBits(bits),
  notanumber: isNaNBits,
  normal: (bits) => magnitude(bits) < infinity && !isSubnormal(bits),
  subnormal: isSubnormal,
};

const testp = classTest(classes, wordAt);

export const floatFunctions = {
  'add.f32': rounded(2, (rounding, a, b) => addFloat(a, b, rounding)),
  'sub.f32': rounded(2, (rounding, a, b) => subtractFloat(a, b, rounding)),
  'mul.f32': rounded(2, (rounding, a, b) => multiplyFloat(a, b, rounding)),
  'fma.f32': fma,
  'mad.f32': fma,
  'div.f32': rounded(2, (rounding, a, b) => divideFloat(a, b, rounding)),
  'rcp.f32': rounded(1, (rounding, a) => divideFloat(one, a, rounding)),
  'sqrt.f32': rounded(1, (rounding, a) => sqrtFloat(a, rounding)),
  'abs.f32': withSign(magnitude),
  'neg.f32': withSign((bits) => bits ^ signBit),
  'min.f32': minMaxFunction('min'),
  'max.f32': minMaxFunction('max'),
  'copysign.f32': (_, sources) => [((wordAt(sources, 0) & signBit) | magnitude(wordAt(sources, 1))) >>> 0],
  'testp.f32': testp,
} satisfies Record<string, LaneFunction>;
