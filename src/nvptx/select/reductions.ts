// Selects reductions of the elements of a vector.
import { at } from '../../base/invariants.ts';
import { isFloat } from '../ir/types.ts';
import { floatIntrinsics } from './float-intrinsics.ts';
import { integerIntrinsics } from './integer-intrinsics.ts';
import { registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

const integers: ReadonlyMap<string, string> = new Map([
  ['add', 'add.s'],
  ['mul', 'mul.lo.s'],
  ['and', 'and.b'],
  ['or', 'or.b'],
  ['xor', 'xor.b'],
]);

/** The operations on one bit. */
const predicates: ReadonlyMap<string, string> = new Map([
  ['add', 'xor'],
  ['mul', 'and'],
  ['and', 'and'],
  ['or', 'or'],
  ['xor', 'xor'],
  ['umax', 'or'],
  ['umin', 'and'],
  ['smax', 'and'],
  ['smin', 'or'],
]);

const floatExtremes: ReadonlyMap<string, string> = new Map([
  ['fmin', 'minnum'],
  ['fmax', 'maxnum'],
  ['fminimum', 'minimum'],
  ['fmaximum', 'maximum'],
]);

/** Reduces the elements in order. A sum or product of floats begins with the scalar `start`. */
export function reduceVector(
  writer: Writer,
  operation: string,
  elements: readonly Scalar[],
  start: Scalar | undefined,
): Scalar {
  const all = start === undefined ? elements : [start, ...elements];
  return all.slice(1).reduce((sum, scalar) => combine(writer, operation, sum, scalar), at(all, 0, 'the element'));
}

function combine(writer: Writer, operation: string, a: Scalar, b: Scalar): Scalar {
  const { type } = a;
  if (isFloat(type)) {
    const extreme = floatIntrinsics.get(floatExtremes.get(operation) ?? '');
    if (extreme !== undefined) return extreme(writer, a, b);
    const opcode = { fadd: 'add', fmul: 'mul' }[operation];
    if (opcode === undefined || type.kind === 'bfloat')
      return writer.unsupported(`the reduction \`${operation}\` of ${type.kind}`);
    return writer.compute(`${opcode}.rn.${writer.floatName(type)}`, type, writer.operand(a), writer.operand(b));
  }
  if (registerBits(type) === 1) {
    const opcode = predicates.get(operation) ?? writer.unsupported(`the reduction \`${operation}\` of bits`);
    return writer.compute(`${opcode}.pred`, type, writer.inRegister(a), writer.inRegister(b));
  }
  const extreme = integerIntrinsics.get(operation);
  if (extreme !== undefined) return extreme(writer, a, b);
  const opcode = integers.get(operation) ?? writer.unsupported(`the reduction \`${operation}\``);
  return writer.compute(`${opcode}${registerBits(type)}`, type, writer.operand(a), writer.operand(b));
}
