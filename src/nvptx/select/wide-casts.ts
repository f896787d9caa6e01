// Selects conversions from and to integers of 65 to 128 bits.
import { InternalError } from '../../base/invariants.ts';
import { bitsOf, i1, i32, i64, isFloat, type ScalarType, type WideType } from '../ir/types.ts';
import { choose } from './choose.ts';
import { constantOf, floatSuffix, type Scalar } from './scalar.ts';
import { shiftWords } from './wide-shifts.ts';
import {
  fromWords,
  isNegative,
  leadingZeros,
  magnitude,
  negateIf,
  onWords,
  type Words,
  wordsOf,
  zeroWord,
} from './words.ts';
import type { Writer } from './writer.ts';

const double: ScalarType = { kind: 'double' };

/**
 * Converts scalars to a wide integer. `scalars` are the value of a scalar or of the wide type
 * `from`.
 */
export function castToWide(
  writer: Writer,
  code: string,
  scalars: readonly Scalar[],
  from: WideType | undefined,
  to: WideType,
): Scalar[] {
  const upper = code === 'sext' ? 'sign' : 'zero';
  const [first] = scalars;
  if (from !== undefined) return fromWords(writer, wordsOf(writer, scalars, upper), to);
  if (first === undefined) throw new InternalError('a conversion has an operand');
  if (isFloat(first.type)) return fromWords(writer, fromFloat(writer, first, code === 'fptosi'), to);
  const low = writer.resized(first, 64, upper);
  const high = upper === 'sign' ? writer.compute('shr.s64', i64, writer.operand(low), '63') : zeroWord;
  return fromWords(writer, [low, high], to);
}

/** Converts a wide integer to a float, rounded once: to the nearest, ties to even. */
export function wideToFloat(writer: Writer, words: Words, isSigned: boolean, type: ScalarType): Scalar {
  if (!isFloat(type)) throw new InternalError('a conversion to a float');
  if (type.kind === 'half' || type.kind === 'bfloat')
    return writer.unsupported(`a conversion of a wide integer to ${type.kind}`);
  const size = isSigned ? magnitude(writer, words) : words;
  // `shiftWords` returns the 64 bits from the highest 1 on. The lowest of these bits is also set if
  // any lower bit is set.
  const zeros = leadingZeros(writer, size);
  const [rest, highest] = shiftWords(writer, 'shl', size, zeros);
  const isInexact = writer.compute('setp.ne.b64', i1, rest.text, '0');
  const sticky = choose(writer, isInexact, constantOf(i64, 1n), zeroWord);
  const kept = onWords(writer, 'or.b64', highest, sticky);
  const name = type.kind === 'double' ? 'f64' : 'f32';
  const number = writer.compute(`cvt.rn.${name}.u64`, type, kept.text);
  const [bias, mantissa] = type.kind === 'double' ? [1023, 52] : [127, 23];
  const exponent = writer.compute('sub.s32', i32, String(bias + 64), zeros.text);
  const bits = type.kind === 'double' ? writer.resized(exponent, 64, 'zero') : exponent;
  const width = bitsOf(type);
  const placed = writer.compute(`shl.b${width}`, bits.type, bits.text, String(mantissa));
  const scale = writer.compute(`mov.b${width}`, type, placed.text);
  const scaled = writer.compute(`mul.rn.${name}`, type, number.text, scale.text);
  if (!isSigned) return scaled;
  return choose(writer, isNegative(writer, words), writer.compute(`neg.${name}`, type, scaled.text), scaled);
}

/**
 * Converts a float to a wide integer, toward zero. The computation of both words in f64 is exact.
 */
function fromFloat(writer: Writer, value: Scalar, isSigned: boolean): Words {
  if (value.type.kind === 'bfloat') return writer.unsupported('a conversion of bfloat to a wide integer');
  const number =
    value.type.kind === 'double'
      ? value
      : writer.compute(`cvt.f64.${floatSuffix(value.type)}`, double, writer.inRegister(value));
  const size = isSigned ? writer.compute('abs.f64', double, writer.operand(number)) : number;
  const down = constantOf(double, 0x3bf0000000000000n);
  const up = constantOf(double, 0xc3f0000000000000n);
  const scaled = writer.compute('mul.rn.f64', double, writer.operand(size), down.text);
  const whole = writer.compute('cvt.rzi.f64.f64', double, scaled.text);
  const low = writer.compute('fma.rn.f64', double, whole.text, up.text, writer.operand(size));
  const words: Words = [
    writer.compute('cvt.rzi.u64.f64', i64, low.text),
    writer.compute('cvt.rzi.u64.f64', i64, whole.text),
  ];
  if (!isSigned) return words;
  const isBelow = writer.compute('setp.lt.f64', i1, writer.operand(number), '0d0000000000000000');
  return negateIf(writer, isBelow, words);
}
