// Selects calls of LLVM's intrinsic functions that exist on every target.
import { at } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { bitsOf, i1, i32, intType, isFloat, leavesOf, type ScalarType } from '../ir/types.ts';
import { floatSuffix } from './arithmetic.ts';
import { rebuild, reinterpret } from './bits.ts';
import { copyMemory, setMemory } from './block-memory.ts';
import { isOfClass } from './float-class.ts';
import { selectNvvm } from './nvvm.ts';
import { constantOf, isNarrow, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

type Call = InstructionOf<'call'>;
/** Selects one element of the result from the elements of the arguments. */
type Element = (writer: Writer, ...args: Scalar[]) => Scalar;

/** Intrinsics that only inform the optimizer. */
const ignored =
  /^llvm\.(lifetime|assume|dbg|invariant|experimental\.noalias|donothing|sideeffect|var\.annotation|prefetch|stacksave|stackrestore)/;
/** Intrinsics whose value is their first argument. */
const transparent = /^llvm\.(expect|launder|strip|annotation|ptr\.annotation|ssa\.copy|arithmetic\.fence)/;

const float =
  (opcode: string): Element =>
  (writer, a) =>
    writer.compute(`${opcode}.${floatSuffix(a.type)}`, a.type, writer.operand(a));
const float2 =
  (opcode: string): Element =>
  (writer, a, b) =>
    writer.compute(`${opcode}.${floatSuffix(a.type)}`, a.type, writer.operand(a), operandOf(writer, b));
const rounded =
  (mode: string): Element =>
  (writer, a) => {
    const type = floatSuffix(a.type);
    return writer.compute(`cvt.${mode}.${type}.${type}`, a.type, writer.inRegister(a));
  };
const extreme =
  (opcode: 'min' | 'max', upper: 'zero' | 'sign'): Element =>
  (writer, a, b) => {
    const { type } = a;
    const kind = `${upper === 'sign' ? 's' : 'u'}${registerBits(type)}`;
    const [first, second] = [writer.extended(a, upper), writer.extended(present(b), upper)];
    return { ...writer.compute(`${opcode}.${kind}`, type, writer.operand(first), writer.operand(second)), upper };
  };
const present = (scalar: Scalar | undefined): Scalar =>
  at(
    [scalar].filter((item) => item !== undefined),
    0,
    'the argument',
  );
const operandOf = (writer: Writer, scalar: Scalar | undefined): string => writer.operand(present(scalar));

/** By the name between `llvm.` and the types. */
const elementwise: ReadonlyMap<string, Element> = new Map<string, Element>([
  ['fabs', float('abs')],
  ['sqrt', float('sqrt.rn')],
  ['floor', rounded('rmi')],
  ['ceil', rounded('rpi')],
  ['trunc', rounded('rzi')],
  ['rint', rounded('rni')],
  ['nearbyint', rounded('rni')],
  ['roundeven', rounded('rni')],
  ['minnum', float2('min')],
  ['maxnum', float2('max')],
  ['minimumnum', float2('min')],
  ['maximumnum', float2('max')],
  ['minimum', float2('min.NaN')],
  ['maximum', float2('max.NaN')],
  ['fma', (writer, a, b, c) => fma(writer, a, b, c)],
  ['fmuladd', (writer, a, b, c) => fma(writer, a, b, c)],
  ['copysign', (writer, a, b) => copySign(writer, a, present(b))],
  ['smin', extreme('min', 'sign')],
  ['smax', extreme('max', 'sign')],
  ['umin', extreme('min', 'zero')],
  ['umax', extreme('max', 'zero')],
  ['abs', absolute],
  ['ctpop', (writer, a) => fromWord(writer, 'popc', writer.extended(a, 'zero'), a.type)],
  ['ctlz', countLeadingZeros],
  ['cttz', countTrailingZeros],
  ['bitreverse', reverseBits],
  ['bswap', swapBytes],
  ['fshl', (writer, a, b, c) => funnel(writer, 'l', a, present(b), present(c))],
  ['fshr', (writer, a, b, c) => funnel(writer, 'r', a, present(b), present(c))],
  ['uadd.sat', (writer, a, b) => saturateUnsigned(writer, 'add', a, present(b))],
  ['usub.sat', (writer, a, b) => saturateUnsigned(writer, 'sub', a, present(b))],
]);

/** Selects a call of an intrinsic. Returns undefined if its name is not known. */
export function selectIntrinsic(writer: Writer, name: string, call: Call): Scalar[] | undefined {
  if (ignored.test(name)) return [];
  const { args, type } = call;
  const first = args[0]?.value;
  if (transparent.test(name) && first !== undefined) return [...writer.scalars(first)];
  if (name.startsWith('llvm.nvvm.')) return selectNvvm(writer, name, call);
  const base = name.replace(/^llvm\./, '').replace(/(\.(v\d+)?[ifp]\d+|\.(v\d+)?bf16)+$/, '');
  const element = elementwise.get(base);
  if (element !== undefined) {
    // The last argument of `abs`, `ctlz` and `cttz` is a flag.
    const lists = args.filter(({ value }) => value.type.kind === type.kind).map(({ value }) => writer.scalars(value));
    const values = lists.filter((list) => list.length === leavesOf(type).length);
    return leavesOf(type).map((_, index) => {
      const [a, ...rest] = values.map((list) => at(list, index, 'the element'));
      return element(writer, present(a), ...rest);
    });
  }
  return selectOther(writer, base, call);
}

function selectOther(writer: Writer, base: string, { args, type }: Call): Scalar[] | undefined {
  const values = args.map(({ value }) => value);
  const [a, b, c] = values;
  if (/^mem(cpy|move|set)/.test(base) && a && b && c) {
    const align = Math.max(1, args[0]?.attributes.align ?? 1);
    if (base.startsWith('memset')) setMemory(writer, writer.scalar(a), writer.scalar(b), writer.scalar(c), align);
    else
      copyMemory(
        writer,
        writer.scalar(a),
        writer.scalar(b),
        writer.scalar(c),
        Math.min(align, args[1]?.attributes.align ?? 1),
      );
    return [];
  }
  if (base === 'trap' || base === 'debugtrap' || base === 'ubsantrap') {
    writer.emit(base === 'debugtrap' ? 'brkpt' : 'trap');
    return [];
  }
  const overflow = /^([su])(add|sub|mul)\.with\.overflow$/.exec(base);
  if (overflow !== null && a && b) {
    const [, sign = '', operation = ''] = overflow;
    return withOverflow(writer, sign, operation, writer.scalar(a), writer.scalar(b));
  }
  const reduction = /^vector\.reduce\.(\w+)$/.exec(base);
  const last = values.at(-1);
  if (reduction !== null && last) return [reduceVector(writer, reduction[1] ?? '', writer.scalars(last))];
  if (base === 'is.fpclass' && a && b?.kind === 'int') return [isOfClass(writer, writer.scalar(a), Number(b.value))];
  if (base === 'objectsize') return [constantOf(scalarType(type), 2n ** 64n - 1n)];
  if (base === 'is.constant') return [constantOf(i1, 0n)];
  return undefined;
}

function scalarType(type: Call['type']): ScalarType {
  return at(leavesOf(type), 0, 'the scalar').type;
}

function fma(writer: Writer, a: Scalar, b: Scalar | undefined, c: Scalar | undefined): Scalar {
  return writer.compute(
    `fma.rn.${floatSuffix(a.type)}`,
    a.type,
    writer.operand(a),
    operandOf(writer, b),
    operandOf(writer, c),
  );
}

/** Returns the first operand with the sign of the second. */
function copySign(writer: Writer, a: Scalar, b: Scalar): Scalar {
  const bits = bitsOf(a.type);
  const type = intType(bits);
  const sign = 1n << BigInt(bits - 1);
  const mask = (scalar: Scalar, kept: bigint): string =>
    writer.compute(
      `and.b${bits}`,
      type,
      writer.inRegister(reinterpret(writer, scalar, type)),
      String(BigInt.asIntN(bits, kept)),
    ).text;
  const joined = writer.compute(`or.b${bits}`, type, mask(a, sign - 1n), mask(b, sign));
  return reinterpret(writer, joined, a.type);
}

function absolute(writer: Writer, a: Scalar): Scalar {
  const value = writer.extended(a, 'sign');
  return writer.compute(`abs.s${registerBits(a.type)}`, a.type, writer.operand(value));
}

/** Selects an instruction on 32 or 64 bits whose result is a word. */
function fromWord(writer: Writer, opcode: string, a: Scalar, type: ScalarType): Scalar {
  const bits = registerBits(type) === 64 ? 64 : 32;
  const count = writer.compute(`${opcode}.b${bits}`, i32, writer.inRegister(writer.resized(a, bits, 'zero')));
  return writer.resized(count, bitsOf(type), 'zero');
}

function countLeadingZeros(writer: Writer, a: Scalar): Scalar {
  const bits = registerBits(a.type) === 64 ? 64 : 32;
  const count = writer.compute(
    `clz.b${bits}`,
    i32,
    writer.inRegister(writer.resized(writer.extended(a, 'zero'), bits, 'zero')),
  );
  const surplus = bits - bitsOf(a.type);
  const own = surplus === 0 ? count : writer.compute('sub.s32', i32, count.text, String(surplus));
  return writer.resized(own, bitsOf(a.type), 'zero');
}

/** Counts the leading zeros of the reversed bits. A narrow operand gets a one above its bits first. */
function countTrailingZeros(writer: Writer, a: Scalar): Scalar {
  const bits = registerBits(a.type) === 64 ? 64 : 32;
  const type = intType(bits);
  const wide = writer.resized(a, bits, 'zero');
  const own = bitsOf(a.type);
  const marked =
    own < bits ? writer.compute(`or.b${bits}`, type, writer.inRegister(wide), String(1n << BigInt(own))) : wide;
  const reversed = writer.compute(`brev.b${bits}`, type, writer.inRegister(marked));
  return writer.resized(writer.compute(`clz.b${bits}`, i32, reversed.text), own, 'zero');
}

function reverseBits(writer: Writer, a: Scalar): Scalar {
  const bits = registerBits(a.type) === 64 ? 64 : 32;
  const type = intType(bits);
  const reversed = writer.compute(`brev.b${bits}`, type, writer.inRegister(writer.resized(a, bits, 'zero')));
  const surplus = bits - bitsOf(a.type);
  const own = surplus === 0 ? reversed : writer.compute(`shr.u${bits}`, type, reversed.text, String(surplus));
  return writer.resized(own, bitsOf(a.type), 'zero');
}

function swapBytes(writer: Writer, a: Scalar): Scalar {
  const bits = bitsOf(a.type);
  if (bits === 64) {
    const [low, high] = rebuild(writer, [a], [i32, i32]);
    const swapped = [present(high), present(low)].map((half) => swapBytes(writer, half));
    return present(rebuild(writer, swapped, [intType(64)])[0]);
  }
  const selector = bits === 16 ? '0x4401' : '0x0123';
  const swapped = writer.compute('prmt.b32', i32, writer.inRegister(writer.resized(a, 32, 'zero')), '0', selector);
  return writer.resized(swapped, bits, 'zero');
}

/** Shifts two operands as one. The amount counts modulo the width. */
function funnel(writer: Writer, direction: 'l' | 'r', a: Scalar, b: Scalar, amount: Scalar): Scalar {
  const bits = bitsOf(a.type);
  if (bits === 32) {
    const text = writer.operand(amount);
    return writer.compute(`shf.${direction}.wrap.b32`, a.type, writer.inRegister(b), writer.inRegister(a), text);
  }
  if (isNarrow(a.type) || (bits !== 64 && bits !== 16)) return writer.unsupported(`a funnel shift of ${bits} bits`);
  const word = writer.resized(amount, 32, 'zero');
  const left = writer.compute('and.b32', i32, writer.operand(word), String(bits - 1));
  const rest = writer.compute('sub.s32', i32, String(bits), left.text);
  const [up, down] = direction === 'l' ? [left, rest] : [rest, left];
  const high = writer.compute(`shl.b${bits}`, a.type, writer.operand(a), up.text);
  const low = writer.compute(`shr.u${bits}`, a.type, writer.operand(b), down.text);
  return writer.compute(`or.b${bits}`, a.type, high.text, low.text);
}

function saturateUnsigned(writer: Writer, operation: 'add' | 'sub', a: Scalar, b: Scalar): Scalar {
  const { type } = a;
  const width = registerBits(type);
  const [first, second] = [writer.extended(a, 'zero'), writer.extended(b, 'zero')];
  if (operation === 'sub') {
    const least = writer.compute(`min.u${width}`, type, writer.operand(first), writer.operand(second));
    return writer.compute(`sub.s${width}`, type, writer.operand(first), least.text);
  }
  const room = writer.compute(
    `xor.b${width}`,
    type,
    writer.operand(first),
    String(isNarrow(type) ? (1n << BigInt(bitsOf(type))) - 1n : -1),
  );
  const added = writer.compute(`min.u${width}`, type, room.text, writer.operand(second));
  return writer.compute(`add.s${width}`, type, writer.operand(first), added.text);
}

/** Returns the result and whether it overflowed. */
function withOverflow(writer: Writer, sign: string, operation: string, a: Scalar, b: Scalar): Scalar[] {
  const { type } = a;
  const bits = bitsOf(type);
  const width = registerBits(type);
  if (isNarrow(type)) return writer.unsupported(`arithmetic with overflow on ${bits} bits`);
  const [x, y] = [writer.operand(a), writer.operand(b)];
  if (operation === 'mul') {
    const low = writer.compute(`mul.lo.s${width}`, type, x, y);
    const high = writer.compute(`mul.hi.${sign}${width}`, type, x, y);
    const expected = sign === 'u' ? '0' : writer.compute(`shr.s${width}`, type, low.text, String(width - 1)).text;
    return [low, writer.compute(`setp.ne.b${width}`, i1, high.text, expected)];
  }
  const result = writer.compute(`${operation}.s${width}`, type, x, y);
  if (sign === 'u') {
    const [left, right] = operation === 'add' ? [result.text, x] : [x, y];
    return [result, writer.compute(`setp.lt.u${width}`, i1, left, right)];
  }
  // A sum overflows if both operands have a sign that the result lacks.
  const first = writer.compute(
    `xor.b${width}`,
    type,
    operation === 'add' ? result.text : x,
    operation === 'add' ? x : y,
  );
  const second = writer.compute(`xor.b${width}`, type, result.text, operation === 'add' ? y : x);
  const both = writer.compute(`and.b${width}`, type, first.text, second.text);
  return [result, writer.compute(`setp.lt.s${width}`, i1, both.text, '0')];
}

const reductions: ReadonlyMap<string, string> = new Map([
  ['add', 'add.s'],
  ['mul', 'mul.lo.s'],
  ['and', 'and.b'],
  ['or', 'or.b'],
  ['xor', 'xor.b'],
]);

function reduceVector(writer: Writer, operation: string, scalars: readonly Scalar[]): Scalar {
  return scalars.reduce((sum, scalar) => {
    const { type } = scalar;
    if (isFloat(type)) {
      const opcode = operation === 'fmax' ? 'max' : operation === 'fmin' ? 'min' : undefined;
      if (opcode === undefined) return writer.unsupported(`the reduction \`${operation}\` of floats`);
      return writer.compute(`${opcode}.${floatSuffix(type)}`, type, writer.operand(sum), writer.operand(scalar));
    }
    if (registerBits(type) === 1) {
      const opcode = operation === 'or' ? 'or' : operation === 'and' ? 'and' : 'xor';
      return writer.compute(`${opcode}.pred`, type, writer.inRegister(sum), writer.inRegister(scalar));
    }
    const extremes = elementwise.get(operation);
    if (extremes !== undefined) return extremes(writer, sum, scalar);
    const opcode = reductions.get(operation);
    if (opcode === undefined) return writer.unsupported(`the reduction \`${operation}\``);
    return writer.compute(`${opcode}${registerBits(type)}`, type, writer.operand(sum), writer.operand(scalar));
  });
}
