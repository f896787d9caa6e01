// One element of D = A x B + C, from a row of A, a column of B and an element of C, all as bits.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
import { type ElementType, elementBits } from '../../isa/fragments.ts';
import { nanAmong } from '../lane/double-bits.ts';
import { fmaDouble } from '../lane/double-exact.ts';
import type { Direction } from '../lane/float-exact.ts';
import { roundTo } from '../lane/half-format.ts';
import type { Bits } from '../types.ts';
import { formatOfElement, sumOfProducts } from './exact-sum.ts';

/// What is multiplied and added, and how.
export interface MultiplyRules {
  readonly types: Readonly<Record<'a' | 'b' | 'c' | 'd', ElementType>>;
  /// Clamps an integer sum instead of wrapping it.
  readonly satfinite: boolean;
  /// What takes the place of the product of two bits.
  readonly op: 'xor' | 'and' | undefined;
  /// How f64 sums are rounded.
  readonly rounding: Direction;
}

const isSignedType = (type: ElementType): boolean => type.startsWith('s');

/// The number that integer bits stand for.
function integerOf(type: ElementType, bits: number): number {
  const size = 2 ** elementBits[type];
  const value = bits % size;
  return isSignedType(type) && value >= size / 2 ? value - size : value;
}

function integerSum({ types, satfinite, op }: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): number {
  let sum = Number(c) | 0;
  a.forEach((bits, k) => {
    const [x, y] = [Number(bits), Number(b[k] ?? 0)];
    if (op !== undefined) sum += op === 'xor' ? x ^ y : x & y;
    else sum += integerOf(types.a, x) * integerOf(types.b, y);
  });
  return satfinite ? Math.max(Math.min(sum, 0x7fff_ffff), -0x8000_0000) >>> 0 : sum >>> 0;
}

/// One product after the other is added, with the first row of B first, as an H200 does.
function doubleSum({ rounding }: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): bigint {
  return a.reduce<bigint>((sum, bits, k) => {
    const [x, y] = [BigInt(bits), BigInt(b[k] ?? 0)];
    return nanAmong([y, sum, x]) ?? fmaDouble(x, y, sum, rounding);
  }, BigInt(c));
}

/// The element's bits. Integers are exact. Of floating-point types but f64 the manual leaves open in which order the products are added, how often the sum is
/// rounded, and whether subnormal values count: here it is the exact sum, rounded once, and `errorBound` says how far other answers may be from it.
export function multiplyElement(rules: MultiplyRules, a: readonly Bits[], b: readonly Bits[], c: Bits): Bits {
  const { types } = rules;
  if (types.d === 's32') return integerSum(rules, a, b, c);
  if (types.d === 'f64') return doubleSum(rules, a, b, c);
  return roundTo(formatOfElement(types.d), sumOfProducts(types, a.map(Number), b.map(Number), Number(c)).sum, 'rn');
}
