// Instructions on integers of 65 to 128 bits, against the same operations on bigints.
import { describe, expect, test } from 'vitest';
import { drawn, effort } from '../../effort.ts';
import { seeded } from '../../seed.ts';
import { kernelOf, runKernel } from './run-ir.ts';

const widths = [65, 72, 96, 127, 128];
const u = (bits: number, value: bigint): bigint => BigInt.asUintN(bits, value);
const s = (bits: number, value: bigint): bigint => BigInt.asIntN(bits, value);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const digits = (bits: number, value: bigint): string[] => [...value.toString(2).padStart(bits, '0')];

/** The IR of an operation on `%a` and `%b`, and its result for unsigned operands of `bits` bits. */
type Operation = readonly [ir: (type: string) => string, value: (bits: number, a: bigint, b: bigint) => bigint];

const plain = (opcode: string, value: Operation[1]): Operation => [(type) => `${opcode} ${type} %a, %b`, value];
const compare = (relation: string, value: (a: bigint, b: bigint) => boolean): Operation => [
  (type) => `icmp ${relation} ${type} %a, %b`,
  (bits, a, b) => ((relation.startsWith('s') ? value(s(bits, a), s(bits, b)) : value(a, b)) ? 1n : 0n),
];
const intrinsic = (name: string, operands: (type: string) => string, value: Operation[1]): Operation => [
  (type) => `call ${type} @llvm.${name}.${type}(${operands(type)})`,
  value,
];
const both = (type: string): string => `${type} %a, ${type} %b`;
const one = (type: string): string => `${type} %a`;
const flagged = (type: string): string => `${type} %a, i1 false`;

const operations: Readonly<Record<string, Operation>> = {
  add: plain('add', (_, a, b) => a + b),
  sub: plain('sub', (_, a, b) => a - b),
  mul: plain('mul', (_, a, b) => a * b),
  and: plain('and', (_, a, b) => a & b),
  or: plain('or', (_, a, b) => a | b),
  xor: plain('xor', (_, a, b) => a ^ b),
  udiv: plain('udiv', (_, a, b) => a / b),
  urem: plain('urem', (_, a, b) => a % b),
  sdiv: plain('sdiv', (bits, a, b) => s(bits, a) / s(bits, b)),
  srem: plain('srem', (bits, a, b) => s(bits, a) % s(bits, b)),
  shl: plain('shl', (_, a, b) => a << b),
  lshr: plain('lshr', (_, a, b) => a >> b),
  ashr: plain('ashr', (bits, a, b) => s(bits, a) >> b),
  eq: compare('eq', (a, b) => a === b),
  ne: compare('ne', (a, b) => a !== b),
  ult: compare('ult', (a, b) => a < b),
  uge: compare('uge', (a, b) => a >= b),
  sle: compare('sle', (a, b) => a <= b),
  sgt: compare('sgt', (a, b) => a > b),
  umin: intrinsic('umin', both, (_, a, b) => min(a, b)),
  smax: intrinsic('smax', both, (bits, a, b) => (s(bits, a) > s(bits, b) ? a : b)),
  abs: intrinsic('abs', flagged, (bits, a) => (s(bits, a) < 0n ? -a : a)),
  ctpop: intrinsic('ctpop', one, (bits, a) => BigInt(digits(bits, a).filter((digit) => digit === '1').length)),
  ctlz: intrinsic('ctlz', flagged, (bits, a) => BigInt([...digits(bits, a), '1'].indexOf('1'))),
  cttz: intrinsic('cttz', flagged, (bits, a) => BigInt([...digits(bits, a).reverse(), '1'].indexOf('1'))),
  bitreverse: intrinsic('bitreverse', one, (bits, a) => BigInt(`0b${digits(bits, a).reverse().join('')}`)),
};

const cases = widths.flatMap((bits) => Object.keys(operations).map((name) => ({ bits, name })));

