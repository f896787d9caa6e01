// Selects conversions from and to floats.
import { InternalError } from '../../base/invariants.ts';
import { bitsOf, type FloatType, i1, i32, intType, isFloat, type ScalarType } from '../ir/types.ts';
import { widened } from './arithmetic.ts';
import { floatSuffix, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

const float: FloatType = { kind: 'float' };

/** Returns `.ftz` if the function flushes f32 and the conversion reads or writes one. */
const flushOf = (writer: Writer, ...types: readonly ScalarType[]): string =>
  writer.flushes && types.some(({ kind }) => kind === 'float') ? '.ftz' : '';

/** Converts a float to another format. */
export function convertFloat(writer: Writer, scalar: Scalar, type: ScalarType): Scalar {
  const from = scalar.type;
  if (from.kind === type.kind) return scalar;
  if (from.kind === 'bfloat') {
    const single: Scalar = { ...scalar, type: float, text: widened(writer, scalar), constant: undefined };
    return convertFloat(writer, single, type);
  }
  if (type.kind === 'bfloat') return toBfloat(writer, scalar);
  const isHalf = from.kind === 'half' || type.kind === 'half';
  const flush = isHalf ? '' : flushOf(writer, from, type);
  const rounding = bitsOf(type) < bitsOf(from) ? '.rn' : '';
  const opcode = `cvt${rounding}${flush}.${floatSuffix(type)}.${floatSuffix(from)}`;
  return writer.compute(opcode, type, writer.inRegister(scalar));
}

function toBfloat(writer: Writer, scalar: Scalar): Scalar {
  if (scalar.type.kind === 'half') return toBfloat(writer, convertFloat(writer, scalar, float));
  if (scalar.type.kind === 'float')
    return writer.compute('cvt.rn.bf16.f32', { kind: 'bfloat' }, writer.inRegister(scalar));
  const text = writer.inRegister(scalar);
  const single = writer.compute('cvt.rz.f32.f64', float, text);
  const back = writer.compute('cvt.f64.f32', scalar.type, single.text);
  const isInexact = writer.compute('setp.ne.f64', i1, back.text, text);
  return roundOdd(writer, single, isInexact);
}

/**
 * Rounds an f32, which was truncated from an f64, to bf16. First sets the lowest bit if the f32 is
 * inexact, so that the second rounding is correct.
 */
function roundOdd(writer: Writer, single: Scalar, isInexact: Scalar): Scalar {
  const odd = writer.compute('selp.b32', i32, '1', '0', isInexact.text);
  const bits = writer.compute('mov.b32', i32, single.text);
  const marked = writer.compute('or.b32', i32, bits.text, odd.text);
  return writer.compute('cvt.rn.bf16.f32', { kind: 'bfloat' }, writer.compute('mov.b32', float, marked.text).text);
}

/** Returns PTX's type and the operand of a float to convert. A bf16 is converted as an f32. */
export const convertible = (writer: Writer, scalar: Scalar): [type: string, operand: string] =>
  scalar.type.kind === 'bfloat'
    ? ['f32', widened(writer, scalar)]
    : [floatSuffix(scalar.type), writer.inRegister(scalar)];

/** Converts a float to an integer, towards zero. */
export function floatToInteger(writer: Writer, scalar: Scalar, type: ScalarType, sign: 's' | 'u'): Scalar {
  const [from, text] = convertible(writer, scalar);
  const flush = flushOf(writer, scalar.type);
  if (registerBits(type) === 1) {
    const number = writer.compute(`cvt.rzi${flush}.${sign}32.${from}`, i32, text);
    const bit = writer.compute('and.b32', i32, number.text, '1');
    return writer.compute('setp.ne.b32', i1, bit.text, '0');
  }
  return writer.compute(`cvt.rzi${flush}.${sign}${registerBits(type)}.${from}`, type, text);
}

/** Converts an integer, whose upper bits are filled by `upper`, to a float. */
export function integerToFloat(writer: Writer, integer: Scalar, type: ScalarType, upper: 'zero' | 'sign'): Scalar {
  if (!isFloat(type)) throw new InternalError('a conversion to a float');
  const kind = `${upper === 'sign' ? 's' : 'u'}${registerBits(integer.type)}`;
  const text = writer.inRegister(integer);
  if (type.kind !== 'bfloat') return writer.compute(`cvt.rn.${floatSuffix(type)}.${kind}`, type, text);
  const single = writer.compute(`cvt.rz.f32.${kind}`, float, text);
  const whole = intType(registerBits(integer.type));
  const back = writer.compute(`cvt.rzi.${kind}.f32`, whole, single.text);
  return roundOdd(writer, single, writer.compute(`setp.ne.${kind}`, i1, back.text, text));
}
