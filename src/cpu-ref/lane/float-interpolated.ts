// Approximate f32 instructions, bit by bit as on NVIDIA's hardware: the interpolator
// (interpolator.ts), and the code that the compiler adds for subnormal numbers. The results were
// compared with those of an H200 for each of the 2^32 arguments.
import type { Mods } from '../../isa/index.ts';
import type { LaneFunction } from '../types.ts';
import { floatSource, roundingOf } from './float.ts';
import { magnitude } from './float-bits.ts';
import { floatOf, roundToFloat, toNearest } from './float-exact.ts';
import {
  exponentialPlaces,
  logarithmOf,
  reciprocalPlaces,
  rootPlaces,
  sineOfTurns,
  squareRootPlaces,
  tangentOf,
} from './interpolator.ts';

/** Splits a number that is neither zero nor infinite: |a| is (1 + fraction / 2^23) 2^exponent. */
function partsOf(a: number): { fraction: number; exponent: number } {
  const scale = Math.abs(a) < 2 ** -126 ? 24 : 0;
  const bits = magnitude(roundToFloat(a * 2 ** scale, toNearest));
  return { fraction: bits & 0x7f_ffff, exponent: (bits >>> 23) - 127 - scale };
}

const isOrdinary = (a: number): boolean => a !== 0 && Number.isFinite(a);
const isOdd = (exponent: number): boolean => exponent % 2 !== 0;

function reciprocal(a: number): number {
  if (!isOrdinary(a)) return 1 / a;
  const { fraction, exponent } = partsOf(a);
  return Math.sign(a) * reciprocalPlaces(fraction) * 2 ** (-24 - exponent);
}

function reciprocalRoot(a: number): number {
  if (a < 0 || !isOrdinary(a)) return a === 0 ? 1 / a : 1 / Math.sqrt(a);
  const { fraction, exponent } = partsOf(a);
  return rootPlaces(fraction, isOdd(exponent)) * 2 ** (-24 - Math.floor(exponent / 2));
}

function squareRoot(a: number): number {
  if (a < 0 || !isOrdinary(a)) return Math.sqrt(a);
  const { fraction, exponent } = partsOf(a);
  return squareRootPlaces(fraction, isOdd(exponent)) * 2 ** (-23 + Math.floor(exponent / 2));
}

/**
 * Returns the base-2 logarithm. For a subnormal number, the compiler computes the logarithm of 2^24
 * a and subtracts 24.
 */
function logarithm(a: number): number {
  if (a < 0 || !isOrdinary(a)) return Math.log2(a);
  const { fraction, exponent } = partsOf(a);
  return exponent < -126 ? logarithmOf(fraction, exponent + 24) - 24 : logarithmOf(fraction, exponent);
}

/**
 * Returns 2^a. The argument is truncated to 23 fraction bits. For a negative number, the fraction
 * is inverted.
 */
function exponential(a: number): number {
  if (Number.isNaN(a)) return a;
  if (Math.abs(a) >= 128) return a < 0 ? 0 : Number.POSITIVE_INFINITY;
  const places = Math.floor(Math.abs(a) * 2 ** 23);
  const [whole, fraction] = [Math.floor(places / 2 ** 23), places % 2 ** 23];
  const isInverted = a < 0 && fraction !== 0;
  const exponent = a < 0 ? -whole - (isInverted ? 1 : 0) : whole;
  const result = exponentialPlaces(isInverted ? 0x7f_ffff - fraction : fraction) * 2 ** (exponent - 23);
  return result < 2 ** -126 ? 0 : result;
}

/**
 * Returns the result of `ex2`. Below -126, where results may be subnormal, the compiler squares
 * 2^(a/2).
 */
const exponentialOf = (a: number, { ftz }: Mods): number =>
  ftz === undefined && a < -126 ? exponential(a / 2) ** 2 : exponential(a);

/** The number 1 / (2 pi), as the compiler rounds it. */
const turn = floatOf(0x3e22_f983);

/**
 * Returns the sine of an angle, or its cosine if `more` is 1. The product of the angle and `turn`
 * is truncated to an f32.
 */
function sine(a: number, more: 0 | 1): number {
  if (!Number.isFinite(a)) return Number.NaN;
  const turns = floatOf(roundToFloat(a * turn, { direction: 'rz', flush: false }));
  const quarters = Math.floor(Math.abs(turns) * 2 ** 25) % 2 ** 25;
  const size = sineOfTurns(quarters / 2 ** 23 + more);
  return more === 0 && (a < 0 || Object.is(a, -0)) ? -size : size;
}

function tangent(a: number): number {
  const size = Math.abs(a);
  if (!(size >= 2 ** -8)) return a;
  return Math.sign(a) * (size >= 8 ? 1 : tangentOf(roundToFloat(size, toNearest)));
}

const unary =
  (compute: (a: number, mods: Mods) => number): LaneFunction =>
  (mods, sources) => [roundToFloat(compute(floatOf(floatSource(mods, sources, 0)), mods), roundingOf(mods))];

/**
 * Divides by multiplying with the reciprocal. Without `.ftz`, subnormal divisors are first scaled
 * by 2^24. With `.full`, large divisors are scaled by 1/4.
 */
const quotient: LaneFunction = (mods, sources) => {
  const [a, b] = [floatOf(floatSource(mods, sources, 0)), floatOf(floatSource(mods, sources, 1))];
  const isLarge = mods.mode === 'full' && Math.abs(b) > 2 ** 126;
  const isSmall = mods.ftz === undefined && Math.abs(b) < 2 ** -126;
  const scale = isLarge ? 2 ** -2 : isSmall ? 2 ** 24 : 1;
  const scaled = (value: number): number => floatOf(roundToFloat(value * scale, roundingOf(mods)));
  const inverse = floatOf(roundToFloat(reciprocal(scaled(b)), { direction: 'rn', flush: true }));
  return [roundToFloat(scaled(a) * inverse, roundingOf(mods))];
};

export const interpolatedFunctions = {
  'div.approx.f32': quotient,
  'rcp.approx.f32': unary(reciprocal),
  'sqrt.approx.f32': unary(squareRoot),
  'rsqrt.approx.f32': unary(reciprocalRoot),
  'sin.approx.f32': unary((a) => sine(a, 0)),
  'cos.approx.f32': unary((a) => sine(a, 1)),
  'lg2.approx.f32': unary(logarithm),
  'ex2.approx.f32': unary(exponentialOf),
  'tanh.approx.f32': unary(tangent),
} satisfies Record<string, LaneFunction>;
