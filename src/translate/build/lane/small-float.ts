// Conversions to and from floating-point formats of 8, 6 and 4 bits, on bits, and from pairs of
// f32.
import { InternalError } from '../../../base/invariants.ts';
import type { FloatPairRowName, Mods, SmallFloatRowName } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import { floatRows } from './float.ts';
import { unpacked } from './half.ts';
import { argAt, choice, helper, type LaneRow } from './row.ts';

type Row = SmallFloatRowName | FloatPairRowName;

interface Small {
  readonly fraction: number;
  readonly bias: number;
  /**
   * `bits`: the number of bits of a value, including its sign. `step`: the distance between packed
   * values in bits.
   */
  readonly bits: number;
  readonly step: number;
  /** The bits of the largest number, and of a NaN. */
  readonly most: number;
  readonly nan: number;
  readonly hasNaN: boolean;
}

const formats: Readonly<Record<string, Small>> = {
  e4m3x2: { fraction: 3, bias: 7, bits: 8, step: 8, most: 0x7e, nan: 0x7f, hasNaN: true },
  e5m2x2: { fraction: 2, bias: 15, bits: 8, step: 8, most: 0x7b, nan: 0x7f, hasNaN: true },
  e2m3x2: { fraction: 3, bias: 1, bits: 6, step: 8, most: 0x1f, nan: 0x1f, hasNaN: false },
  e3m2x2: { fraction: 2, bias: 3, bits: 6, step: 8, most: 0x1f, nan: 0x1f, hasNaN: false },
  e2m1x2: { fraction: 1, bias: 1, bits: 4, step: 4, most: 0x7, nan: 0x7, hasNaN: false },
};

const smallFloat = helper('small_float', ['u32', 'u32', 'u32', 'u32'], 'u32');
const smallToHalf = helper('small_to_f16', ['u32', 'u32', 'u32'], 'u32');

/** The bits of three f32 constants. */
const [infinity, minusInfinity, sign] = [0x7f80_0000, 0xff80_0000, 0x8000_0000];

const sizeOf = (b: Builder, bits: Value): Value => b.and(bits, b.i32(sign - 1));

/** Builds the conversion of an f32 to a small float, from the bits of the f32. */
function narrowed(b: Builder, { relu }: Mods, to: Small, bits: Value): Value {
  const { fraction, bias, most, nan } = to;
  const size = smallFloat(b, bits, b.i32(fraction), b.i32(128 - bias), b.i32(most));
  const isNoNumber = b.icmp('ugt', sizeOf(b, bits), b.i32(infinity));
  const magnitude = b.select(isNoNumber, b.i32(nan), size);
  if (relu !== undefined) {
    const isNegative = b.icmp('ule', b.isub(bits, b.i32(sign)), b.i32(minusInfinity - sign));
    return b.select(isNegative, b.i32(0), magnitude);
  }
  const top = b.and(b.lshrw(bits, b.i32(32 - to.bits)), b.i32(2 ** (to.bits - 1)));
  return b.or(magnitude, b.select(isNoNumber, b.i32(0), top));
}

/**
 * Returns the bits of two f32 values, the low one first: from two operands, or from the halves of a
 * word.
 */
type Operands = (b: Builder, args: readonly Value[]) => readonly [Value, Value];

const fromFloats: Operands = (b, args) => [b.bitcast(argAt(args, 1), 'i32'), b.bitcast(argAt(args, 0), 'i32')];

const fromHalves: Operands = (b, args) => {
  const bits = unpacked(b, argAt(args, 0), 'f16').map((half) =>
    b.bitcast(b.value('ftof', { to: 'f32', rounding: 'rn', ftz: false }, [half]), 'i32'),
  );
  return [argAt(bits, 0), argAt(bits, 1)];
};

/** Returns the two bf16 values of a word as f32 bits. A bf16 is the upper half of the equal f32. */
const fromUpperHalves: Operands = (b, args) => [
  b.shlw(argAt(args, 0), b.i32(16)),
  b.and(argAt(args, 0), b.i32(0xffff_0000)),
];

const beside = (b: Builder, low: Value, high: Value, step: number): Value => b.or(low, b.shlw(high, b.i32(step)));

const toSmall =
  (operands: Operands): LaneRow =>
  (mods) => {
    const to = choice(formats, mods.dtype);
    return (b, args) => {
      const [low, high] = operands(b, args);
      const pair = beside(b, narrowed(b, mods, to, low), narrowed(b, mods, to, high), to.step);
      return [b.resize(pair, to.step === 4 ? 'i8' : 'i16')];
    };
  };

