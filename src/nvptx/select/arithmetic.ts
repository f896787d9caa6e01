// Selects binary and unary arithmetic.
import { at, get } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { i1, i32, isFloat, type ScalarType } from '../ir/types.ts';
import type { Fusion } from './fusion.ts';
import { floatSuffix, registerBits, type Scalar } from './scalar.ts';
import { selectWideBinary } from './wide-integers.ts';
import { compareWide } from './words.ts';
import type { Writer } from './writer.ts';

/**
 * By LLVM's name: the opcode of an integer operation, and the required contents of the bits above
 * the width of its operands.
 */
const integers: ReadonlyMap<string, { readonly opcode: string; readonly upper?: 'zero' | 'sign' }> = new Map([
  ['add', { opcode: 'add.s' }],
  ['sub', { opcode: 'sub.s' }],
  ['mul', { opcode: 'mul.lo.s' }],
  ['and', { opcode: 'and.b' }],
  ['or', { opcode: 'or.b' }],
  ['xor', { opcode: 'xor.b' }],
  ['udiv', { opcode: 'div.u', upper: 'zero' }],
  ['urem', { opcode: 'rem.u', upper: 'zero' }],
  ['sdiv', { opcode: 'div.s', upper: 'sign' }],
  ['srem', { opcode: 'rem.s', upper: 'sign' }],
  ['shl', { opcode: 'shl.b' }],
  ['lshr', { opcode: 'shr.u', upper: 'zero' }],
  ['ashr', { opcode: 'shr.s', upper: 'sign' }],
]);
const shifts = new Set(['shl', 'lshr', 'ashr']);

/** The operations on predicates. On one bit, addition is `xor` and multiplication is `and`. */
const predicates: ReadonlyMap<string, string> = new Map([
  ['add', 'xor.pred'],
  ['sub', 'xor.pred'],
  ['mul', 'and.pred'],
  ['and', 'and.pred'],
  ['or', 'or.pred'],
  ['xor', 'xor.pred'],
]);

const floats: ReadonlyMap<string, string> = new Map([
  ['fadd', 'add.rn'],
  ['fsub', 'sub.rn'],
  ['fmul', 'mul.rn'],
  ['fdiv', 'div.rn'],
]);

export function selectBinary(
  writer: Writer,
  instruction: InstructionOf<'binary'>,
  fusion: Fusion,
): Scalar[] | undefined {
  const fused = fusion.productOf(instruction);
  if (fused !== undefined) return fuse(writer, fused);
  if (fusion.isFused(instruction)) return undefined;
  if (instruction.type.kind === 'wide') return selectWideBinary(writer, instruction, instruction.type);
  const left = writer.scalars(instruction.left);
  const right = writer.scalars(instruction.right);
  return left.map((scalar, index) => binary(writer, instruction.code, scalar, at(right, index, 'the right operand')));
}

function binary(writer: Writer, code: string, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (isFloat(type)) return floatBinary(writer, code, left, right);
  if (type.kind === 'int' && type.bits === 1) return predicateBinary(writer, code, left, right);
  const { opcode, upper } = get(integers, code, 'the operation');
  const width = registerBits(type);
  const first = upper === undefined ? left : writer.extended(left, upper);
  const second = shifts.has(code)
    ? writer.resized(right, 32, 'zero')
    : upper === undefined
      ? right
      : writer.extended(right, upper);
  return writer.compute(`${opcode}${width}`, type, writer.operand(first), writer.operand(second));
}

/**
 * Selects an operation on predicates. A shift of one bit by a defined amount, and a quotient by a
 * nonzero bit, return the left operand.
 */
function predicateBinary(writer: Writer, code: string, left: Scalar, right: Scalar): Scalar {
  const opcode = predicates.get(code);
  if (opcode === undefined) return left;
  return writer.compute(opcode, i1, writer.inRegister(left), writer.inRegister(right));
}