describe('instructions on two words equal the operations on bigints', () => {
  test.each(drawn(cases, 24, ({ name }) => name))('$name of i$bits', ({ bits, name }) => {
    const [ir, value] = operations[name] ?? [];
    if (ir === undefined || value === undefined) throw new Error(name);
    const random = seeded('nvptx-wide', name, bits);
    const word = (): bigint => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
    const edges = [0n, 1n, -1n, 1n << 63n, 1n << 64n, (1n << 64n) - 1n, 1n << BigInt(bits - 1), 3n];
    const draw = (): bigint => {
      const edge = edges[random.below(2 * edges.length)];
      return u(128, edge ?? ((word() << 64n) | word()) >> BigInt(random.below(128)));
    };
    const guarded = (b: bigint): bigint => {
      if (/^(shl|[la]shr)$/.test(name)) return b % BigInt(bits);
      return /div|rem/.test(name) && (u(bits, b) === 0n || s(bits, b) === -1n) ? 5n : b;
    };
    const type = `i${bits}`;
    const result = /^(eq|ne|[us][lg][te])$/.test(name) ? 'i1' : type;
    // Four threads compute each value. The even threads store its low word, and the odd ones its
    // high word.
    const load = (register: string, index: number): string => `
  %${register}i = add i64 %base, ${2 * index}
  %${register}p = getelementptr i64, ptr %in, i64 %${register}i
  %${register}x = load i128, ptr %${register}p, align 8
  %${register} = ${bits === 128 ? `or i128 %${register}x, 0` : `trunc i128 %${register}x to ${type}`}`;
    const loads = ['a', 'b'].map(load);
    const body = `
  %group = lshr i32 %tid, 2
  %first = shl i32 %group, 2
  %base = zext i32 %first to i64
${loads.join('\n')}
  %r = ${ir(type)}
  %x = ${result === 'i128' ? 'or i128 %r, 0' : `zext ${result} %r to i128`}
  %odd = and i32 %tid, 1
  %by = shl i32 %odd, 6
  %amount = zext i32 %by to i128
  %moved = lshr i128 %x, %amount
  %half = trunc i128 %moved to i64
  %index = zext i32 %tid to i64
  %to = getelementptr i64, ptr %out, i64 %index
  store i64 %half, ptr %to, align 8
  ret void`;
    const pairs = Array.from({ length: effort(16, 128) }, () => [draw(), guarded(draw())] as const);
    const inputs = pairs.flatMap((pair) => pair.flatMap((x) => [u(64, x), x >> 64n]));
    const expected = pairs.flatMap(([a, b]) => {
      const whole = u(result === 'i1' ? 1 : bits, value(bits, u(bits, a), u(bits, b)));
      const words = [u(64, whole), whole >> 64n];
      return [...words, ...words];
    });
    expect(runKernel(kernelOf(body), inputs)).toEqual(expected);
  });
});

test('conversions between wide integers and floats round once', () => {
  const values = [
    0n,
    1n,
    -1n,
    (1n << 53n) + 1n,
    (1n << 117n) + (1n << 64n) + 1n,
    -(1n << 127n),
    (1n << 127n) - 1n,
    3n << 100n,
  ];
  const body = `
  %index = zext i32 %tid to i64
  %even = and i64 %index, -2
  %from = getelementptr i64, ptr %in, i64 %even
  %a = load i128, ptr %from, align 8
  %f = sitofp i128 %a to double
  %back = fptosi double %f to i128
  %isOdd = trunc i32 %tid to i1
  %bits = bitcast double %f to i64
  %shifted = lshr i128 %back, 64
  %high = trunc i128 %shifted to i64
  %r = select i1 %isOdd, i64 %high, i64 %bits
  %to = getelementptr i64, ptr %out, i64 %index
  store i64 %r, ptr %to, align 8
  ret void`;
  const bitsOf = (value: number): bigint => new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
  // Exclude values that become 2^127 as a double, which is above the greatest signed integer.
  const inputs = values.filter((value) => Number(value) < 2 ** 127);
  const results = runKernel(
    kernelOf(body),
    inputs.flatMap((value) => [u(64, value), u(64, value >> 64n)]),
  );
  expect(results).toEqual(inputs.flatMap((value) => [bitsOf(Number(value)), u(64, BigInt(Number(value)) >> 64n)]));
});
