// Conversions to and from f16, bf16 and tf32.
import { missing } from '../../../base/invariants.ts';
import type { HalfConvertRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import type { Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';
import { conversion } from './convert.ts';
import { roundingOf } from './float.ts';
import { bitsOf, elementOf, packed, rectified } from './half.ts';
import { argAt, type LaneRow, unary } from './row.ts';

const infinities: Readonly<Partial<Record<Type, number>>> = { f16: 0x7c00, bf16: 0x7f80 };

/**
 * Replaces an infinity by the largest finite value, whose bits are those of the infinity minus one.
 */
function finite(b: Builder, x: Value): Value {
  const bits = bitsOf(b, x);
  const size = b.and(bits, b.int('i16', 0x7fff));
  const isInfinite = b.icmp('eq', size, b.int('i16', infinities[x.type] ?? missing('the infinity of a type', x.type)));
  return b.select(isInfinite, b.bitcast(b.isub(bits, b.int('i16', 1)), x.type), x);
}

/** Returns a function that converts f32 to 16 bits. It applies `.satfinite` before `.relu`. */
function fromF32(mods: Mods): (b: Builder, x: Value) => Value {
  const to = elementOf(mods.dtype);
  // NVIDIA hardware does not flush an f32 that is converted to f16. This is observable with
  // roundings away from zero.
  const attrs = { to, rounding: roundingOf(mods), ftz: mods.ftz !== undefined && to !== 'f16' };
  const { sat, satfinite, relu } = mods;
  return (b, x) => {
    let value = b.value('ftof', attrs, [x]);
    if (sat !== undefined) return b.value('fsaturate', {}, [value]);
    if (satfinite !== undefined) value = finite(b, value);
    return relu === undefined ? value : rectified(b, value);
  };
}

/** The low fraction bits of an f32 that tf32 does not have. */
const lost = 0x1fff;
const [infinity, kept, top] = [0x7f80_0000, 0xffff_e000, 0x8000_0000];

/**
 * Returns a function that converts f32 to tf32. A NaN becomes the largest NaN. With `.rna`, a NaN
 * is truncated instead, as on an H200; `.satfinite` then subtracts one unit from every value that
 * has the exponent of an infinity.
 */
function tensor({ rnd, relu, satfinite }: Mods): (b: Builder, x: Value) => Value {
  return (b, x) => {
    const bits = b.bitcast(x, 'i32');
    const size = b.and(bits, b.i32(0x7fff_ffff));
    const odd = b.and(b.lshrw(bits, b.i32(13)), b.i32(1));
    const added = rnd === 'rz' ? b.i32(0) : rnd === 'rn' ? b.iadd(odd, b.i32(lost >> 1)) : b.i32((lost >> 1) + 1);
    const special = b.icmp('uge', size, b.i32(infinity));
    const cut = b.and(b.select(special, bits, b.iadd(bits, added)), b.i32(kept));
    if (rnd === 'rna') {
      if (satfinite === undefined) return cut;
      const isLarge = b.icmp('uge', b.and(cut, b.i32(0x7fff_ffff)), b.i32(infinity));
      return b.select(isLarge, b.isub(cut, b.i32(lost + 1)), cut);
    }
    const number = relu === undefined ? cut : b.select(b.icmp('uge', bits, b.i32(top)), b.i32(0), cut);
    return b.select(b.icmp('ugt', size, b.i32(infinity)), b.i32(0x7fff_e000), number);
  };
}

export const halfConvertRows: Readonly<Record<HalfConvertRowName, LaneRow>> = {
  'cvt.to.f16': conversion,
  'cvt.from.f16': conversion,
  'cvt.f16.f32': (mods) => unary(fromF32(mods)),
  'cvt.bf16.f32': (mods) => unary(fromF32(mods)),
  'cvt.f32.bf16': conversion,
  'cvt.to.bf16': conversion,
  'cvt.from.bf16': conversion,
  'cvt.f64.f16': conversion,
  'cvt.f64.bf16': conversion,
  'cvt.f16.f64': conversion,
  'cvt.bf16.f64': conversion,
  // The first operand is the upper half.
  'cvt.halves.f32': (mods) => {
    const convert = fromF32(mods);
    return (b, args) => {
      const low = convert(b, argAt(args, 1));
      return [packed(b, low, convert(b, argAt(args, 0)))];
    };
  },
  'cvt.tf32.f32': (mods) => unary(tensor(mods)),
};
