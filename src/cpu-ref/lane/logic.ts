// Logic and shifts.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#logic-and-shift-instructions
import type { LaneFunction } from '../types.ts';
import { integerBits, isWide, narrowBits, narrowValue, sourceAt, typeIn, wideValue, wordAt } from './values.ts';

function bitwise(narrow: (a: number, b: number) => number, wide: (a: bigint, b: bigint) => bigint): LaneFunction {
  return (mods, sources) => {
    const type = typeIn(mods);
    const [a, b = 0] = [sourceAt(sources, 0), sources[1]];
    return isWide(type)
      ? [integerBits(wide(wideValue(a, type), wideValue(b, type)), type)]
      : [narrowBits(narrow(narrowValue(a, type), narrowValue(b, type)), type)];
  };
}

/** Returns the "C/C++ style" logical negation: 1 if the source is 0, and otherwise 0. */
const cnot: LaneFunction = (mods, sources) => {
  const isZero = wideValue(sourceAt(sources, 0), typeIn(mods)) === 0n;
  return [integerBits(isZero ? 1n : 0n, typeIn(mods))];
};

/**
 * Combines the bits of a, b and c by a table. Bit `4a + 2b + c` of `lut` is the result for input
 * bits a, b, c: `lut = F(0xf0, 0xcc, 0xaa)`.
 */
const lop3: LaneFunction = (_, sources) => {
  const [a, b, c, lut] = [wordAt(sources, 0), wordAt(sources, 1), wordAt(sources, 2), wordAt(sources, 3)];
  let d = 0;
  for (let row = 0; row < 8; row++) {
    if (((lut >>> row) & 1) === 0) continue;
    d |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  }
  return [d >>> 0];
};

/** Returns the result of `lop3` and the predicate "p = (d != 0) BoolOp q". */
const lop3Bool: LaneFunction = (mods, sources) => {
  const [d = 0] = lop3(mods, sources);
  const [isSet, q] = [d !== 0, wordAt(sources, 4) !== 0];
  return [d, Number(mods.bool === 'or' ? isSet || q : isSet && q)];
};

/**
 * Returns a shift. "Shift amounts greater than the register width N are clamped to N." All 32 bits
 * of `b` are significant. The shift is computed as a multiplication or a floored division of
 * numbers, which is exact for 32 bits shifted by 32.
 */
function shift(
  narrow: (a: number, amount: number) => number,
  wide: (a: bigint, amount: bigint) => bigint,
): LaneFunction {
  return (mods, sources) => {
    const type = typeIn(mods);
    const a = sourceAt(sources, 0);
    const amount = Math.min(wordAt(sources, 1), type.width);
    return isWide(type)
      ? [integerBits(wide(wideValue(a, type), BigInt(amount)), type)]
      : [narrowBits(narrow(narrowValue(a, type), amount), type)];
  };
}

/** Returns the high word of `b:a` shifted left, or the low word of `b:a` shifted right. */
const shf: LaneFunction = (mods, sources) => {
  const [a, b, c] = [wordAt(sources, 0), wordAt(sources, 1), wordAt(sources, 2)];
  const n = BigInt(mods.mode === 'clamp' ? Math.min(c, 32) : c & 0x1f);
  const pair = (BigInt(b) << 32n) | BigInt(a);
  return [Number(BigInt.asUintN(32, mods.dir === 'l' ? (pair << n) >> 32n : pair >> n))];
};

export const logicFunctions = {
  and: bitwise(
    (a, b) => a & b,
    (a, b) => a & b,
  ),
  or: bitwise(
    (a, b) => a | b,
    (a, b) => a | b,
  ),
  xor: bitwise(
    (a, b) => a ^ b,
    (a, b) => a ^ b,
  ),
  not: bitwise(
    (a) => ~a,
    (a) => ~a,
  ),
  cnot,
  lop3,
  'lop3.bool': lop3Bool,
  shl: shift(
    (a, amount) => a * 2 ** amount,
    (a, amount) => a << amount,
  ),
  shr: shift(
    (a, amount) => Math.floor(a / 2 ** amount),
    (a, amount) => a >> amount,
  ),
  shf,
} satisfies Record<string, LaneFunction>;
