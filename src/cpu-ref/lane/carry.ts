// Extended-precision arithmetic. The carry-in (CC.CF, 0 or 1) is the last source, and the carry-out
// is the last result.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#extended-precision-integer-arithmetic-instructions
//
// Subtraction is addition of the complement: `sub.cc` computes `a + ~b + 1`, and `subc` computes `a
// + ~b + CC.CF`. The carry-out of that sum is CC.CF, which is the inverse of the borrow.
//
// The manual describes CC.CF as a borrow instead. The two are indistinguishable if only `subc`
// follows `sub.cc`. NVIDIA's hardware passes the carry of the sum to `addc` at every optimizer
// level, and nvcc's 128-bit division relies on this (docs/lab-notes/native-compiler.md).
import type { Bits, LaneFunction } from '../types.ts';
import { productHalf, productOf } from './integer.ts';
import { type IntegerType, integerBits, sourceAt, typeIn, wideValue } from './values.ts';

/** Returns the sum of bit patterns, and the carry from the top bit. */
function sumWithCarry(type: IntegerType, a: bigint, b: bigint, carryIn: bigint): readonly [Bits, Bits] {
  const sum = a + b + carryIn;
  return [integerBits(sum, type), Number(sum >> BigInt(type.width))];
}

/**
 * Returns `a + ~b + carryIn` and the carry. If `carryIn` is 1, the sum is the difference of the bit
 * patterns.
 */
function differenceWithCarry(type: IntegerType, a: bigint, b: bigint, carryIn: bigint): readonly [Bits, Bits] {
  return sumWithCarry(type, a, BigInt.asUintN(type.width, ~b), carryIn);
}

function unsigned(type: IntegerType): IntegerType {
  return { ...type, signed: false };
}

type Carrying = typeof sumWithCarry;

const withoutCarryIn =
  (compute: Carrying, carryIn: bigint): LaneFunction =>
  (mods, sources) => {
    const type = unsigned(typeIn(mods));
    return compute(type, wideValue(sourceAt(sources, 0), type), wideValue(sourceAt(sources, 1), type), carryIn);
  };

/** Returns an instruction that reads the carry flag. It writes the carry flag only with `.cc`. */
const withCarryIn =
  (compute: Carrying): LaneFunction =>
  (mods, sources) => {
    const type = unsigned(typeIn(mods));
    const [a, b] = [wideValue(sourceAt(sources, 0), type), wideValue(sourceAt(sources, 1), type)];
    const [d, carryOut] = compute(type, a, b, BigInt(sourceAt(sources, 2)));
    return mods.cc === undefined ? [d] : [d, carryOut];
  };

/** Computes `t = a * b; d = t.half + c + carryIn`. The carry-out is the carry of the addition. */
function multiplyAdd(mods: Parameters<LaneFunction>[0], sources: readonly Bits[], carryIn: bigint) {
  const type = typeIn(mods);
  const half = wideValue(integerBits(productHalf(mods, productOf(type, sources), type), type), unsigned(type));
  return sumWithCarry(type, half, wideValue(sourceAt(sources, 2), unsigned(type)), carryIn);
}

const madCc: LaneFunction = (mods, sources) => multiplyAdd(mods, sources, 0n);

const madc: LaneFunction = (mods, sources) => {
  const [d, carryOut] = multiplyAdd(mods, sources, BigInt(sourceAt(sources, 3)));
  return mods.cc === undefined ? [d] : [d, carryOut];
};

export const carryFunctions = {
  'add.cc': withoutCarryIn(sumWithCarry, 0n),
  addc: withCarryIn(sumWithCarry),
  'sub.cc': withoutCarryIn(differenceWithCarry, 1n),
  subc: withCarryIn(differenceWithCarry),
  'mad.cc': madCc,
  madc,
} satisfies Record<string, LaneFunction>;
