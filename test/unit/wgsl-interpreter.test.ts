import { describe, expect, test } from 'vitest';
import { runWgsl } from '../wgsl-interpreter/index.ts';
import type { Kernel } from '../wgsl-interpreter/kernel.ts';
import { runKernel } from '../wgsl-interpreter/kernel.ts';

/// One invocation; each expression, a u32, becomes a word of the output.
function evaluate(expressions: readonly string[], module = '', before = ''): number[] {
  const stores = expressions.map((expression, i) => `out[${i}] = ${expression};`);
  const kernel: Kernel = { module, body: [before, ...stores].join('\n'), count: 1, words: expressions.length };
  return runKernel(kernel, { subgroupSize: 1 });
}

/// Variables keep operands from being constants: `u`, `i` and `f` hide a value in a private variable.
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
    ['u(7u) / 0u', 7],
    ['u(7u) % 0u', 0],
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
    ['u(1u) | 6u & 3u', 3],
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
    ['extractBits(u(0x12345678u), 28u, 8u)', 1],
    ['extractBits(u(0x12345678u), 0u, 32u)', 0x12345678],
    ['extractBits(u(0x12345678u), 4u, 0u)', 0],
    ['bitcast<u32>(extractBits(i(0x0000f800), 8u, 8u))', signed(-8)],
    ['insertBits(u(0xffffffffu), 0u, 8u, 8u)', 0xffff00ff],
    ['insertBits(u(0u), 5u, 30u, 8u)', 0x40000000],
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
    // 1 + 2^-24 is a tie, to even; 1 + 3 * 2^-25 is not.
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
    ['-0.0', 0x80000000],
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
    ['bitcast<f32>(0x7fc00001u)', 0x7fc00001],
    ['bitcast<vec2<f32>>(vec2(u(0xff800001u), 5u)).x', 0xff800001],
  ])('%s', (expression, expected) => {
    expect(evaluate([`bitcast<u32>(${expression})`], hidden)).toEqual([expected]);
  });

  test('conversions to integers clamp', () => {
    const values = [
      'u32(f(0xbf800000u))',
      'u32(f(0x7f800000u))',
      'bitcast<u32>(i32(f(0xff800000u)))',
      'u32(f(0x40600000u))',
    ];
    expect(evaluate(values, hidden)).toEqual([0, 0xffffffff, 0x80000000, 3]);
  });

  test('NaNs are unordered and no other comparison lies', () => {
    const nan = 'f(0x7fc00000u)';
    const values = ['==', '!=', '<', '>='].map((operator) => `u32(${nan} ${operator} ${nan})`);
    expect(evaluate(values, hidden)).toEqual([0, 1, 0, 0]);
  });

  test('memory keeps the bits of signalling NaNs', () => {
    const module = 'var<workgroup> w: array<f32, 2>; struct S { a: f32, b: vec2<f32> } var<private> p: S;';
    const before = 'w[1] = bitcast<f32>(0x7f800001u); p.b.y = w[1]; let copy = p; var local = copy.b;';
    expect(evaluate(['bitcast<u32>(local.y)'], module, before)).toEqual([0x7f800001]);
  });
});

