// f32 arithmetic against an oracle that rounds exact fractions of integers, and approximations
// against the results of an H200.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ApproximateRowName, approximate, isAllowedResult, laneFunctions } from '../../../src/cpu-ref/index.ts';
import type { LaneRowName, Mods } from '../../../src/isa/index.ts';

/** A finite f32 as a fraction of integers. Zero is unsigned. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const infinity = 0x7f800000;
const sign = 0x80000000;

function fractionOf(bits: number): Fraction {
  const exponent = (bits >>> 23) & 0xff;
  const significand = BigInt(exponent === 0 ? bits & 0x7fffff : (bits & 0x7fffff) | 0x800000);
  const power = Math.max(exponent, 1) - 150;
  const signed = bits >>> 31 ? -significand : significand;
  return power >= 0
    ? { numerator: signed << BigInt(power), denominator: 1n }
    : { numerator: signed, denominator: 1n << BigInt(-power) };
}

const sum = (x: Fraction, y: Fraction): Fraction => ({
  numerator: x.numerator * y.denominator + y.numerator * x.denominator,
  denominator: x.denominator * y.denominator,
});

const product = (x: Fraction, y: Fraction): Fraction => ({
  numerator: x.numerator * y.numerator,
  denominator: x.denominator * y.denominator,
});

const negation = (x: Fraction): Fraction => ({ ...x, numerator: -x.numerator });

const quotient = (x: Fraction, y: Fraction): Fraction =>
  y.numerator < 0n
    ? { numerator: -x.numerator * y.denominator, denominator: -x.denominator * y.numerator }
    : { numerator: x.numerator * y.denominator, denominator: x.denominator * y.numerator };

/** Returns a square root with 350 fractional bits. The last bit is set if the root is inexact. */
function squareRoot({ numerator, denominator }: Fraction): Fraction {
  const radicand = (numerator << 700n) / denominator;
  let root = 1n << BigInt(Math.ceil(radicand.toString(2).length / 2));
  for (let next = (root + radicand / root) >> 1n; next < root; next = (root + radicand / root) >> 1n) root = next;
  const isExact = root * root === radicand && (radicand * denominator) >> 700n === numerator;
  return { numerator: isExact ? root : root | 1n, denominator: 1n << 350n };
}

/**
 * Rounds a nonzero fraction to f32. It finds the smallest power of two at which 24 bits (fewer for
 * subnormals) hold the integer part.
 */
function round({ numerator, denominator }: Fraction, direction: string): number {
  const isNegative = numerator < 0n;
  const size = isNegative ? -numerator : numerator;
  const atPower = (power: number) => {
    const [n, d] = power >= 0 ? [size, denominator << BigInt(power)] : [size << BigInt(-power), denominator];
    return { significand: n / d, rest: n % d, divisor: d };
  };
  let power = size.toString(2).length - denominator.toString(2).length - 25;
  power = Math.max(power, -149);
  while (atPower(power).significand >= 1n << 24n) power++;
  const { significand, rest, divisor } = atPower(power);
  const roundsUp = {
    rn: 2n * rest > divisor || (2n * rest === divisor && significand % 2n === 1n),
    rz: false,
    rm: isNegative && rest > 0n,
    rp: !isNegative && rest > 0n,
  }[direction];
  // A carry from the significand correctly increments the exponent field.
  const isSubnormal = significand < 1n << 23n;
  const encoded = Number(significand) - (isSubnormal ? 0 : 0x800000) + (roundsUp ? 1 : 0);
  const bits = encoded + (isSubnormal ? 0 : power + 150) * 0x800000;
  if (bits < infinity) return isNegative ? (bits | sign) >>> 0 : bits;
  const isTowardsZero = direction === 'rz' || direction === (isNegative ? 'rp' : 'rm');
  return ((isTowardsZero ? infinity - 1 : infinity) | (isNegative ? sign : 0)) >>> 0;
}

const seed = 20261120;

/** Returns a generator of random numbers (Mulberry32). */
function generator(): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/**
 * Draws finite operands: with any exponents, with adjacent exponents (so that sums cancel), with
 * few bits (so that results tie), and subnormals.
 */
