// Extended-precision arithmetic: https://docs.nvidia.com/cuda/parallel-thread-execution/#extended-precision-integer-arithmetic-instructions
// Carry in (CC.CF, 0 or 1) is the last source, carry out the last result.
import type { Bits, LaneFunction } from '../types.ts';
import { productHalf, productOf } from './integer.ts';
import { type IntegerType, integerBits, sourceAt, typeIn, wideValue } from './values.ts';

/// The sum of bit patterns, and the carry out of the top bit.
function sumWithCarry(type: IntegerType, a: bigint, b: bigint, carryIn: bigint): readonly [Bits, Bits] {
  const sum = a + b + carryIn;
  return [integerBits(sum, type), Number(sum >> BigInt(type.width))];
}

/// The difference of bit patterns, and the borrow.
function differenceWithBorrow(type: IntegerType, a: bigint, b: bigint, borrowIn: bigint): readonly [Bits, Bits] {
  const difference = a - b - borrowIn;
  return [integerBits(difference, type), difference < 0n ? 1 : 0];
}

function unsigned(type: IntegerType): IntegerType {
  return { ...type, signed: false };
}

type Carrying = typeof sumWithCarry;

const withoutCarryIn =
  (compute: Carrying): LaneFunction =>
  (mods, sources) => {
    const type = unsigned(typeIn(mods));
    return compute(type, wideValue(sourceAt(sources, 0), type), wideValue(sourceAt(sources, 1), type), 0n);
  };

/// Writes the carry flag only with `.cc`.
const withCarryIn =
  (compute: Carrying): LaneFunction =>
  (mods, sources) => {
    const type = unsigned(typeIn(mods));
    const [a, b] = [wideValue(sourceAt(sources, 0), type), wideValue(sourceAt(sources, 1), type)];
    const [d, carryOut] = compute(type, a, b, BigInt(sourceAt(sources, 2)));
    return mods.cc === undefined ? [d] : [d, carryOut];
  };

/// `t = a * b; d = t.half + c + carryIn`; the carry out is the addition's.
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
  'add.cc': withoutCarryIn(sumWithCarry),
  addc: withCarryIn(sumWithCarry),
  'sub.cc': withoutCarryIn(differenceWithBorrow),
  subc: withCarryIn(differenceWithBorrow),
  'mad.cc': madCc,
  madc,
} satisfies Record<string, LaneFunction>;
