import { describe, expect, test } from 'vitest';
import { evaluate } from '../../wgsl-interpreter/kernel.ts';

/** `u`, `i` and `f` hide a value in a private variable, so operands are not constants. */
const hidden = `
var<private> hiddenU: u32; var<private> hiddenI: i32; var<private> hiddenF: f32;
fn u(x: u32) -> u32 { hiddenU = x; return hiddenU; }
fn i(x: i32) -> i32 { hiddenI = x; return hiddenI; }
fn f(bits: u32) -> f32 { hiddenF = bitcast<f32>(bits); return hiddenF; }`;

const signed = (value: number): number => value >>> 0;

describe('integer expressions', () => {
  test.each<[string, number]>([
    ['u(0xffffffffu) + 2u', 1],
    ['u(0u) - 1u', 0xffffffff],
    ['u(0x10001u) * 0x10001u', 0x20001],
    ['u(7u) / u(0u)', 7],
    ['u(7u) % u(0u)', 0],
    ['u(7u) / 2', 3],
    ['bitcast<u32>(i(-7) / 2)', signed(-3)],
    ['bitcast<u32>(i(-7) % 3)', signed(-1)],
    ['bitcast<u32>(i(-2147483648) / i(-1))', 0x80000000],
    ['bitcast<u32>(i(-2147483648) % i(-1))', 0],
    ['bitcast<u32>(i(5) / i(0))', 5],
    ['bitcast<u32>(i(-8) >> 1u)', signed(-4)],
    ['u(0x80000000u) >> 31u', 1],
    ['u(1u) << u(33u)', 2],
    ['bitcast<u32>(1 << u(4u))', 16],
    ['~u(0u) ^ 0xffu', 0xffffff00],
    ['select(1u, 2u, i(-1) < i(0))', 2],
    ['select(1u, 2u, u(0xffffffffu) < u(0u))', 1],
    ['bitcast<u32>(-i(5))', signed(-5)],
    ['u32(i(-1))', 0xffffffff],
    ['u32(true) + u32(u(3u) == 3u)', 2],
    ['1u + 2u * 3u - 8u / 4u % 3u', 5],
    ['u(1u) | (6u & 3u)', 3],
    ['u(12u) - 2u - 3u', 7],
    ['array<u32, 3>(4, 5, 6)[u(2u)]', 6],
    ['vec4u(1, 2, 3, 4).wzyx.y', 3],
    ['(vec2<u32>(1u, 2u) + vec2(10, 20)).y', 22],
    ['(vec3(1u, 2u, 3u) * 2u)[u(2u)]', 6],
    ['vec4(vec2(1u, 2u), vec2(3u, 4u)).z', 3],
    ['vec3<u32>(7u).b', 7],
    ['u32(any(vec2(u(1u), 2u) == vec2(5u, 2u))) + u32(all(vec2(u(1u), 2u) == vec2(5u, 2u)))', 1],
    ['select(vec2(1u, 2u), vec2(3u, 4u), vec2(u(1u) == 1u, false)).x', 3],
  ])('%s', (expression, expected) => {
    expect(evaluate([expression], hidden)).toEqual([expected]);
  });
});

describe('integer builtins', () => {
  test.each<[string, number]>([
    ['countOneBits(u(0xf0f00001u))', 9],
    ['countLeadingZeros(u(0u))', 32],
    ['countLeadingZeros(u(0x00010000u))', 15],
    ['countTrailingZeros(u(0u))', 32],
    ['countTrailingZeros(u(0x80000000u))', 31],
    ['firstLeadingBit(u(0u))', 0xffffffff],
    ['firstLeadingBit(u(0x00010001u))', 16],
    ['bitcast<u32>(firstLeadingBit(i(-1)))', 0xffffffff],
    ['bitcast<u32>(firstLeadingBit(i(-2)))', 0],
    ['bitcast<u32>(firstLeadingBit(i(-2147483648)))', 30],
    ['firstTrailingBit(u(0u))', 0xffffffff],
    ['firstTrailingBit(u(12u))', 2],
    ['reverseBits(u(1u))', 0x80000000],
    ['extractBits(u(0x12345678u), 8u, 8u)', 0x56],
    ['extractBits(u(0x12345678u), u(28u), 8u)', 1],
    ['extractBits(u(0x12345678u), 0u, 32u)', 0x12345678],
    ['extractBits(u(0x12345678u), 4u, 0u)', 0],
    ['bitcast<u32>(extractBits(i(0x0000f800), 8u, 8u))', signed(-8)],
    ['insertBits(u(0xffffffffu), 0u, 8u, 8u)', 0xffff00ff],
    ['insertBits(u(0u), 5u, u(30u), 8u)', 0x40000000],
    ['min(u(0xffffffffu), 1)', 1],
    ['bitcast<u32>(min(i(-1), 1))', 0xffffffff],
    ['bitcast<u32>(max(i(-1), 1))', 1],
    ['clamp(u(50u), 10, 20)', 20],
    ['bitcast<u32>(abs(i(-2147483648)))', 0x80000000],
    ['bitcast<u32>(sign(i(-9)))', 0xffffffff],
    ['dot4U8Packed(u(0x01020304u), 0x0a0b0c0du)', 1 * 10 + 2 * 11 + 3 * 12 + 4 * 13],
    ['bitcast<u32>(dot4I8Packed(u(0xff000002u), 0x05000003u))', 1],
    ['dot(vec3(u(1u), 2u, 3u), vec3(4u, 5u, 6u))', 32],
    ['unpack4xU8(u(0x04030201u)).z', 3],
    ['pack4xU8(vec4(u(1u), 2u, 3u, 260u))', 0x04030201],
  ])('%s', (expression, expected) => {
    expect(evaluate([expression], hidden)).toEqual([expected]);
  });
});

