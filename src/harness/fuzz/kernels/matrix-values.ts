// The values of the operands of floating-point matrix products, as masks of the kernel's words.
import type { Random } from '../../suites/random.ts';

/**
 * The computation of a word of an operand from a word of the kernel: the mask `kept` selects bits
 * of the word, and then the bits in `set` are set.
 */
export interface WordPattern {
  readonly kept: number;
  readonly set: number;
}

/** The pattern of the values of one operand. */
export interface OperandPattern {
  /** The patterns of the operand's registers. Further registers repeat them. */
  readonly words: readonly WordPattern[];
  /**
   * - `copied`, `negated`: every second element along K is the previous element, or its negative
   * - `specials`: one word of sixteen has any bits
   */
  readonly change?: 'copied' | 'negated' | 'specials';
}

/**
 * - `few`: values whose products and sums are exact in any order
 * - `addends`: like `few`, but with subnormal addends and products of 0, so each result equals its
 * addend
 *
 * The sums of all other values depend on the order and on the rounding. So only executors whose
 * products have the bits of sm_90 compute them.
 */
export type MatrixValues = 'few' | 'addends' | SumKind;

/**
 * A few values for elements, whose products and sums are exact in any order: 1 and 1.5 of both
 * signs, or 0 and 2 of both signs.
 */
const fewValues: Readonly<Record<string, readonly WordPattern[]>> = {
  f16: [{ kept: 0x82008200, set: 0x3c003c00 }, { kept: 0xc000c000, set: 0 }],
  bf16: [{ kept: 0x80408040, set: 0x3f803f80 }, { kept: 0xc000c000, set: 0 }],
  tf32: [{ kept: 0x80400000, set: 0x3f800000 }, { kept: 0xc0000000, set: 0 }],
  f32: [{ kept: 0x80400000, set: 0x3f800000 }, { kept: 0xc0000000, set: 0 }],
  e4m3: [{ kept: 0x84848484, set: 0x38383838 }, { kept: 0xc0c0c0c0, set: 0 }],
  e5m2: [{ kept: 0x82828282, set: 0x3c3c3c3c }, { kept: 0xc0c0c0c0, set: 0 }],
}; // biome-ignore format: a table

/** The number of bits of an element, of its fraction, and of its exponent. */
interface Shape {
  readonly bits: 8 | 16 | 32;
  readonly fraction: number;
  readonly exponent: number;
}

const shapes: Readonly<Record<string, Shape>> = {
  f16: { bits: 16, fraction: 10, exponent: 5 },
  bf16: { bits: 16, fraction: 7, exponent: 8 },
  tf32: { bits: 32, fraction: 23, exponent: 8 },
  f32: { bits: 32, fraction: 23, exponent: 8 },
  e4m3: { bits: 8, fraction: 3, exponent: 4 },
  e5m2: { bits: 8, fraction: 2, exponent: 5 },
};

/** Returns the pattern of the values of an element. */
type Values = (shape: Shape) => WordPattern;

const signOf = ({ bits }: Shape): number => 2 ** (bits - 1);
const fractionOf = ({ fraction }: Shape): number => 2 ** fraction - 1;
const biasOf = ({ exponent }: Shape): number => 2 ** (exponent - 1) - 1;

/** Four exponents around 2^distance, with any sign. The fraction is 0, or any fraction. */
const near =
  (distance: number, fraction: 'any' | 'zero' = 'any'): Values =>
  (shape) => {
    const most = 2 ** shape.exponent - 4;
    const field = Math.min(Math.max(biasOf(shape) + distance, 0), most) & ~3;
    const unit = 2 ** shape.fraction;
    return { kept: signOf(shape) + 3 * unit + (fraction === 'any' ? fractionOf(shape) : 0), set: field * unit };
  };

const any: Values = ({ bits }) => ({ kept: 2 ** bits - 1, set: 0 });
/** All numbers below 2, with any exponent. */
const wide: Values = (shape) => ({ kept: 2 ** shape.bits - 1 - 2 ** (shape.bits - 2), set: 0 });
const subnormal: Values = (shape) => ({ kept: signOf(shape) + fractionOf(shape), set: 0 });
const zero: Values = (shape) => ({ kept: signOf(shape), set: 0 });
const one: Values = (shape) => ({ kept: signOf(shape), set: biasOf(shape) * 2 ** shape.fraction });
/** Numbers with the greatest exponent. */
const large: Values = (shape) => ({
  kept: signOf(shape) + fractionOf(shape),
  set: (2 ** shape.exponent - 2) * 2 ** shape.fraction,
});
const ordinary = near(0);

interface Kind {
  /** The values of elements with even and with odd indices along K. */
  readonly a: readonly [Values, Values];
  readonly b: readonly [Values, Values];
  readonly c: Values;
  readonly change?: Readonly<Partial<Record<'a' | 'b' | 'c', OperandPattern['change']>>>;
}

const both = (values: Values): readonly [Values, Values] => [values, values];