describe('names, constants and functions', () => {
  test.each<[string, { module?: string; before?: string; values: string[] }, number[]]>([
    [
      'a parameter hides a constant',
      { module: 'const N = 4u; fn g(N: u32) -> u32 { return N; }', values: ['g(9u)', 'N'] },
      [9, 4],
    ],
    [
      'constants without a type stay abstract',
      { module: 'const N = 1 << 3; const M = N * 2;', values: ['u32(M)', 'N + 1u', 'bitcast<u32>(f32(N))'] },
      [16, 9, 0x41000000],
    ],
    [
      'vector and array constants',
      {
        module: 'const V = vec4<u32>(1, 2, 3, 4); const T = array<u32, 3>(7, 8, 9);',
        values: ['V.z', 'T[1]', 'T[u32(V.x) + 1u]'],
      },
      [3, 8, 9],
    ],
    ['an override has its default', { module: 'override K: u32 = 3u + 4u;', values: ['K'] }, [7]],
    [
      'an alias and a count by name',
      {
        module: 'const N = 3u; alias Row = array<u32, N>; alias V = vec2<u32>;',
        before: 'var r = Row(1, 2, 3); r[N - 1] += V(4, 5).y;',
        values: ['r[2]'],
      },
      [8],
    ],
    [
      'const and shadowing in a function',
      {
        before: 'const c = 5u; const_assert c == 5u; var x = c; { let x = 2u; _ = x; } x++; x <<= 2; x %= 7u;',
        values: ['x'],
      },
      [3],
    ],
    [
      'pointers to function variables, elements and members',
      {
        module: `struct S { a: u32, b: array<u32, 4> }
fn bump(p: ptr<function, u32>, by: u32) -> u32 { let old = *p; *p += by; return old; }
fn last(p: ptr<function, array<u32, 4>>) -> u32 { (*p)[0] = 50u; return p[3]; }`,
        before: `var s = S(1u, array<u32, 4>(10, 20, 30, 40)); var i = 2u; let p = &s.b[i]; i = 0u;
let q = &s; let old = bump(p, 5u); (*q).a = bump(&i, 7u);`,
        values: ['s.b[2]', 'old', 'i', 's.a', 'last(&s.b)', 'q.b[0]', '*p'],
      },
      [35, 30, 7, 0, 40, 50, 35],
    ],
    [
      'operands keep their value when a later one assigns the variable',
      {
        module:
          'var<private> n: u32; fn next() -> u32 { n++; return n; } fn pair(a: u32, b: u32) -> u32 { return a * 10 + b; }',
        values: ['n * 100 + next() * 10 + n', 'pair(n, next())', 'pair(next(), pair(1, next()))'],
      },
      [11, 12, 44 - 44 + 3 * 10 + 14],
    ],
    [
      'private variables start from their initializer',
      { module: 'var<private> seed: u32 = 40u + 2u; var<private> z: vec3<u32>;', values: ['seed', 'z.y'] },
      [42, 0],
    ],
    [
      '&& and || run their right side only where needed',
      {
        module: 'var<private> calls: u32; fn yes() -> bool { calls++; return true; }',
        before:
          'var k = 0u; if (k == 1u && yes()) { k = 9u; } if (k == 0u || yes()) { k = 5u; } if (k == 5u && yes()) { k = 6u; }',
        values: ['k', 'calls'],
      },
      [6, 1],
    ],
    ['comments nest', { before: '/* a /* b */ let = */ let x = 4u; // let y', values: ['x'] }, [4]],
  ])('%s', (_name, { module, before, values }, expected) => {
    expect(evaluate(values, module, before)).toEqual(expected);
  });
});