describe('f32 expressions, as bits', () => {
  test.each<[string, number]>([
    // 1 + 2^-24 is a tie, which rounds to even; 1 + 3 * 2^-25 is not a tie.
    ['f(0x3f800000u) + f(0x33800000u)', 0x3f800000],
    ['f(0x3f800000u) + f(0x33c00000u)', 0x3f800001],
    ['0.1 + f(0x3e4ccccdu)', 0x3e99999a],
    ['-f(0x7f800001u)', 0xff800001],
    ['abs(f(0xffc12345u))', 0x7fc12345],
    ['select(1.0, f(0x7fa00001u), true)', 0x7fa00001],
    ['f(0x00000001u) * 1.0', 1],
    ['f(0x7f7fffffu) * 2.0', 0x7f800000],
    ['f32(u(0xffffffffu))', 0x4f800000],
    ['f32(i(-16777217))', 0xcb800000],
    ['0x1.8p3', 0x41400000],
    ['0x1p-149', 1],
    ['0x1.fffffep+127f', 0x7f7fffff],
    ['1e-45f', 1],
    // (1 + 2^-23) * (1 - 2^-23) - 1 is -2^-46 exactly; rounding the product first would give 0.
    ['fma(f(0x3f800001u), f(0x3f7ffffeu), -1.0)', 0xa8800000],
    // 2^-149 * 2^-149 + 1 rounds to 1, but (1 + 2^-24) + tiny is above the tie.
    ['fma(f(0x00000001u), f(0x00000001u), 1.0)', 0x3f800000],
    ['fma(f(0x33800001u), f(0x3f800000u), f(0x3f800000u))', 0x3f800001],
    ['round(2.5 + f(0u))', 0x40000000],
    ['round(-0.5 + f(0u))', 0x80000000],
    ['round(3.5 + f(0u))', 0x40800000],
    ['trunc(f(0xbfc00000u))', 0xbf800000],
    ['floor(f(0xbfc00000u))', 0xc0000000],
    ['ceil(f(0xbfc00000u))', 0xbf800000],
    ['fract(f(0xbfa00000u))', 0x3f400000],
    ['saturate(f(0x40000000u))', 0x3f800000],
    ['sqrt(f(0x40000000u))', 0x3fb504f3],
    ['inverseSqrt(f(0x40800000u))', 0x3f000000],
    ['f(0x40a00000u) % -3.0', 0x40000000],
    ['exp2(f(0x40400000u))', 0x41000000],
    ['log2(f(0x41000000u))', 0x40400000],
    ['pow(f(0x40000000u), 10)', 0x44800000],
    ['ldexp(f(0x3fc00000u), -1)', 0x3f400000],
    ['ldexp(f(0x3f800000u), i(-149))', 1],
    ['frexp(f(0x41400000u)).fract', 0x3f400000],
    ['f32(frexp(f(0x41400000u)).exp)', 0x40800000],
    ['min(f(0x7fc00000u), 2.0)', 0x40000000],
    ['bitcast<f32>(u(0x7fc00001u))', 0x7fc00001],
    ['bitcast<vec2<f32>>(vec2(u(0xff800001u), 5u)).x', 0xff800001],
  ])('%s', (expression, expected) => {
    expect(evaluate([`bitcast<u32>(${expression})`], hidden)).toEqual([expected]);
  });

  test('conversions to integers clamp to values of both types', () => {
    const values = [
      'u32(f(0xbf800000u))',
      'u32(f(0x7f800000u))',
      'bitcast<u32>(i32(f(0xff800000u)))',
      'u32(f(0x40600000u))',
    ];
    expect(evaluate(values, hidden)).toEqual([0, 0xffffff00, 0x80000000, 3]);
  });

  test('comparisons with a NaN are false, except inequality', () => {
    const nan = 'f(0x7fc00000u)';
    const values = ['==', '!=', '<', '>='].map((operator) => `u32(${nan} ${operator} ${nan})`);
    expect(evaluate(values, hidden)).toEqual([0, 1, 0, 0]);
  });

  test('memory keeps the bits of signaling NaNs', () => {
    const module = `${hidden} var<workgroup> w: array<f32, 2>; struct S { a: f32, b: vec2<f32> } var<private> p: S;`;
    const before = 'w[1] = f(0x7f800001u); p.b.y = w[1]; let copy = p; var local = copy.b;';
    expect(evaluate(['bitcast<u32>(local.y)'], module, before)).toEqual([0x7f800001]);
  });
});

test('names that are keywords of the parser, but not of WGSL', () => {
  const before = 'var block = u(3u); let rgba8unorm = array<u32, 4>(5, 6, 7, 8); block = block - 1u;';
  expect(evaluate(['rgba8unorm[block]', 'select(1u, block, block < 3u)'], hidden, before)).toEqual([7, 2]);
});
