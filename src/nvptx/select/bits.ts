// Packs scalars into wider ones and unpacks them, for `bitcast` and for unaligned accesses.
import { at, InternalError } from '../../base/invariants.ts';
import { bitsOf, intType, type ScalarType } from '../ir/types.ts';
import { classOf, constantOf, inRegister, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** Returns scalars of `types` with the bits of `scalars`, from the lowest to the highest. */
export function rebuild(writer: Writer, scalars: readonly Scalar[], types: readonly ScalarType[]): Scalar[] {
  const whole = scalars.every((scalar, index) => {
    const type = types[index];
    return type !== undefined && bitsOf(type) === bitsOf(scalar.type);
  });
  if (whole) return scalars.map((scalar, index) => reinterpret(writer, scalar, at(types, index, 'the type')));
  const sources = scalars.map((scalar) => reinterpret(writer, scalar, intType(bitsOf(scalar.type))));
  const results: Scalar[] = [];
  let position = 0;
  const source = sources[0];
  if (source === undefined) return [];
  const step = bitsOf(source.type);
  for (const type of types) {
    const bits = bitsOf(type);
    results.push(reinterpret(writer, slice(writer, sources, step, position, bits), type));
    position += bits;
  }
  return results;
}

/**
 * Returns `bits` bits from `position` of the concatenated sources, each of `step` bits, as an
 * integer.
 */
function slice(writer: Writer, sources: readonly Scalar[], step: number, position: number, bits: number): Scalar {
  const first = Math.floor(position / step);
  if (bits <= step) {
    const source = at(sources, first, 'the source');
    const shift = position % step;
    if (shift + bits > step) return writer.unsupported('this bitcast');
    if (step === 1) return source;
    return writer.resized(shifted(writer, source, 'shr.u', shift), bits, 'zero');
  }
  if (bits > 64 || bits % step !== 0) return writer.unsupported('this bitcast');
  const parts = sources.slice(first, first + bits / step);
  if (step === 16 || step === 32) return joined(writer, parts, bits);
  const type = intType(bits);
  return parts.reduce(
    (sum, part, index) => {
      const wide = writer.resized(part, bits, 'zero');
      const placed = shifted(writer, wide, 'shl.b', index * step);
      if (index === 0) return placed;
      return writer.compute(`or.b${registerBits(type)}`, type, writer.operand(sum), writer.operand(placed));
    },
    constantOf(type, 0n),
  );
}

/** Joins halves or words with `mov`. */
function joined(writer: Writer, parts: readonly Scalar[], bits: number): Scalar {
  const texts = parts.map((part) => writer.inRegister(part));
  return writer.compute(`mov.b${bits}`, intType(bits), `{${texts.join(', ')}}`);
}

function shifted(writer: Writer, scalar: Scalar, opcode: 'shr.u' | 'shl.b', amount: number): Scalar {
  if (amount === 0) return scalar;
  const { type, constant } = scalar;
  if (constant !== undefined)
    return constantOf(type, opcode === 'shl.b' ? constant << BigInt(amount) : constant >> BigInt(amount));
  const source = opcode === 'shr.u' ? writer.extended(scalar, 'zero') : scalar;
  return writer.compute(`${opcode}${registerBits(type)}`, type, source.text, String(amount));
}

/** Returns a scalar of another type of the same width with the same bits. */
export function reinterpret(writer: Writer, scalar: Scalar, type: ScalarType): Scalar {
  if (type.kind === scalar.type.kind) return scalar;
  if (bitsOf(type) !== bitsOf(scalar.type)) throw new InternalError('a reinterpretation keeps the width');
  if (scalar.type.kind === 'ptr') return inRegister(type, writer.inRegister(writer.generic(scalar)));
  if (scalar.constant !== undefined) return constantOf(type, scalar.constant);
  const [from, to] = [classOf(scalar.type), classOf(type)];
  if (from === to) return { ...scalar, type };
  return writer.compute(`mov.b${registerBits(type)}`, type, scalar.text);
}