function floatBinary(writer: Writer, code: string, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (code === 'frem') return remainder(writer, left, right);
  const opcode = floats.get(code);
  if (opcode === undefined) return writer.unsupported(`\`${code}\``);
  if (type.kind === 'half' || type.kind === 'bfloat') return shortBinary(writer, code, left, right);
  return writer.compute(`${opcode}.${writer.floatName(type)}`, type, writer.operand(left), writer.operand(right));
}

/** Selects `frem` with the steps of LLVM's back end, which are exact only for small quotients. */
function remainder(writer: Writer, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (type.kind !== 'float' && type.kind !== 'double') return writer.unsupported(`\`frem\` of ${type.kind}`);
  const [name, exact] = [writer.floatName(type), floatSuffix(type)];
  const [a, b] = [writer.operand(left), writer.operand(right)];
  const quotient = writer.compute(`div.rn.${name}`, type, a, b);
  const whole = writer.compute(`cvt.rzi.${name}.${exact}`, type, quotient.text);
  const product = writer.compute(`mul.rn.${name}`, type, whole.text, b);
  const difference = writer.compute(`sub.rn.${name}`, type, a, product.text);
  const isInfinite = writer.compute(`testp.infinite.${exact}`, i1, writer.inRegister(right));
  return writer.compute(`selp.${exact}`, type, a, difference.text, isInfinite.text);
}

/**
 * Selects arithmetic on f16 and bf16. PTX has divisions only of f32 and f64. If a quotient in f32
 * is rounded to f16 or bf16, the result is correctly rounded, because f32 has at least twice as
 * many bits plus two. Arithmetic on bf16 uses `fma`, which targets before sm_90 also have.
 */
function shortBinary(writer: Writer, code: string, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (code === 'fdiv') {
    const quotient = writer.compute('div.rn.f32', { kind: 'float' }, widened(writer, left), widened(writer, right));
    return writer.compute(`cvt.rn.${floatSuffix(type)}.f32`, type, quotient.text);
  }
  const [a, b] = [writer.inRegister(left), writer.inRegister(right)];
  if (type.kind === 'half') return writer.compute(`${code.slice(1)}.rn.f16`, type, a, b);
  const constant = (bits: number): string => writer.compute('mov.b16', type, String(bits)).text;
  const [one, minusOne, minusZero] = [0x3f80, 0xbf80, 0x8000];
  if (code === 'fmul') return writer.compute('fma.rn.bf16', type, a, b, constant(minusZero));
  if (code === 'fadd') return writer.compute('fma.rn.bf16', type, a, constant(one), b);
  return writer.compute('fma.rn.bf16', type, b, constant(minusOne), a);
}

/** Converts an f16 or bf16 to f32. Returns the register. */
export function widened(writer: Writer, scalar: Scalar): string {
  const float: ScalarType = { kind: 'float' };
  const text = writer.inRegister(scalar);
  if (scalar.type.kind === 'half') return writer.compute('cvt.f32.f16', float, text).text;
  const word = writer.compute('cvt.u32.u16', i32, text);
  return writer.compute('mov.b32', float, writer.compute('shl.b32', i32, word.text, '16').text).text;
}

/** Selects `fma.rn` for a sum of a product. */
function fuse(
  writer: Writer,
  { product, addend, negateProduct, negateAddend }: NonNullable<ReturnType<Fusion['productOf']>>,
): Scalar[] {
  const left = writer.scalars(product.left);
  const right = writer.scalars(product.right);
  return writer.scalars(addend).map((third, index) => {
    const { type } = third;
    const factor = at(left, index, 'the left factor');
    const first = negateProduct ? negated(writer, factor) : writer.operand(factor);
    const last = negateAddend ? negated(writer, third) : writer.operand(third);
    return writer.compute(
      `fma.rn.${writer.floatName(type)}`,
      type,
      first,
      writer.operand(at(right, index, 'the right factor')),
      last,
    );
  });
}

