// Selects conversions.
import { at, InternalError } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { bitsOf, intType, leavesOf, type ScalarType, type Type } from '../ir/types.ts';
import { rebuild } from './bits.ts';
import { convertFloat, floatToInteger, integerToFloat } from './float-casts.ts';
import { registerBits, type Scalar } from './scalar.ts';
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
  if (code === 'trunc') return writer.resized(at(scalars, 0, 'the low word'), bitsOf(leaf), 'zero');
  if (code === 'inttoptr') return { ...at(scalars, 0, 'the low word'), type: leaf };
  const isSigned = code === 'sitofp';
  return wideToFloat(writer, wordsOf(writer, scalars, isSigned ? 'sign' : 'zero'), isSigned, leaf);
}

/** Converts a scalar. `from` is the type of the scalar in the IR, or a vector of that type. */
function cast(writer: Writer, code: string, scalar: Scalar, type: ScalarType, from: Type): Scalar {
  switch (code) {
    case 'trunc':
      return writer.resized(scalar, bitsOf(type), 'zero');
    case 'zext':
    case 'sext':
      return writer.resized(scalar, bitsOf(type), code === 'zext' ? 'zero' : 'sign');
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
      // The integer must be the address in the space that the IR specifies, which may differ from
      // the space of the scalar.
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
      // A cast to the generic space keeps the narrower address until an operation needs a generic
      // address.
      return type.kind === 'ptr' && type.space !== 0 ? writer.inSpace(scalar, type.space) : scalar;
    default:
      throw new InternalError(`unknown conversion ${code}`);
  }
}

function toFloat(writer: Writer, scalar: Scalar, type: ScalarType, upper: 'zero' | 'sign'): Scalar {
  const integer = registerBits(scalar.type) === 1 ? writer.resized(scalar, 32, upper) : writer.extended(scalar, upper);
  return integerToFloat(writer, integer, type, upper);
}
