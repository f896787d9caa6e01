// Selects conversions.
import { at, InternalError } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { bitsOf, i1, i32, intType, leavesOf, type ScalarType, type Type } from '../ir/types.ts';
import { rebuild } from './bits.ts';
import { convertFloat, floatToInteger, integerToFloat } from './float-casts.ts';
import { constantOf, registerBits, type Scalar } from './scalar.ts';
import { castToWide, wideToFloat } from './wide-casts.ts';
import { wordsOf } from './words.ts';
import type { Writer } from './writer.ts';

export function selectCast(writer: Writer, { code, value, type }: InstructionOf<'cast'>): Scalar[] {
  const scalars = writer.scalars(value);
  if (code === 'bitcast')
    return rebuild(
      writer,
      scalars,
      leavesOf(type).map(({ type: leaf }) => leaf),
    );
  if (type.kind === 'wide')
    return castToWide(writer, code, scalars, value.type.kind === 'wide' ? value.type : undefined, type);
  if (value.type.kind === 'wide') return [castFromWide(writer, code, scalars, type)];
  const to = leavesOf(type);
  return scalars.map((scalar, index) => {
    const leaf = to[index];
    if (leaf === undefined) throw new InternalError('a conversion keeps the number of elements');
    return cast(writer, code, scalar, leaf.type, value.type);
  });
}

function castFromWide(writer: Writer, code: string, scalars: readonly Scalar[], type: Type): Scalar {
  const { type: leaf } = at(leavesOf(type), 0, 'the scalar');
  if (code === 'trunc') return truncated(writer, at(scalars, 0, 'the low word'), leaf);
  if (code === 'inttoptr') return { ...at(scalars, 0, 'the low word'), type: leaf };
  const isSigned = code === 'sitofp';
  return wideToFloat(writer, wordsOf(writer, scalars, isSigned ? 'sign' : 'zero'), isSigned, leaf);
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
      return floatToInteger(writer, scalar, type, code === 'fptosi' ? 's' : 'u');
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

function toFloat(writer: Writer, scalar: Scalar, type: ScalarType, upper: 'zero' | 'sign'): Scalar {
  const integer =
    registerBits(scalar.type) === 1 ? fromPredicate(writer, scalar, i32, upper) : writer.extended(scalar, upper);
  return integerToFloat(writer, integer, type, upper);
}
