// Selects LLVM's intrinsic functions of floats, element by element.
import { missing } from '../../base/invariants.ts';
import { bitsOf, type FloatType, i1, intType, isFloat, type ScalarType } from '../ir/types.ts';
import { widened } from './arithmetic.ts';
import { reinterpret } from './bits.ts';
import { choose } from './choose.ts';
import { convertFloat, convertible } from './float-casts.ts';
import { constantOf, floatSuffix, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** Selects one element of the result from the elements of the arguments. */
export type Element = (writer: Writer, ...args: Scalar[]) => Scalar;

const float: FloatType = { kind: 'float' };
/** Returns an argument that the intrinsic has. */
export const present = (scalar: Scalar | undefined): Scalar => scalar ?? missing('the argument');

const unary =
  (opcode: string): Element =>
  (writer, a) =>
    writer.compute(`${opcode}.${writer.floatName(a.type)}`, a.type, writer.operand(a));

/**
 * Selects an operation that PTX has only for f32 and f64. For f16 and bf16, the f32 result is
 * rounded again.
 */
const unaryOfSingle =
  (opcode: string): Element =>
  (writer, a) => {
    if (a.type.kind !== 'half' && a.type.kind !== 'bfloat') return unary(opcode)(writer, a);
    const single = writer.compute(`${opcode}.f32`, float, widened(writer, a));
    return convertFloat(writer, single, a.type);
  };

/** Selects a minimum or maximum. `nan` is the modifier after `.ftz`, as in `min.ftz.NaN.f32`. */
const extreme =
  (opcode: 'min' | 'max', nan = ''): Element =>
  (writer, a, b) => {
    const type = writer.floatName(a.type).replace('ftz.', `ftz${nan}.`);
    const name = type.startsWith('ftz') ? `${opcode}.${type}` : `${opcode}${nan}.${type}`;
    return writer.compute(name, a.type, writer.operand(a), writer.operand(present(b)));
  };

const rounded =
  (mode: string): Element =>
  (writer, a) =>
    writer.compute(`cvt.${mode}.${writer.floatName(a.type)}.${floatSuffix(a.type)}`, a.type, writer.inRegister(a));

const fma: Element = (writer, a, b, c) => {
  const operands = [a, b, c].map((scalar) => writer.operand(present(scalar)));
  return writer.compute(`fma.rn.${writer.floatName(a.type)}`, a.type, ...operands);
};

/** Selects an approximation, which clang uses only in code that permits it. */
const approximate =
  (opcode: string): Element =>
  (writer, a) => {
    if (a.type.kind !== 'float') return writer.unsupported(`an approximate function of ${a.type.kind}`);
    return unary(`${opcode}.approx`)(writer, a);
  };

/** The intrinsics by the part of the name between `llvm.` and the types. */
export const floatIntrinsics: ReadonlyMap<string, Element> = new Map<string, Element>([
  ['fabs', unary('abs')],
  ['sqrt', unaryOfSingle('sqrt.rn')],
  ['floor', rounded('rmi')],
  ['ceil', rounded('rpi')],
  ['trunc', rounded('rzi')],
  ['rint', rounded('rni')],
  ['nearbyint', rounded('rni')],
  ['roundeven', rounded('rni')],
  ['round', (writer, a) => roundAway(writer, a)],
  ['minnum', extreme('min')],
  ['maxnum', extreme('max')],
  ['minimumnum', extreme('min')],
  ['maximumnum', extreme('max')],
  ['minimum', extreme('min', '.NaN')],
  ['maximum', extreme('max', '.NaN')],
  ['fma', fma],
  ['fmuladd', fma],
  ['copysign', (writer, a, b) => copySign(writer, a, present(b))],
  ['sin', approximate('sin')],
  ['cos', approximate('cos')],
  ['exp2', approximate('ex2')],
  ['log2', approximate('lg2')],
]);

/** Returns the first operand with the sign of the second. */
function copySign(writer: Writer, a: Scalar, b: Scalar): Scalar {
  const bits = bitsOf(a.type);
  const type = intType(bits);
  const sign = 1n << BigInt(bits - 1);
  const mask = (scalar: Scalar, kept: bigint): string => {
    const whole = writer.inRegister(reinterpret(writer, scalar, type));
    return writer.compute(`and.b${bits}`, type, whole, String(BigInt.asIntN(bits, kept))).text;
  };
  const joined = writer.compute(`or.b${bits}`, type, mask(a, sign - 1n), mask(b, sign));
  return reinterpret(writer, joined, a.type);
}

/**
 * Rounds to the nearest integer, ties away from zero: truncates the magnitude, and adds one if the
 * fraction is at least a half.
 */
function roundAway(writer: Writer, a: Scalar): Scalar {
  const { type } = a;
  if (type.kind !== 'float' && type.kind !== 'double') return writer.unsupported(`\`llvm.round\` of ${type.kind}`);
  const name = floatSuffix(type);
  const [one, half] =
    type.kind === 'float' ? ['0f3F800000', '0f3F000000'] : ['0d3FF0000000000000', '0d3FE0000000000000'];
  const size = writer.compute(`abs.${name}`, type, writer.operand(a));
  const below = writer.compute(`cvt.rzi.${name}.${name}`, type, size.text);
  const rest = writer.compute(`sub.rn.${name}`, type, size.text, below.text);
  const next = writer.compute(`add.rn.${name}`, type, below.text, one);
  const isUp = writer.compute(`setp.ge.${name}`, i1, rest.text, half);
  return copySign(writer, choose(writer, isUp, next, below), a);
}

/**
 * Converts a float to an integer of `type`. Truncates towards zero, clamps to the range of the
 * type, and converts a NaN to zero.
 */
export function saturatingInteger(writer: Writer, value: Scalar, type: ScalarType, sign: 's' | 'u'): Scalar {
  if (!isFloat(value.type)) return writer.unsupported('this conversion');
  const [from, text] = convertible(writer, value);
  const bits = bitsOf(type);
  const width = bits > 32 ? 64 : 32;
  const wide = intType(width);
  const converted = writer.compute(`cvt.rzi.${sign}${width}.${from}`, wide, text);
  const isNan = writer.compute(`setp.nan.${from}`, i1, text, text);
  const number = choose(writer, isNan, constantOf(wide, 0n), converted);
  if (bits === width) return number;
  const greatest = (1n << BigInt(sign === 's' ? bits - 1 : bits)) - 1n;
  const below = writer.compute(`min.${sign}${width}`, wide, number.text, String(greatest));
  const bounded = sign === 'u' ? below : writer.compute(`max.s${width}`, wide, below.text, String(-greatest - 1n));
  return writer.resized(bounded, bits, 'zero');
}