const sumKinds = {
  ordinary: { a: both(ordinary), b: both(ordinary), c: ordinary },
  wide: { a: both(wide), b: both(wide), c: wide },
  /** Any bits, so infinities and NaNs are frequent. */
  any: { a: both(any), b: both(any), c: any },
  specials: {
    a: both(ordinary),
    b: both(ordinary),
    c: ordinary,
    change: { a: 'specials', b: 'specials', c: 'specials' },
  },
  subnormals: { a: both(subnormal), b: [subnormal, ordinary], c: subnormal },
  /** Products of ordinary size with subnormal factors. */
  subnormalsTimesLarge: { a: both(subnormal), b: both(large), c: subnormal },
  zeros: { a: [zero, ordinary], b: [ordinary, zero], c: zero },
  /** Zeros among large factors. The exponents of these factors must not affect the sum. */
  zerosTimesLarge: { a: [zero, near(-8)], b: [large, near(-8)], c: near(-16) },
  largest: { a: both(large), b: both(large), c: large },
  /** Sums near the greatest f16. */
  nearLargest: { a: both(near(6)), b: both(near(6)), c: large },
  /** Every second product has the bits that a tensor core cuts off. */
  cut: { a: [ordinary, near(-12)], b: [ordinary, near(-12)], c: near(-22) },
  /** The addend is so large that bits of the products are cut off. */
  cutByAddend: { a: both(ordinary), b: both(near(-9)), c: near(13) },
  /** Terms near the least powers of two to which terms are aligned. */
  least: { a: both(near(-14)), b: both(near(-14)), c: near(-24) },
  leastWide: { a: both(near(-64)), b: both(near(-70)), c: near(-124) },
  powers: { a: both(near(0, 'zero')), b: both(near(-6, 'zero')), c: near(0, 'zero') },
  /** Sums halfway between two numbers of f16, with small terms that decide the rounding. */
  ties: { a: [near(-4, 'zero'), near(-12, 'zero')], b: [near(-4, 'zero'), near(-12, 'zero')], c: one },
  /** Every second product is the negative of the previous product. */
  canceling: { a: both(ordinary), b: both(ordinary), c: near(-22), change: { a: 'negated', b: 'copied' } },
  cancelingWide: { a: both(wide), b: both(wide), c: subnormal, change: { a: 'negated', b: 'copied' } },
} as const satisfies Readonly<Record<string, Kind>>;

type SumKind = keyof typeof sumKinds;
const names: readonly SumKind[] = Object.keys(sumKinds).filter((name): name is SumKind => name in sumKinds);

export const matrixValues: readonly MatrixValues[] = ['few', 'addends', ...names];

/**
 * Draws values whose sums have the bits of sm_90. Every executor of the run must compute these
 * bits.
 */
export const drawSums = (rng: Random): MatrixValues => matrixValues[rng.below(matrixValues.length)] ?? 'few';

/** Whether only executors with the sums of sm_90 compute the same results. */
export const needsHopper = (values: MatrixValues): boolean => values !== 'few' && values !== 'addends';

const repeated = (value: number, { bits }: Shape): number =>
  Array.from({ length: 32 / bits }, (_, index) => value * 2 ** (index * bits)).reduce((sum, part) => sum + part, 0);

/** Returns the patterns of words whose elements alternate, or of words with one element each. */
function wordsOf(shape: Shape, [even, odd]: readonly [Values, Values]): readonly WordPattern[] {
  const [first, second] = [even(shape), odd(shape)];
  if (shape.bits === 32) return [first, second];
  // In a word of several elements, the elements with even numbers are at these bits.
  const unit = 2 ** shape.bits;
  const pairs = (x: number, y: number) => repeated(x + y * unit, { ...shape, bits: shape.bits === 8 ? 16 : 32 });
  return [{ kept: pairs(first.kept, second.kept), set: pairs(first.set, second.set) }];
}

/**
 * Returns the pattern of an operand with elements of a type. Returns undefined for types whose sums
 * are exact, because they may have any words. `factor` is the type of A.
 */
export function patternOf(
  values: MatrixValues,
  operand: string,
  type: string,
  factor: string,
): OperandPattern | undefined {
  const shape = shapes[type];
  if (shape === undefined || shapes[factor] === undefined) return undefined;
  const few = fewValues[type] ?? [];
  if (values === 'addends' && operand === 'a') return { words: wordsOf(shape, both(zero)) };
  if (values === 'addends' && operand === 'c') return { words: wordsOf(shape, both(subnormal)) };
  if (values === 'few' || values === 'addends') return { words: few };
  const kind: Kind = sumKinds[values];
  if (operand !== 'a' && operand !== 'b' && operand !== 'c') return undefined;
  const change = kind.change?.[operand];
  const words = wordsOf(shape, operand === 'c' ? both(kind.c) : kind[operand]);
  return change === undefined ? { words } : { words, change };
}

/** Returns the number of bits of a type's elements. */
export const elementBitsOf = (type: string): number => shapes[type]?.bits ?? 32; // Other types have 32 bits.