describe('memory layout', () => {
  const input = Uint8Array.from({ length: 96 }, (_, i) => i);
  const word = (byte: number): number => byte | ((byte + 1) << 8) | ((byte + 2) << 16) | ((byte + 3) << 24);

  // Offsets by https://www.w3.org/TR/WGSL/#alignment-and-size
  test.each<[string, 'uniform' | 'read-only-storage', string, string[], number[]]>([
    [
      'vec3 then scalar',
      'uniform',
      'struct T { a: vec3<u32>, b: u32, c: vec2<u32> }',
      ['t.a.z', 't.b', 't.c.x'],
      [8, 12, 16],
    ],
    ['scalar then vec3', 'uniform', 'struct T { a: u32, b: vec3<u32>, c: u32 }', ['t.a', 't.b.y', 't.c'], [0, 20, 28]],
    ['vec2 aligns to 8', 'read-only-storage', 'struct T { a: u32, b: vec2<u32> }', ['t.b.x', 't.b.y'], [8, 12]],
    [
      'an array of vec3 has a stride of 16',
      'uniform',
      'struct T { a: array<vec3<u32>, 3>, b: u32 }',
      ['t.a[1].x', 't.a[2].z', 't.b'],
      [16, 40, 48],
    ],
    [
      '@size and @align',
      'uniform',
      'struct T { @size(32) a: u32, @align(16) b: u32, c: u32 }',
      ['t.b', 't.c'],
      [32, 36],
    ],
    [
      'nested structs',
      'read-only-storage',
      'struct I { a: vec2<u32>, b: u32 } struct T { x: u32, i: array<I, 2>, y: u32 }',
      ['t.i[0].a.y', 't.i[1].b', 't.y'],
      [12, 32, 40],
    ],
    [
      'a runtime-sized array after a header',
      'read-only-storage',
      'struct T { n: u32, d: array<vec2<u32>> }',
      ['t.d[1].y', 't.d[10].x'],
      [20, 88],
    ],
  ])('%s', (_name, kind, module, values, offsets) => {
    const space = kind === 'uniform' ? 'uniform' : 'storage, read';
    const kernel: Kernel = {
      module: `${module}\n@group(0) @binding(1) var<${space}> t: T;`,
      body: values.map((value, i) => `out[${i}] = ${value};`).join('\n'),
      count: 1,
      words: values.length,
      buffers: [{ binding: 1, kind, bytes: 96, data: input, read: false }],
    };
    expect(runKernel(kernel, { subgroupSize: 1 })).toEqual(offsets.map(word));
  });

  test('whole structs are loaded and stored by member', () => {
    const kernel: Kernel = {
      module: `struct T { a: u32, b: vec3<u32> }
@group(0) @binding(1) var<storage, read> from: array<T, 2>;
@group(0) @binding(2) var<storage, read_write> to: array<T, 2>;`,
      body: 'var t = from[1]; t.a = 7u; to[0] = t; to[1] = T(1u, vec3(2, 3, 4)); out[0] = arrayLength(&out);',
      count: 1,
      buffers: [
        { binding: 1, kind: 'read-only-storage', bytes: 64, data: input.slice(0, 64), read: false },
        { binding: 2, kind: 'storage', bytes: 64, read: true },
      ],
    };
    expect(runKernel(kernel, { subgroupSize: 1 })).toEqual([1]);
    const code = `struct T { a: u32, b: vec3<u32> }
@group(0) @binding(1) var<storage, read> from: array<T, 2>;
@group(0) @binding(2) var<storage, read_write> to: array<T, 2>;
@compute @workgroup_size(1) fn main() { var t = from[1]; t.a = 7u; to[0] = t; to[1] = T(1u, vec3(2, 3, 4)); }`;
    const job = { label: '', code, entryPoint: 'main', workgroups: [1, 1, 1] as const, buffers: kernel.buffers ?? [] };
    const bytes = runWgsl(job, { subgroupSize: 1 }).buffers.get(2) ?? new Uint8Array();
    expect([...new Uint32Array(bytes.buffer)]).toEqual([
      ...[7, 0, 0, 0, word(48), word(52), word(56), 0],
      ...[1, 0, 0, 0, 2, 3, 4, 0],
    ]);
  });

  test('out of bounds reads give zero and writes are dropped', () => {
    const kernel: Kernel = {
      module: 'var<workgroup> w: array<u32, 4>;',
      body: `var a = array<u32, 2>(8, 9); let far = index + 1000u; let minus = -1 - i32(index);
w[far] = 1u; a[far] = 2u; out[far] = 3u;
out[0] = w[far]; out[1] = a[far] + a[minus]; out[2] = a[0] + a[1]; out[3] = out[far];`,
      count: 1,
      words: 4,
    };
    expect(runKernel(kernel, { subgroupSize: 1 })).toEqual([0, 0, 17, 0]);
  });
});

describe('faults', () => {
  const run = (body: string, module = ''): number[] =>
    runKernel({ module, body, count: 1 }, { subgroupSize: 1, maxSteps: 1000 });

  test.each<[string, string, string, RegExp]>([
    ['an endless loop', 'loop { if (index == 7u) { break; } }', '', /maxSteps/],
    ['an undeclared name', 'out[0] = nothing;', '', /WGSL line 9: nothing is not declared/],
    ['mixed types', 'out[0] = 1u + 1i;', '', /no operator u32 \+ i32/],
    ['a wrong assignment', 'out[0] = 1.5;', '', /expected u32, found f32/],
    ['a literal too large', 'out[0] = 4294967296;', '', /4294967296/],
    ['a constant index outside', 'var a: array<u32, 2>; a[2] = 1u;', '', /index 2 is outside/],
    ['a switch without default', 'switch index { case 0u: { } }', '', /default/],
    ['an unsupported type', 'let x = f16(1);', 'var<private> h: vec2<f16>;', /f16/],
    ['assigning a let', 'let x = 1u; x = 2u;', '', /cannot be assigned/],
    ['a uniform array of scalars', 'out[0] = t[1];', '@group(0) @binding(1) var<uniform> t: array<u32, 4>;', /stride/],
    ['a missing buffer', 'out[0] = t;', '@group(0) @binding(1) var<uniform> t: u32;', /binding 1 has no buffer/],
  ])('%s', (_name, body, module, message) => {
    expect(() => run(body, module)).toThrow(message);
  });
});