function operandTuples(count: number): readonly (readonly [number, number, number])[] {
  const random = generator();
  const operand = (centre: number) => {
    const r = random();
    const fraction = [r & 0x7fffff, (r & 0xf) << 19, r & 0x3, 0x7fffff - (r & 0x3)][(r >>> 24) & 3] ?? 0;
    const exponent = [(r >>> 8) % 255, centre, centre + ((r >>> 10) % 5) - 2, 0][(r >>> 26) & 3] ?? 0;
    return (((r & 1) << 31) | (Math.min(Math.max(exponent, 0), 254) << 23) | fraction) >>> 0;
  };
  return Array.from({ length: count }, () => {
    const [x, y] = [random() % 255, random() % 255];
    return [operand(x), operand(y), operand(x + y - 127)];
  });
}

const tuples = operandTuples(2500);

const operations: readonly {
  row: LaneRowName;
  operands: number;
  exact: (a: Fraction, b: Fraction, c: Fraction) => Fraction;
  /** Whether the oracle covers the operands. */
  applies?: (a: Fraction, b: Fraction) => boolean;
}[] = [
  { row: 'add.f32', operands: 2, exact: sum },
  { row: 'sub.f32', operands: 2, exact: (a, b) => sum(a, negation(b)) },
  { row: 'mul.f32', operands: 2, exact: product },
  { row: 'fma.f32', operands: 3, exact: (a, b, c) => sum(product(a, b), c) },
  { row: 'mad.f32', operands: 3, exact: (a, b, c) => sum(product(a, b), c) },
  { row: 'div.f32', operands: 2, exact: quotient, applies: (_, b) => b.numerator !== 0n },
  {
    row: 'rcp.f32',
    operands: 1,
    exact: (a) => quotient({ numerator: 1n, denominator: 1n }, a),
    applies: (a) => a.numerator !== 0n,
  },
  { row: 'sqrt.f32', operands: 1, exact: squareRoot, applies: (a) => a.numerator > 0n },
];

describe(`exact to the last bit (seed ${seed})`, () => {
  for (const { row, operands, exact, applies = () => true } of operations) {
    test.each(['rn', 'rz', 'rm', 'rp'])(`${row} .%s`, (direction) => {
      let compared = 0;
      for (const tuple of tuples) {
        const [a, b, c] = [fractionOf(tuple[0]), fractionOf(tuple[1]), fractionOf(tuple[2])];
        if (!applies(a, b)) continue;
        const value = exact(a, b, c);
        if (value.numerator === 0n) continue;
        const sources = tuple.slice(0, operands);
        const [actual] = laneFunctions[row]({ rnd: direction }, sources);
        const expected = round(value, direction);
        if (actual !== expected) {
          const hex = (bits: number) => `0x${bits.toString(16).padStart(8, '0')}`;
          expect.fail(`${row}.${direction} ${sources.map(hex)}: ${actual?.toString(16)}, not ${hex(expected)}`);
        }
        compared++;
      }
      expect(compared).toBeGreaterThan(1000);
    });
  }
});

const nan = 0x7fffffff;