const negated = (writer: Writer, scalar: Scalar): string => negate(writer, scalar).text;

export function negate(writer: Writer, scalar: Scalar): Scalar {
  const { type } = scalar;
  return writer.compute(`neg.${writer.floatName(type)}`, type, writer.operand(scalar));
}

export function selectUnary(writer: Writer, { value }: InstructionOf<'unary'>): Scalar[] {
  return writer.scalars(value).map((scalar) => negate(writer, scalar));
}

const comparisons: ReadonlyMap<string, string> = new Map([
  ['eq', 'eq'],
  ['ne', 'ne'],
  ['ugt', 'gt'],
  ['uge', 'ge'],
  ['ult', 'lt'],
  ['ule', 'le'],
  ['sgt', 'gt'],
  ['sge', 'ge'],
  ['slt', 'lt'],
  ['sle', 'le'],
]);

/**
 * PTX's float comparisons, by LLVM's names. Ordered comparisons are false for a NaN; the
 * comparisons whose names end in `u` are true.
 */
const floatComparisons: ReadonlyMap<string, string> = new Map([
  ['oeq', 'eq'],
  ['ogt', 'gt'],
  ['oge', 'ge'],
  ['olt', 'lt'],
  ['ole', 'le'],
  ['one', 'ne'],
  ['ord', 'num'],
  ['ueq', 'equ'],
  ['ugt', 'gtu'],
  ['uge', 'geu'],
  ['ult', 'ltu'],
  ['ule', 'leu'],
  ['une', 'neu'],
  ['uno', 'nan'],
]);

export function selectCompare(writer: Writer, { code, left, right }: InstructionOf<'compare'>): Scalar[] {
  const [kind = '', relation = ''] = code.split(' ');
  const second = writer.scalars(right);
  if (left.type.kind === 'wide') return [compareWide(writer, relation, writer.scalars(left), second)];
  return writer.scalars(left).map((scalar, index) => {
    const other = at(second, index, 'the right operand');
    return kind === 'fcmp'
      ? compareFloats(writer, relation, scalar, other)
      : compareIntegers(writer, relation, scalar, other);
  });
}

function compareFloats(writer: Writer, relation: string, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  const opcode = get(floatComparisons, relation, 'the comparison');
  if (type.kind === 'bfloat')
    return writer.compute(`setp.${opcode}.f32`, i1, widened(writer, left), widened(writer, right));
  return writer.compute(`setp.${opcode}.${writer.floatName(type)}`, i1, writer.operand(left), writer.operand(right));
}

export function compareIntegers(writer: Writer, relation: string, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  const opcode = get(comparisons, relation, 'the comparison');
  if (type.kind === 'ptr') return comparePointers(writer, opcode, left, right);
  const upper = relation.startsWith('s') ? 'sign' : 'zero';
  // PTX has no order for predicates. As a signed number, a true bit is -1.
  const width = registerBits(type) === 1 ? 32 : registerBits(type);
  const kind = upper === 'sign' ? 's' : relation === 'eq' || relation === 'ne' ? 'b' : 'u';
  const comparable = (scalar: Scalar): Scalar =>
    registerBits(type) === 1 ? writer.resized(scalar, 32, upper) : writer.extended(scalar, upper);
  const [a, b] = [comparable(left), comparable(right)];
  return writer.compute(`setp.${opcode}.${kind}${width}`, i1, writer.operand(a), writer.operand(b));
}

function comparePointers(writer: Writer, opcode: string, left: Scalar, right: Scalar): Scalar {
  const same = left.type.kind === 'ptr' && right.type.kind === 'ptr' && left.type.space === right.type.space;
  const [a, b] = same ? [left, right] : [writer.generic(left), writer.generic(right)];
  return writer.compute(`setp.${opcode}.u64`, i1, writer.inRegister(a), writer.operand(b));
}