function widened(b: Builder, { relu }: Mods, from: Small, bits: Value): Value {
  const size = b.and(bits, b.i32(2 ** (from.bits - 1) - 1));
  // The bits of an e5m2 value are the upper half of an f16.
  const isHalf = from.bias === 15;
  const half = isHalf ? b.shlw(size, b.i32(8)) : smallToHalf(b, size, b.i32(from.fraction), b.i32(from.bias));
  const isNegative = b.icmp('ne', b.and(bits, b.i32(2 ** (from.bits - 1))), b.i32(0));
  const signed =
    relu === undefined
      ? b.or(half, b.select(isNegative, b.i32(0x8000), b.i32(0)))
      : b.select(isNegative, b.i32(0), half);
  if (!from.hasNaN) return signed;
  const isNoNumber = b.icmp('ugt', size, b.i32(isHalf ? 0x7c : from.most));
  return b.select(isNoNumber, b.i32(0x7fff), signed);
}

const fromSmall: LaneRow = (mods) => {
  const from = choice(formats, mods.atype);
  return (b, args) => {
    const pair = b.resize(argAt(args, 0), 'i32');
    const low = widened(b, mods, from, pair);
    return [beside(b, low, widened(b, mods, from, b.lshrw(pair, b.i32(from.step))), 16)];
  };
};

/**
 * Builds the conversion of two f32 values to their exponent fields. With `.rp`, a field is rounded
 * up if any lower bit is set. A field of 0 is rounded up only if the value exceeds the least power,
 * 2^-127.
 */
const toExponent =
  (operands: Operands): LaneRow =>
  ({ rnd, satfinite }) =>
  (b, args) => {
    const [low, high] = operands(b, args).map((bits) => {
      const size = sizeOf(b, bits);
      const exponent = b.lshrw(size, b.i32(23));
      const isNoNumber = b.icmp('ugt', size, b.i32(infinity));
      const isLeast = b.icmp('eq', exponent, b.i32(0));
      const isAbove = b.icmp('ugt', b.and(size, b.i32(0x7f_ffff)), b.select(isLeast, b.i32(0x40_0000), b.i32(0)));
      const raised = rnd === 'rp' ? b.iadd(exponent, b.select(isAbove, b.i32(1), b.i32(0))) : exponent;
      const finite = b.umin(raised, b.i32(satfinite === undefined ? 0xff : 0xfe));
      return b.select(isNoNumber, b.i32(0xff), finite);
    });
    if (low === undefined || high === undefined) throw new InternalError('a pair must have two values');
    return [b.resize(beside(b, low, high, 8), 'i16')];
  };

/** Builds the bf16 power of two with an exponent field. The least power is a subnormal bf16. */
function power(b: Builder, exponent: Value): Value {
  const normal = b.shlw(exponent, b.i32(7));
  const value = b.select(b.icmp('eq', exponent, b.i32(0)), b.i32(0x40), normal);
  return b.select(b.icmp('eq', exponent, b.i32(0xff)), b.i32(0x7fff), value);
}

const fromExponent: LaneRow = () => (b, args) => {
  const pair = b.resize(argAt(args, 0), 'i32');
  const low = power(b, b.and(pair, b.i32(0xff)));
  return [beside(b, low, power(b, b.lshrw(pair, b.i32(8))), 16)];
};

/** Applies an instruction on f32 values to both elements of a pair. */
const pairwise =
  (row: LaneRow): LaneRow =>
  (mods) => {
    const build = row(mods);
    return (b, args) => {
      const halves = args.map((arg) => b.split(arg).map((half) => b.bitcast(half, 'f32')));
      const half = (index: number): Value => {
        const operands = halves.map((pair) => argAt(pair, index));
        return b.bitcast(argAt(build(b, operands, false), 0), 'i32');
      };
      const low = half(0);
      return [b.join(low, half(1))];
    };
  };

export const smallFloatRows: Readonly<Record<Row, LaneRow>> = {
  'cvt.f8x2.f32': toSmall(fromFloats),
  'cvt.f8x2.f16x2': toSmall(fromHalves),
  'cvt.f16x2.f8x2': fromSmall,
  'cvt.f6x2.f32': toSmall(fromFloats),
  'cvt.f16x2.f6x2': fromSmall,
  'cvt.f4x2.f32': toSmall(fromFloats),
  'cvt.f4x2.f16x2': toSmall(fromHalves),
  'cvt.f16x2.f4x2': fromSmall,
  'cvt.ue8m0x2.f32': toExponent(fromFloats),
  'cvt.ue8m0x2.bf16x2': toExponent(fromUpperHalves),
  'cvt.bf16x2.ue8m0x2': fromExponent,
  'add.f32x2': pairwise(floatRows['add.f32']),
  'sub.f32x2': pairwise(floatRows['sub.f32']),
  'mul.f32x2': pairwise(floatRows['mul.f32']),
  'fma.f32x2': pairwise(floatRows['fma.f32']),
};
