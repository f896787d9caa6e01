// f64 arithmetic, comparisons and conversions.
import type { DoubleRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Rounded, RoundedOp } from '../../ir/operations.ts';
import { comparisonRows } from './compare.ts';
import { floatToFloat, integerToFloat, integralRoundings } from './convert.ts';
import { classTest, roundingOf } from './float.ts';
import { argAt, binary, choice, type LaneBuild, type LaneRow, numberType, unary } from './row.ts';

const one = constant('f64', 0x3ff0_0000_0000_0000n);
const signBit = 1n << 63n;

const rounded =
  (op: RoundedOp, leading: readonly Value[] = []): LaneRow =>
  (mods) => {
    const attrs: Rounded = { rounding: roundingOf(mods), ftz: false };
    return (b, args) => [b.value(op, attrs, [...leading, ...args])];
  };

const bitsOf = (b: Builder, x: Value): Value => b.bitcast(x, 'i64');

/** Converts to an integer of any width. A NaN becomes the integer with only the top bit set. */
function toInteger(mods: Mods): LaneBuild {
  const { type, signed } = numberType(mods.dtype);
  const attrs = { to: type, signed, rounding: choice(integralRoundings, mods.rnd), ftz: false };
  return unary((b, x) => b.value('ftoi', attrs, [x]));
}

export const doubleRows: Readonly<Record<DoubleRowName, LaneRow>> = {
  'add.f64': rounded('fadd'),
  'sub.f64': rounded('fsub'),
  'mul.f64': rounded('fmul'),
  'fma.f64': rounded('ffma'),
  'mad.f64': rounded('ffma'),
  'div.f64': rounded('fdiv'),
  'rcp.f64': rounded('fdiv', [one]),
  'sqrt.f64': rounded('fsqrt'),
  'rcp.approx.ftz.f64': () => unary((b, x) => b.value('fapprox', { fn: 'rcp', ftz: true }, [x])),
  'rsqrt.approx.f64': () => unary((b, x) => b.value('fapprox', { fn: 'rsqrt', ftz: false }, [x])),
  'rsqrt.approx.ftz.f64': () => unary((b, x) => b.value('fapprox', { fn: 'rsqrt', ftz: true }, [x])),

  'abs.f64': () => unary((b, x) => b.value('fabs', { ftz: false }, [x])),
  'neg.f64': () => unary((b, x) => b.value('fneg', { ftz: false }, [x])),
  'min.f64': () => binary((b, x, y) => b.value('fmin', { ftz: false, nan: false }, [x, y])),
  'max.f64': () => binary((b, x, y) => b.value('fmax', { ftz: false, nan: false }, [x, y])),

  // Exchanges the sign with exclusive ors, for the same reason as copysign.f32.
  'copysign.f64': () => (b, args) => {
    const [from, to] = [bitsOf(b, argAt(args, 0)), bitsOf(b, argAt(args, 1))];
    return [b.bitcast(b.xor(to, b.and(b.xor(from, to), b.int('i64', signBit))), 'f64')];
  },
  'testp.f64': classTest,

  'setp.f64': comparisonRows.setp,
  'setp.bool.f64': comparisonRows.setpCombined,
  'set.f64': comparisonRows.set,
  'set.bool.f64': comparisonRows.setCombined,

  'cvt.f64': (mods) => {
    const { type, signed } = numberType(mods.atype);
    return type === 'f32' || type === 'f64'
      ? floatToFloat(mods, 'f64', type)
      : integerToFloat(mods, 'f64', { type, signed });
  },
  'cvt.from.f64': (mods) => (mods.dtype === 'f32' ? floatToFloat(mods, 'f32', 'f64') : toInteger(mods)),
};
