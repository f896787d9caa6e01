// f16 and bf16 values in words, zero-extended. WGSL's own f16 is optional, and WGSL does not
// specify its rounding. An operation is computed in f32 if a second rounding to the narrow type is
// exact, otherwise in integer arithmetic.
import type { FloatProfile } from '../../../base/float-profile.ts';
import { at } from '../../../base/invariants.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import type { Builder } from '../../ir/builder.ts';
import { constant, type Inst, type InstNamed, type Program, undef, type Value } from '../../ir/nodes.ts';
import type { Approximation, Rounding } from '../../ir/operations.ts';
import { type Type, widthOf } from '../../ir/types.ts';
import { halves, pairs, words } from '../calls.ts';
import { type Contents, type Family, type Lower, type Lowering, lowerProgram, type Plain } from '../lowering.ts';
import { one } from './float-values.ts';
import { halfComparisons, infinityOf } from './half-compare.ts';

type HalfType = 'f16' | 'bf16';

const isHalf = (type: Type | undefined): type is HalfType => type === 'f16' || type === 'bf16';

/** Returns the type of an operation whose operands have one type. */
const typeOf = (inst: Inst): HalfType => (inst.args[0]?.type === 'bf16' ? 'bf16' : 'f16');

const roundings: Readonly<Record<Rounding, number>> = { rn: 0, rz: 1, rm: 2, rp: 3 };

/** A flag that is added to the number of a rounding, so that subnormal results become zero. */
const FLUSH = 4;

const calls = [words.one, words.one, words.two, words.three, words.four];

/** Calls a prelude function from words to a word. */
const word = (lowering: Lowering, name: HelperName, ...args: readonly Value[]): Value =>
  one(lowering.call(at(calls, args.length, 'a function with this number of operands')(name), ...args));

const toF32 = (lowering: Lowering, value: Value, type: HalfType): Value =>
  one(lowering.call(halves.toF32(`${type}_to_f32`), value));

/** Returns the nearest value of a type. */
const fromF32 = (lowering: Lowering, value: Value, type: HalfType, { packHalf }: FloatProfile): Value =>
  type === 'f16' && packHalf === 'exact'
    ? one(lowering.call(halves.fromPairOfF32('f16_pack'), value, constant('f32', 0n)))
    : one(lowering.call(halves.fromF32(`${type}_from_f32`), value));

/**
 * Returns the value, or a zero if it is subnormal. bf16 has `.ftz` only in approximations, which
 * flush without this function.
 */
const flushed = (lowering: Lowering, value: Value): Value => word(lowering, 'f16_flush', value);

const operands = (lowering: Lowering, inst: Inst, ftz: boolean): readonly Value[] => {
  const args = lowering.args(inst);
  return ftz ? args.map((arg) => flushed(lowering, arg)) : args;
};

/**
 * Returns the operands of a sum as a * 1 + b, or of a product as a * b - 0. Only f16 needs this,
 * because bf16 does not flush.
 */
const asProductSum = (op: RoundedOp, { builder }: Lowering, [a, b, c]: readonly Value[]): readonly Value[] => {
  if (a === undefined || b === undefined) return [];
  if (op === 'ffma') return [a, b, ...(c ? [c] : [])];
  if (op === 'fmul') return [a, b, builder.i32(0x8000)];
  return [a, builder.i32(0x3c00), op === 'fadd' ? b : builder.xor(b, builder.i32(0x8000))];
};

type RoundedOp = 'fadd' | 'fsub' | 'fmul' | 'ffma';

const names: Readonly<Record<RoundedOp, 'add' | 'sub' | 'mul' | 'fma'>> = {
  fadd: 'add',
  fsub: 'sub',
  fmul: 'mul',
  ffma: 'fma',
};

const rounded = (lowering: Lowering, inst: InstNamed<RoundedOp>): readonly Value[] => {
  const { ftz } = inst.attrs;
  const type = typeOf(inst);
  const args = operands(lowering, inst, ftz);
  if (!ftz) return [word(lowering, `${type}_${names[inst.op]}`, ...args)];
  const how = lowering.builder.i32(FLUSH);
  return [word(lowering, `${type}_soft_fma`, ...asProductSum(inst.op, lowering, args), how)];
};

const signChange =
  (op: 'and' | 'xor', mask: number) =>
  (lowering: Lowering, inst: InstNamed<'fneg'> | InstNamed<'fabs'>): readonly Value[] => {
    const { builder } = lowering;
    return [builder[op](one(operands(lowering, inst, inst.attrs.ftz)), builder.i32(mask))];
  };

const extreme =
  (name: 'min' | 'max') =>
  (lowering: Lowering, inst: InstNamed<'fmin'> | InstNamed<'fmax'>): readonly Value[] => {
    const { ftz, nan } = inst.attrs;
    const helper: HelperName = nan ? `half_${name}_nan` : `half_${name}`;
    return [word(lowering, helper, ...operands(lowering, inst, ftz), infinityOf(lowering, typeOf(inst)))];
  };

const ones: Readonly<Record<HalfType, number>> = { f16: 0x3c00, bf16: 0x3f80 };

const saturated: Plain = (lowering, inst) => {
  const type = typeOf(inst);
  const unit = lowering.builder.i32(ones[type]);
  return [word(lowering, 'half_saturate', lowering.arg(inst, 0), unit, infinityOf(lowering, type))];
};

const canonical: Plain = (lowering, inst) => [
  word(lowering, 'half_canonical', lowering.arg(inst, 0), infinityOf(lowering, typeOf(inst))),
];

