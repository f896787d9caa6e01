// Where an f32 value's quantum is known, hardware that flushes subnormals can be right without being asked.
//
// A value has the quantum q if it is a NaN, an infinity, or a whole multiple of 2^q; so is zero, of any quantum. What follows is of numbers; where an operand
// is a NaN or an infinity, addition and multiplication give a NaN or an infinity, which have every quantum.
//
// - Test: |x| = 0 or |x| >= 2^k with k >= -126. Then x is normal, with an exponent e >= k, and a multiple of its last place, 2^(e-23): its quantum is k - 23.
// - Sum and difference: multiples of 2^a and 2^b are both multiples of 2^min(a,b), so their sum before rounding is.
// - Product: multiples of 2^a and 2^b give a multiple of 2^(a+b) before rounding. A fused multiply-add is the sum of that and its addend.
// - Minimum and maximum: one of two values, so a multiple of 2^min(a,b).
// - Rounding to 24 bits: a multiple of 2^q below 2^(q+24) has at most 24 digits and stays, if 2^q is at least the least place there is; from 2^(q+24) on a
//   result is a multiple of its last place, which is larger than 2^q. So rounding never makes a quantum smaller, whichever way it rounds.
// - A nonzero multiple of 2^q with q >= -126 is at least 2^-126, hence not subnormal. So if the quanta of all operands and of the exact result are at least
//   -126, no operand is subnormal, the result is not tiny before rounding, and there is nothing that hardware could flush.
import type { FloatProfile } from '../../base/float-profile.ts';
import { constantOf, type Definition, type Inst, isDefinition, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';

/** Values of this quantum are never subnormal. */
export const leastQuantum = -126;

/** A test for 2^k gives a quantum of k less this. */
export const testedDigits = 23;

/** Thresholds above 2^-8 would be missed too often. */
const highestThreshold = -8;

/** Products of so many unknown values are still likely to be large enough. */
export const maxDegree = 3;

const anyQuantum = 1000;

/** The largest quantum of an f32 by its bits. */
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

/** What is known of a value's quantum without a test: of constants, and of integers, which rounding leaves integers. */
export function knownQuantum(value: Value): number | undefined {
  const bits = constantOf(value);
  if (bits !== undefined) return quantumOfBits(bits);
  if (value.kind === 'result' && value.inst.op === 'itof') return 0;
  return undefined;
}

/** Whether no instruction can make a value of a constant that hardware then computes with as if it had been loaded. */
const cannotBeHidden = (value: Value): boolean => {
  const bits = constantOf(value);
  if (bits === undefined) return value.kind === 'undef';
  const size = bits & 0x7fff_ffffn;
  return size > 0x7f80_0000n || (size !== 0n && size < 0x80_0000n);
};

/** Whether hardware computes an operation as PTX has it, were there no subnormals, and if it did not know the constants. */
export function isExactBut(inst: Inst, float: FloatProfile): boolean {
  switch (inst.op) {
    case 'fadd':
    case 'fsub':
    case 'fmul':
    case 'ffma': {
      const { attrs, args, results, when } = inst;
      if (attrs.rounding !== 'rn' || attrs.ftz || when !== undefined || results[0]?.type !== 'f32') return false;
      // Hardware does all of them as multiply-adds.
      if (float.fma !== 'fused') return false;
      if (inst.op === 'fmul' && float.contracts) return false;
      if (args.some(cannotBeHidden) || !args.some(isDefinition)) return false;
      // Drivers multiply two constants beforehand, and round.
      if (!args.slice(0, 2).some(isDefinition)) return false;
      return !mayCancel(inst);
    }
    case 'fmin':
    case 'fmax': {
      const { attrs, args, results, when } = inst;
      if (attrs.nan || attrs.ftz || when !== undefined || results[0]?.type !== 'f32') return false;
      // Compilers take `max(x, x)` for x, also where x is a NaN.
      if (float.extremes !== 'exact' || args.some(cannotBeHidden) || !args.some(isDefinition)) return false;
      return !isSame(args[0], args[1]);
    }
    default:
      return false;
  }
}

/** `x - x` is a zero to compilers, also where x is an infinity. So are `x + -x`, and the difference of two loads of one place. */
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

/** What has the lesser quantum of two values. */
const sums: ReadonlySet<OpName> = new Set(['fadd', 'fsub', 'fmin', 'fmax']);

/** The quanta that results have, if what operations take from elsewhere has what they need of it. */
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

/** How many unknown values are multiplied in a value. */
export type Degrees = (value: Value) => number;

/**
 * The quanta that operations need of what they take from elsewhere, so that nothing in them is subnormal. The operations stand in order, each is exact but for
 * subnormals. Undefined where a constant is too small, or too much would be asked. `wanted`: the quantum that others need of a result.
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
      // Split by how many factors each is made of: the two parts add up to what is asked.
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