// Signs of zero, infinities, NaN and the modifiers, from IEEE 754 and the manual.
test.each<[LaneRowName, Mods, readonly number[], number]>([
  ['add.f32', {}, [0x3f800000, 0xbf800000], 0],
  ['add.f32', { rnd: 'rm' }, [0x3f800000, 0xbf800000], sign],
  ['add.f32', { rnd: 'rm' }, [0, 0], 0],
  ['add.f32', { rnd: 'rp' }, [sign, sign], sign],
  ['sub.f32', {}, [sign, 0], sign],
  ['add.f32', {}, [infinity, 0xff800000], nan],
  ['add.f32', {}, [0x7fc12345, 0x3f800000], nan],
  ['mul.f32', {}, [0, infinity], nan],
  ['mul.f32', { rnd: 'rp' }, [0x80000001, 0x00000001], sign],
  ['mul.f32', { rnd: 'rm' }, [0x80000001, 0x00000001], 0x80000001],
  ['fma.f32', { rnd: 'rn' }, [0, infinity, 0x3f800000], nan],
  ['fma.f32', { rnd: 'rm' }, [0x3f800000, 0x3f800000, 0xbf800000], sign],
  ['fma.f32', { rnd: 'rn' }, [0x3f800001, 0x3f800001, 0xbf800002], 0x28800000],
  ['div.f32', { rnd: 'rn' }, [0x3f800000, sign], 0xff800000],
  ['div.f32', { rnd: 'rn' }, [0, sign], nan],
  ['rcp.f32', { rnd: 'rn' }, [sign], 0xff800000],
  ['sqrt.f32', { rnd: 'rn' }, [sign], sign],
  ['sqrt.f32', { rnd: 'rn' }, [0xbf800000], nan],
  ['mul.f32', { sat: 'sat' }, [0x40000000, 0x3f800000], 0x3f800000],
  ['mul.f32', { sat: 'sat' }, [0xc0000000, 0x3f800000], 0],
  ['mul.f32', { sat: 'sat' }, [0, infinity], 0],
  ['mul.f32', { ftz: 'ftz' }, [0x80000001, 0x3f800000], sign],
  ['mul.f32', { ftz: 'ftz' }, [0x00800000, 0x3f000000], 0],
  ['min.f32', {}, [0, sign], sign],
  ['max.f32', {}, [sign, 0], 0],
  ['min.f32', {}, [0x7fc00000, 0x3f800000], 0x3f800000],
  ['min.f32', { NaN: 'NaN' }, [0x7fc00000, 0x3f800000], nan],
  ['max.f32', {}, [0x7fc00000, 0xffc00001], nan],
  ['max.f32', { xorsign: 'xorsign', abs: 'abs' }, [0xc0000000, 0x3f800000], 0xc0000000],
  ['max.f32', { abs: 'abs' }, [0xc0000000, 0x3f800000, 0xc0400000], 0x40400000],
  ['copysign.f32', {}, [0xbf800000, 0x40000000], 0xc0000000],
  ['testp.f32', { op: 'normal' }, [sign], 1],
  ['testp.f32', { op: 'subnormal' }, [0x80000001], 1],
  ['testp.f32', { op: 'number' }, [0xff800000], 1],
  ['testp.f32', { op: 'notanumber' }, [0xff800001], 1],
  ['testp.f32', { op: 'finite' }, [infinity], 0],
])('%s %o of %o', (row, mods, sources, expected) => {
  expect(laneFunctions[row](mods, sources)).toEqual([expected]);
});

describe('approximations allow the results of an H200', () => {
  interface Measured {
    readonly row: string;
    readonly mods: Mods;
    /** The sources, then the result. */
    readonly results: readonly (readonly string[])[];
  }
  const measured: readonly Measured[] = JSON.parse(
    readFileSync(new URL('./cpu-ref-h200-approximate.json', import.meta.url), 'utf8'),
  );
  const isApproximate = (name: string): name is ApproximateRowName => Object.hasOwn(approximate, name);

  test.each(measured)('$row $mods', ({ row, mods, results }) => {
    if (!isApproximate(row)) throw new Error(`'${row}' is not an approximating row.`);
    for (const line of results) {
      const sources = line.slice(0, -1).map(Number);
      expect(isAllowedResult(row, mods, sources, Number(line.at(-1))), line.join(' ')).toBe(true);
      // The reference returns exactly these bits.
      expect(laneFunctions[row](mods, sources), line.join(' ')).toEqual([Number(line.at(-1))]);
    }
  });

  test.each<[ApproximateRowName, Mods, readonly number[], number]>([
    ['rcp.approx.f32', {}, [0x40000000], 0x3f000002],
    ['rcp.approx.f32', {}, [0], 0xff800000],
    ['ex2.approx.f32', {}, [0x7fffffff], 0],
    ['sin.approx.f32', {}, [0x3f800000], 0x3f576b00],
    ['div.approx.f32', { mode: 'full' }, [0x3f800000, 0x7e800001], 0],
    ['tanh.approx.f32', {}, [0x3f800000], 0x3f435000],
  ])('but not %s %o of %o = %i', (row, mods, sources, result) => {
    expect(isAllowedResult(row, mods, sources, result)).toBe(false);
  });
});
