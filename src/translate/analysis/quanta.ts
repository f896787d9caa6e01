// Quanta of f32 values. If they are known, hardware that flushes subnormals computes exactly
// without a guard.
//
// A value has the quantum q if it is a NaN, an infinity, or an integer multiple of 2^q. Zero has
// every quantum. The rules below are for numbers. If an operand is a NaN or an infinity, addition
// and multiplication return a NaN or an infinity, which have every quantum.
//
// - Test: |x| = 0 or |x| >= 2^k with k >= -126. A nonzero x is normal, with an exponent e >= k, and
//   a multiple of its last place, 2^(e-23). So k - 23 is a quantum of x.
// - Sum and difference: multiples of 2^a and 2^b are both multiples of 2^min(a,b), and so is their
//   sum before rounding.
// - Product: multiples of 2^a and 2^b give a multiple of 2^(a+b) before rounding. A fused
//   multiply-add is the sum of that and its addend.
// - Minimum and maximum: one of two values, so a multiple of 2^min(a,b).
// - Rounding to 24 bits: a multiple of 2^q below 2^(q+24) has at most 24 bits, so rounding keeps it
//   if 2^q is at least the smallest place of the format. From 2^(q+24), a result is a multiple of
//   its last place, which is larger than 2^q. From 2^128, rounding to nearest returns an infinity.
//   So rounding to nearest never decreases a quantum. Rounding towards zero may, because it returns
//   the largest number instead of an infinity.
// - A nonzero multiple of 2^q with q >= -126 is at least 2^-126, hence not subnormal. So assume
//   that the quanta of all operands and of the exact result are at least -126. Then no operand is
//   subnormal, the result is not tiny before rounding, and hardware cannot flush anything.
import type { FloatProfile } from '../../base/float-profile.ts';
import { constantOf, type Definition, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';

/** The least quantum of values that are never subnormal. */
export const leastQuantum = -126;

/** The number d for which a test for 2^k proves a quantum of k - d. */
export const testedDigits = 23;

/** The highest threshold of a test. Values would often fail a test with a higher threshold. */
const highestThreshold = -8;

/** The maximum number of unknown factors in a product. With more, a test would fail too often. */
export const maxDegree = 3;

const anyQuantum = 1000;

/** Returns the largest quantum of an f32, given as bits. */
export function quantumOfBits(bits: bigint): number {
  const exponent = Number((bits >> 23n) & 0xffn);
  let fraction = bits & 0x7f_ffffn;
  if (exponent === 255 || (exponent === 0 && fraction === 0n)) return anyQuantum;
  if (exponent !== 0) fraction |= 0x80_0000n;
  let zeros = 0;
  while ((fraction & 1n) === 0n) {
    fraction >>= 1n;
    zeros += 1;
  }
  return Math.max(exponent, 1) - 150 + zeros;
}

/**
 * Returns the quantum of a value if it is known without a test: for constants, and for converted
 * integers, which rounding keeps integral.
 */
export function knownQuantum(value: Value): number | undefined {
  const bits = constantOf(value);
  if (bits !== undefined) return quantumOfBits(bits);
  if (value.kind === 'result' && value.inst.op === 'itof') return 0;
  return undefined;
}

/**
 * Whether the shader cannot hide this constant from the compiler. Hardware computes with a hidden
 * constant as with a loaded value.
 */
const cannotBeHidden = (value: Value): boolean => {
  const bits = constantOf(value);
  if (bits === undefined) return value.kind === 'undef';
  const size = bits & 0x7fff_ffffn;
  return size > 0x7f80_0000n || (size !== 0n && size < 0x80_0000n);
};

/**
 * Whether hardware computes an operation exactly as PTX specifies, apart from subnormals, if the
 * constants are hidden from the compiler. Without subnormals, `.ftz` does not change sums and
 * products. If `forms` is `any`, operations with `.ftz` therefore count as exact too.
 */
export function isExactBut(inst: Inst, float: FloatProfile, forms: 'kept' | 'any' = 'kept'): boolean {
  switch (inst.op) {
    case 'fadd':
    case 'fsub':
    case 'fmul':
    case 'ffma': {
      const { attrs, args, results, when } = inst;
      if (
        attrs.rounding !== 'rn' ||
        (attrs.ftz && forms === 'kept') ||
        when !== undefined ||
        results[0]?.type !== 'f32'
      )
        return false;
      // Hardware computes all four operations as fused multiply-adds.
      if (float.fma !== 'fused') return false;
      if (inst.op === 'fmul' && float.contracts) return false;
      if (args.some(cannotBeHidden) || !args.some(isDefinition)) return false;
      // Drivers fold the product of two constants, and round it.
      if (!args.slice(0, 2).some(isDefinition)) return false;
      return !mayCancel(inst);
    }
    case 'fmin':
    case 'fmax': {
      const { attrs, args, results, when } = inst;
      if (attrs.nan || attrs.ftz || when !== undefined || results[0]?.type !== 'f32') return false;
      // Compilers replace `max(x, x)` by x, even if x is a NaN.
      if (float.extremes !== 'exact' || args.some(cannotBeHidden) || !args.some(isDefinition)) return false;
      return !isSame(args[0], args[1]);
    }
    default:
      return false;
  }
}

/**
 * Whether a compiler may replace an operation by zero. Compilers fold `x - x`, `x + -x` and the
 * difference of two loads from one location to zero, even if x is an infinity.
 */
function mayCancel({ op, args: [a, b] }: Inst): boolean {
  if (op === 'fsub') return isSame(a, b);
  if (op !== 'fadd') return false;
  return [[a, b], [b, a]].some(
    ([x, y]) => x?.kind === 'result' && x.inst.op === 'fneg' && isSame(x.inst.args[0], y),
  ); // biome-ignore format: two pairs
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a?.kind !== 'result' || b?.kind !== 'result' || a.inst.op !== b.inst.op || a.index !== b.index) return false;
  if (a.inst.op === 'bitcast') return isSame(a.inst.args[0], b.inst.args[0]);
  if (a.inst.op !== 'load' || b.inst.op !== 'load') return false;
  const [place, other] = [a.inst.attrs.place, b.inst.attrs.place];
  const isSamePlace = place.offset === other.offset && place.unit === other.unit && place.root.kind === other.root.kind;
  return isSamePlace && a.inst.args[0] === b.inst.args[0];
}

