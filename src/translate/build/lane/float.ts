// f32 arithmetic. Operations here round as PTX specifies; legalization chooses the implementation
// for an adapter.
import type { FloatRowName, Mods } from '../../../isa/index.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Value } from '../../ir/nodes.ts';
import type { Approximation, FloatClass, Rounded, RoundedOp, Rounding } from '../../ir/operations.ts';
import { argAt, binary, choice, helper, type LaneBuild, type LaneRow, unary } from './row.ts';

const roundings: Readonly<Record<string, Rounding>> = { rn: 'rn', rz: 'rz', rm: 'rm', rp: 'rp' };

/** Returns the rounding that `.rnd` names; the default is to nearest. */
export const roundingOf = ({ rnd = 'rn' }: Mods): Rounding => choice(roundings, rnd);

const one = constant('f32', 0x3f80_0000n);
const withSign = helper('f32_with_sign', ['f32', 'u32'], 'f32');

/**
 * Builds a correctly rounded operation. The `leading` arguments precede those of the instruction.
 */
function rounded(op: RoundedOp, leading: readonly Value[] = []): LaneRow {
  return (mods) => {
    const attrs: Rounded = { rounding: roundingOf(mods), ftz: mods.ftz !== undefined };
    const saturates = mods.sat !== undefined;
    return (b, args) => {
      const value = b.value(op, attrs, leading.length === 0 ? args : [...leading, ...args]);
      return [saturates ? b.value('fsaturate', {}, [value]) : value];
    };
  };
}

const approximation =
  (fn: Approximation): LaneRow =>
  ({ ftz }) => {
    const attrs = { fn, ftz: ftz !== undefined };
    return unary((b, x) => b.value('fapprox', attrs, [x]));
  };

/** Builds a change of the sign. A NaN becomes the canonical NaN, as on NVIDIA's hardware. */
const signChange =
  (op: 'fneg' | 'fabs'): LaneRow =>
  ({ ftz }) => {
    const attrs = { ftz: ftz !== undefined };
    return unary((b, x) => b.value('fcanonical', {}, [b.value(op, attrs, [x])]));
  };

const bitsOf = (b: Builder, x: Value): Value => b.bitcast(x, 'i32');
const magnitude = (b: Builder, x: Value): Value => b.bitcast(b.and(bitsOf(b, x), b.i32(0x7fff_ffff)), 'f32');

function extreme(op: 'fmin' | 'fmax'): LaneRow {
  return (mods) => {
    const attrs = { ftz: mods.ftz !== undefined, nan: mods.NaN !== undefined };
    const { abs, xorsign } = mods;
    return ((b, args) => {
      const compared = abs === undefined ? args : args.map((arg) => magnitude(b, arg));
      const result = compared.reduce((x, y) => b.value(op, attrs, [x, y]));
      if (xorsign === undefined) return [result];
      const sign = args.map((arg) => bitsOf(b, arg)).reduce((x, y) => b.xor(x, y));
      return [withSign(b, result, sign)];
    }) satisfies LaneBuild;
  };
}

const classes: Readonly<Record<string, FloatClass>> = {
  finite: 'finite',
  infinite: 'infinite',
  number: 'number',
  notanumber: 'notanumber',
  normal: 'normal',
  subnormal: 'subnormal',
};

/** Whether a float of any type belongs to the class that `.op` names. */
export const classTest: LaneRow = ({ op }) => {
  const attrs = { test: choice(classes, op) };
  return unary((b, x) => b.value('fclass', attrs, [x]));
};

export const floatRows: Readonly<Record<FloatRowName, LaneRow>> = {
  'add.f32': rounded('fadd'),
  'sub.f32': rounded('fsub'),
  'mul.f32': rounded('fmul'),
  'fma.f32': rounded('ffma'),
  'mad.f32': rounded('ffma'),
  'div.f32': rounded('fdiv'),
  'rcp.f32': rounded('fdiv', [one]),
  'sqrt.f32': rounded('fsqrt'),

  'div.approx.f32': ({ mode, ftz }) => {
    const attrs = { ftz: ftz !== undefined, full: mode === 'full' };
    return binary((b, x, y) => b.value('fdivapprox', attrs, [x, y]));
  },
  'rcp.approx.f32': approximation('rcp'),
  'sqrt.approx.f32': approximation('sqrt'),
  'rsqrt.approx.f32': approximation('rsqrt'),
  'sin.approx.f32': approximation('sin'),
  'cos.approx.f32': approximation('cos'),
  'lg2.approx.f32': approximation('lg2'),
  'ex2.approx.f32': approximation('ex2'),
  'tanh.approx.f32': approximation('tanh'),

  'abs.f32': signChange('fabs'),
  'neg.f32': signChange('fneg'),
  'min.f32': extreme('fmin'),
  'max.f32': extreme('fmax'),

  // With separate masks for sign and magnitude, LLVM compiled a `copysign` under a condition to wrong
  // code (lavapipe and SwiftShader on a processor with AVX-512). So exclusive ors replace the sign.
  'copysign.f32': () => (b, args) => {
    const [from, to] = [bitsOf(b, argAt(args, 0)), bitsOf(b, argAt(args, 1))];
    return [b.bitcast(b.xor(to, b.and(b.xor(from, to), b.i32(0x8000_0000))), 'f32')];
  },

  'testp.f32': classTest,
};
