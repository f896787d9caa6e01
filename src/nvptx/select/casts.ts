// Selects conversions.
import { InternalError } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { bitsOf, i1, i32, intType, isFloat, leavesOf, type ScalarType, type Type } from '../ir/types.ts';
import { floatSuffix, widened } from './arithmetic.ts';
import { rebuild } from './bits.ts';
import { constantOf, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

export function selectCast(writer: Writer, { code, value, type }: InstructionOf<'cast'>): Scalar[] {
  const scalars = writer.scalars(value);
  if (code === 'bitcast')
    return rebuild(
      writer,
      scalars,
      leavesOf(type).map(({ type: leaf }) => leaf),
    );
  const to = leavesOf(type);
  return scalars.map((scalar, index) => {
    const leaf = to[index];
    if (leaf === undefined) throw new InternalError('a conversion keeps the number of elements');
    return cast(writer, code, scalar, leaf.type, value.type);
  });
}

/** Converts a scalar, whose type in the IR is `from` or an element of it. */
function cast(writer: Writer, code: string, scalar: Scalar, type: ScalarType, from: Type): Scalar {
  switch (code) {
    case 'trunc':
      return truncated(writer, scalar, type);
    case 'zext':
    case 'sext': {
      const upper = code === 'zext' ? 'zero' : 'sign';
      if (registerBits(scalar.type) === 1) return fromPredicate(writer, scalar, type, upper);
      return writer.resized(scalar, bitsOf(type), upper);
    }
    case 'fpext':
    case 'fptrunc':
      return convertFloat(writer, scalar, type);
    case 'fptosi':
    case 'fptoui':
      return toInteger(writer, scalar, type, code === 'fptosi' ? 's' : 'u');
    case 'sitofp':
    case 'uitofp':
      return toFloat(writer, scalar, type, code === 'sitofp' ? 'sign' : 'zero');
    case 'ptrtoint':
    case 'ptrtoaddr': {
      // The integer is the address in the space that the IR names, whatever space the address is kept in.
      const text = writer.inRegister(writer.inSpace(scalar, from.kind === 'ptr' ? from.space : 0));
      return writer.resized(
        { ...scalar, type: intType(64), text, offset: 0, isSymbol: false, constant: undefined },
        bitsOf(type),
        'zero',
      );
    }
    case 'inttoptr':
      return { ...writer.resized(scalar, 64, 'zero'), type };
    case 'addrspacecast':
      // A cast to the generic space keeps the narrower address until something needs the other.
      return type.kind === 'ptr' && type.space !== 0 ? writer.inSpace(scalar, type.space) : scalar;
    default:
      throw new InternalError(`unknown conversion ${code}`);
  }
}

function truncated(writer: Writer, scalar: Scalar, type: ScalarType): Scalar {
  if (bitsOf(type) > 1) return writer.resized(scalar, bitsOf(type), 'zero');
  if (scalar.constant !== undefined) return constantOf(i1, scalar.constant);
  const width = registerBits(scalar.type);
  const bit = writer.compute(`and.b${width}`, scalar.type, scalar.text, '1');
  return writer.compute(`setp.ne.b${width}`, i1, bit.text, '0');
}

function fromPredicate(writer: Writer, scalar: Scalar, type: ScalarType, upper: 'zero' | 'sign'): Scalar {
  const one = upper === 'sign' ? '-1' : '1';
  if (scalar.constant !== undefined) return constantOf(type, upper === 'sign' ? -scalar.constant : scalar.constant);
  const width = registerBits(type);
  return { ...writer.compute(`selp.${upper === 'sign' ? 's' : 'u'}${width}`, type, one, '0', scalar.text), upper };
}

function convertFloat(writer: Writer, scalar: Scalar, type: ScalarType): Scalar {
  const to = floatSuffix(type);
  if (scalar.type.kind === 'bfloat') {
    const single = widened(writer, scalar);
    return type.kind === 'float'
      ? { ...scalar, type, text: single, constant: undefined }
      : writer.compute(`cvt.${to}.f32`, type, single);
  }
  const rounding = bitsOf(type) < bitsOf(scalar.type) ? '.rn' : '';
  return writer.compute(`cvt${rounding}.${to}.${floatSuffix(scalar.type)}`, type, writer.inRegister(scalar));
}

function toInteger(writer: Writer, scalar: Scalar, type: ScalarType, sign: 's' | 'u'): Scalar {
  const isShort = scalar.type.kind === 'bfloat';
  const from = isShort ? 'f32' : floatSuffix(scalar.type);
  const text = isShort ? widened(writer, scalar) : writer.inRegister(scalar);
  const width = Math.max(registerBits(type), 16);
  if (registerBits(type) === 1) {
    const number = writer.compute(`cvt.rzi.${sign}32.${from}`, i32, text);
    return truncated(writer, number, type);
  }
  return writer.compute(`cvt.rzi.${sign}${width}.${from}`, type, text);
}

function toFloat(writer: Writer, scalar: Scalar, type: ScalarType, upper: 'zero' | 'sign'): Scalar {
  if (!isFloat(type)) throw new InternalError('a conversion to a float');
  const integer =
    registerBits(scalar.type) === 1 ? fromPredicate(writer, scalar, i32, upper) : writer.extended(scalar, upper);
  const from = `${upper === 'sign' ? 's' : 'u'}${registerBits(integer.type)}`;
  const text = writer.inRegister(integer);
  if (type.kind !== 'bfloat') return writer.compute(`cvt.rn.${floatSuffix(type)}.${from}`, type, text);
  if (bitsOf(scalar.type) > 24) return writer.unsupported('a conversion of a wide integer to bfloat');
  const single = writer.compute(`cvt.rn.f32.${from}`, { kind: 'float' }, text);
  return writer.compute('cvt.rn.bf16.f32', type, single.text);
}
