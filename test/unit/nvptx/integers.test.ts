// Integer instructions of LLVM IR of every width, against the same operations on bigints.
import { describe, expect, test } from 'vitest';
import { drawn, effort } from '../../effort.ts';
import { seeded } from '../../seed.ts';
import { kernelOf, runKernel } from './run-ir.ts';

const widths = [1, 3, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64];
const u = (bits: number, value: bigint): bigint => BigInt.asUintN(bits, value);
const s = (bits: number, value: bigint): bigint => BigInt.asIntN(bits, value);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const bitsOf = (value: bigint, bits: number): string => value.toString(2).padStart(bits, '0');

/** An operation on two unsigned values of `bits` bits, and its IR. */
interface Operation {
  readonly ir: (type: string, a: string, b: string) => string;
  readonly value: (bits: number, a: bigint, b: bigint) => bigint;
  /** The widths that the operation does not support. */
  readonly without?: readonly number[];
}

const plain = (opcode: string, value: Operation['value']): Operation => ({
  ir: (type, a, b) => `${opcode} ${type} ${a}, ${b}`,
  value,
});
const compare = (relation: string, value: (a: bigint, b: bigint) => boolean, signed = false): Operation => ({
  ir: (type, a, b) => `icmp ${relation} ${type} ${a}, ${b}`,
  value: (bits, a, b) => (value(signed ? s(bits, a) : a, signed ? s(bits, b) : b) ? 1n : 0n),
});
const intrinsic = (name: string, args: (type: string, a: string, b: string) => string, value: Operation['value']) => ({
  ir: (type: string, a: string, b: string) => `call ${type} @llvm.${name}.${type}(${args(type, a, b)})`,
  value,
});
const both = (type: string, a: string, b: string): string => `${type} ${a}, ${type} ${b}`;
const flagged = (type: string, a: string): string => `${type} ${a}, i1 false`;

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
  ule: compare('ule', (a, b) => a <= b),
  ugt: compare('ugt', (a, b) => a > b),
  uge: compare('uge', (a, b) => a >= b),
  slt: compare('slt', (a, b) => a < b, true),
  sle: compare('sle', (a, b) => a <= b, true),
  sgt: compare('sgt', (a, b) => a > b, true),
  sge: compare('sge', (a, b) => a >= b, true),
  umin: { ...intrinsic('umin', both, (_, a, b) => min(a, b)), without: [1] },
  umax: { ...intrinsic('umax', both, (_, a, b) => max(a, b)), without: [1] },
  smin: { ...intrinsic('smin', both, (bits, a, b) => min(s(bits, a), s(bits, b))), without: [1] },
  smax: { ...intrinsic('smax', both, (bits, a, b) => max(s(bits, a), s(bits, b))), without: [1] },
  abs: { ...intrinsic('abs', flagged, (bits, a) => max(s(bits, a), -s(bits, a))), without: [1] },
  ctpop: {
    ...intrinsic(
      'ctpop',
      (type, a) => `${type} ${a}`,
      (bits, a) => BigInt(bitsOf(a, bits).replaceAll('0', '').length),
    ),
    without: [1],
  },
  ctlz: { ...intrinsic('ctlz', flagged, (bits, a) => BigInt(`${bitsOf(a, bits)}1`.indexOf('1'))), without: [1] },
  cttz: {
    ...intrinsic('cttz', flagged, (bits, a) =>
      BigInt([...bitsOf(a, bits), '1'].length - 1 - (a === 0n ? 0 : bitsOf(a, bits).lastIndexOf('1') + 1)),
    ),
    without: [1],
  },
  bitreverse: {
    ...intrinsic(
      'bitreverse',
      (type, a) => `${type} ${a}`,
      (bits, a) => BigInt(`0b${[...bitsOf(a, bits)].reverse().join('')}`),
    ),
    without: [1],
  },
  'uadd.sat': { ...intrinsic('uadd.sat', both, (bits, a, b) => min(a + b, u(bits, -1n))), without: [1] },
  'usub.sat': { ...intrinsic('usub.sat', both, (_, a, b) => max(a - b, 0n)), without: [1] },
};

/** Makes the second operand valid: an amount below the width, or a divisor that is not 0 or -1. */
function guarded(name: string, bits: number, b: bigint): bigint {
  if (/shl|shr/.test(name)) return b % BigInt(bits);
  if (!/div|rem/.test(name)) return b;
  return b === 0n || s(bits, b) === -1n ? 1n : b;
}

/**
 * The cases: each operation at each width. A signed quotient of one bit is omitted, because it
 * overflows for each defined divisor.
 */
const cases = widths.flatMap((bits) =>
  Object.entries(operations)
    .filter(([name, { without }]) => !without?.includes(bits) && (bits > 1 || !/div|rem/.test(name)))
    .map(([name]) => ({ bits, name })),
);

describe('integer instructions equal the operations on bigints', () => {
  test.each(drawn(cases, 64, ({ name }) => name))('$name of i$bits', ({ bits, name }) => {
    const operation = operations[name];
    if (operation === undefined) throw new Error(name);
    const random = seeded('nvptx', name, bits);
    const edges = [0n, 1n, u(bits, -1n), 1n << BigInt(bits - 1), u(bits, (1n << BigInt(bits - 1)) - 1n)];
    const draw = (): bigint => {
      const word = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
      return random.below(3) === 0 ? (edges[random.below(edges.length)] ?? 0n) : u(bits, word);
    };
    const left = Array.from({ length: effort(32, 512) }, draw);
    // The second operand is a constant of the text, so immediates are tested too.
    const b = guarded(name, bits, draw());
    const type = `i${bits}`;
    const isCompare = /^(eq|ne|[us][lg][te])$/.test(name);
    const result = isCompare ? 'i1' : type;
    const widen = (from: string, value: string): string =>
      from === 'i64' ? `add i64 ${value}, 0` : `zext ${from} ${value} to i64`;
    const body = (operand: string): string => `
  %index = zext i32 %tid to i64
  %from = getelementptr i64, ptr %in, i64 %index
  %wide = load i64, ptr %from, align 8
  %a = ${bits === 64 ? 'add i64 %wide, 0' : `trunc i64 %wide to ${type}`}
  %c = ${bits === 64 ? `add i64 0, ${b}` : `trunc i64 ${b} to ${type}`}
  %r = ${operation.ir(type, '%a', operand)}
  %x = ${widen(result, '%r')}
  %to = getelementptr i64, ptr %out, i64 %index
  store i64 %x, ptr %to, align 8
  ret void`;
    const expected = left.map((a) => u(isCompare ? 1 : bits, operation.value(bits, a, b)));
    const constant = bits === 1 ? (b === 1n ? 'true' : 'false') : String(s(bits, b));
    // The bits above the width are random, and the compiler must ignore them.
    const noisy = left.map((a) =>
      bits === 64 ? a : a | ((BigInt(random.below(2 ** 20)) << BigInt(bits)) & ((1n << 64n) - 1n)),
    );
    for (const operand of ['%c', constant])
      expect(
        runKernel(
          kernelOf(body(operand)),
          noisy.map((a) => u(64, a)),
        ),
      ).toEqual(expected);
  });
});