/** Operations whose result has the lesser quantum of two operands. */
const sums: ReadonlySet<OpName> = new Set(['fadd', 'fsub', 'fmin', 'fmax']);

/** Returns the quanta of the results, if the operations' inputs have the quanta in `needs`. */
export function resultQuanta(
  ops: readonly Inst[],
  needs: ReadonlyMap<Definition, number>,
): ReadonlyMap<Definition, number> {
  const found = new Map<Definition, number>(needs);
  const of = (value: Value | undefined): number =>
    (value && (knownQuantum(value) ?? (isDefinition(value) ? found.get(value) : undefined))) ?? leastQuantum;
  for (const { op, args, results } of ops) {
    const [a, b, c] = args;
    const product = of(a) + of(b);
    const quantum = sums.has(op) ? Math.min(of(a), of(b)) : op === 'ffma' ? Math.min(product, of(c)) : product;
    for (const result of results) found.set(result, quantum);
  }
  return found;
}

/** Returns the number of unknown factors that are multiplied in a value. */
export type Degrees = (value: Value) => number;

/**
 * Returns the quanta that the inputs of operations must have, so that no operand and no result is
 * subnormal. The operations are in order, and exact apart from subnormals. Returns undefined if a
 * constant is too small, or if a test would require values that are too large. `wanted`: the
 * quantum that other users require of a result.
 */
export function demandsOf(
  ops: readonly Inst[],
  degreeOf: Degrees,
  wanted: (result: Definition) => number = () => leastQuantum,
): ReadonlyMap<Definition, number> | undefined {
  const needs = new Map<Definition, number>();
  let possible = true;
  const need = (value: Value | undefined, quantum: number) => {
    if (value === undefined) return;
    const wanted = Math.max(quantum, leastQuantum);
    if (!isDefinition(value)) {
      possible &&= (knownQuantum(value) ?? -anyQuantum) >= wanted;
      return;
    }
    needs.set(value, Math.max(needs.get(value) ?? leastQuantum, wanted));
  };
  const needProduct = (a: Value | undefined, b: Value | undefined, quantum: number) => {
    if (a === undefined || b === undefined) return;
    const [knownA, knownB] = [knownQuantum(a), knownQuantum(b)];
    if (knownA !== undefined) {
      need(a, leastQuantum);
      need(b, quantum - knownA);
    } else if (knownB !== undefined) {
      need(b, leastQuantum);
      need(a, quantum - knownB);
    } else {
      // Split the quantum between the operands in proportion to their degrees.
      const [degreeA, degreeB] = [degreeOf(a), degreeOf(b)];
      const partA = a === b ? Math.ceil(quantum / 2) : Math.ceil((quantum * degreeA) / (degreeA + degreeB));
      need(a, partA);
      need(b, a === b ? partA : quantum - partA);
    }
  };
  for (const { op, args, results } of [...ops].reverse()) {
    const [result] = results;
    const quantum = result === undefined ? leastQuantum : Math.max(needs.get(result) ?? leastQuantum, wanted(result));
    if (sums.has(op)) {
      need(args[0], quantum);
      need(args[1], quantum);
    } else {
      needProduct(args[0], args[1], quantum);
      if (op === 'ffma') need(args[2], quantum);
    }
  }
  for (const { results } of ops) for (const result of results) needs.delete(result);
  for (const [value, quantum] of needs) {
    const known = knownQuantum(value);
    if (known !== undefined) possible &&= known >= quantum;
    else possible &&= quantum + testedDigits <= highestThreshold;
  }
  return possible ? needs : undefined;
}