const approximations: Readonly<Partial<Record<Approximation, Readonly<Record<HalfType, HelperName>>>>> = {
  ex2: { f16: 'f16_ex2', bf16: 'bf16_ex2' },
  tanh: { f16: 'f16_tanh', bf16: 'bf16_tanh' },
};

const approximated: Lower<'fapprox'> = (lowering, inst) => {
  const helpers = approximations[inst.attrs.fn];
  return helpers && lowering.result(words.one(helpers[typeOf(inst)]), lowering.arg(inst, 0));
};

/**
 * Rounds a value to an integral value in f32, which represents every f16 and bf16 value, and every
 * integer to which such a value rounds.
 */
const integral =
  (float: FloatProfile): Lower<'fintegral'> =>
  (lowering, inst) => {
    const type = typeOf(inst);
    const wide = lowering.builder.value('fintegral', inst.attrs, [toF32(lowering, lowering.arg(inst, 0), type)]);
    return [fromF32(lowering, wide, type, float)];
  };

const toInteger: Lower<'ftoi'> = (lowering, inst) => {
  const type = inst.args[0]?.type;
  if (!isHalf(type)) return undefined;
  return [lowering.builder.value('ftoi', inst.attrs, [toF32(lowering, lowering.arg(inst, 0), type)])];
};

const fromInteger: Lower<'itof'> = (lowering, inst) => {
  const { builder } = lowering;
  const { to, signed, rounding } = inst.attrs;
  if (!isHalf(to)) return undefined;
  const number = lowering.arg(inst, 0);
  const how = builder.i32(roundings[rounding]);
  const type: Type = widthOf(number.type) === 64 ? 'i64' : 'i32';
  const wide = builder.resize(number, type, signed);
  const isNegative = builder.icmp('slt', wide, builder.int(type, 0));
  const size = signed ? builder.select(isNegative, builder.neg(wide), wide) : wide;
  const sign = signed ? builder.select(isNegative, builder.i32(0x8000), builder.i32(0)) : builder.i32(0);
  if (type === 'i32') return [word(lowering, `${to}_from_u32`, sign, size, how)];
  return lowering.result(halves.fromPair(`${to}_from_u64`), sign, ...builder.split(size), how);
};

/** Returns the f32 of an f16 that is converted to f64. A NaN keeps its payload. */
function withPayload(lowering: Lowering, value: Value, type: HalfType): Value {
  const { builder } = lowering;
  const wide = toF32(lowering, value, type);
  if (type === 'bf16') return wide;
  const sign = builder.shlw(builder.and(value, builder.i32(0x8000)), builder.i32(16));
  const size = builder.and(value, builder.i32(0x7fff));
  const bits = builder.or(builder.or(sign, builder.i32(0x7f80_0000)), builder.shlw(size, builder.i32(13)));
  const isNumber = builder.icmp('ule', size, infinityOf(lowering, type));
  return builder.select(isNumber, wide, builder.bitcast(bits, 'f32'));
}

/**
 * Lowers conversions to f32, which are exact, and from f32. For roundings other than to nearest, a
 * prelude function rounds the bits.
 */
const converted =
  (float: FloatProfile): Lower<'ftof'> =>
  (lowering, inst) => {
    const { builder } = lowering;
    const { to, rounding, ftz } = inst.attrs;
    const from = inst.args[0]?.type;
    const source = lowering.arg(inst, 0);
    const how = builder.i32(roundings[rounding]);
    if (to === 'f64')
      return isHalf(from) ? [builder.value('ftof', inst.attrs, [withPayload(lowering, source, from)])] : undefined;
    if (from === 'f64' && isHalf(to))
      return lowering.result(pairs.toWordBy(`${to}_from_f64`), ...builder.split(builder.bitcast(source, 'i64')), how);
    const wide = isHalf(from) ? toF32(lowering, source, from) : source;
    if (to === 'f32') return [ftz ? builder.value('fcanonical', {}, [builder.value('fflush', {}, [wide])]) : wide];
    if (!isHalf(to)) return undefined;
    const value = ftz ? builder.value('fflush', {}, [wide]) : wide;
    if (rounding === 'rn') return [fromF32(lowering, value, to, float)];
    return [word(lowering, `${to}_rounded`, builder.bitcast(value, 'i32'), how)];
  };

const cast: Lower<'bitcast'> = (lowering, inst) => {
  const { builder } = lowering;
  const value = lowering.arg(inst, 0);
  if (isHalf(inst.attrs.to)) return [isHalf(inst.args[0]?.type) ? value : builder.resize(value, 'i32')];
  return [builder.resize(value, inst.attrs.to)];
};

const family = (float: FloatProfile): Family => ({
  parts: (type) => (isHalf(type) ? ['i32'] : undefined),
  literal: (value) => [value.kind === 'constant' ? constant('i32', value.bits) : undef('i32')],
  rules: {
    fadd: rounded,
    fsub: rounded,
    fmul: rounded,
    ffma: rounded,
    fneg: signChange('xor', 0x8000),
    fabs: signChange('and', 0x7fff),
    fmin: extreme('min'),
    fmax: extreme('max'),
    fsaturate: saturated,
    fflush: (lowering, inst) => [flushed(lowering, lowering.arg(inst, 0))],
    fcanonical: canonical,
    fapprox: approximated,
    fintegral: integral(float),
    ftoi: toInteger,
    itof: fromInteger,
    ftof: converted(float),
    bitcast: cast,
    ...halfComparisons,
  },
});

export const legalizeHalf = (program: Program, builder: Builder, float: FloatProfile, contents?: Contents): void =>
  lowerProgram(program, builder, family(float), contents);
