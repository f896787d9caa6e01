import { describe, expect, test } from 'vitest';
import { runWgsl } from '../../wgsl-interpreter/index.ts';
import type { Kernel } from '../../wgsl-interpreter/kernel.ts';
import { evaluate, runKernel } from '../../wgsl-interpreter/kernel.ts';

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
      'operands keep their value if a later one assigns the variable',
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
      '&& and || run their right side only if needed',
      {
        module: 'var<private> calls: u32; fn yes() -> bool { calls++; return true; }',
        before:
          'var k = 0u; if (k == 1u && yes()) { k = 9u; } if (k == 0u || yes()) { k = 5u; } if (k == 5u && yes()) { k = 6u; }',
        values: ['k', 'calls'],
      },
      [6, 1],
    ],
    [
      'conditions that start with a parenthesis',
      {
        before:
          'var k = 6u; if (k & 2u) != 0u { k++; } while (k) < 9u { k++; } switch (k) & 1u { case 1 { k += 2u; k += 3u; k += 4u; } default: { } } loop { continuing { k++; break if (k) > 20u; } }',
        values: ['k'],
      },
      [21],
    ],
    [
      'members of parenthesized members',
      {
        module: 'struct A { v: vec3<u32>, w: array<vec2<u32>, 2> }',
        before: 'var a = A(vec3(1, 2, 3), array(vec2(4u, 5u), vec2(6u, 7u)));',
        values: ['(a.v).z', '(a.w)[1].x', '((a).w[1]).y', '(a.v.zyx).x', 'a.v.zy.y', '(a.v + a.v.zyx).x'],
      },
      [3, 6, 7, 3, 2, 4],
    ],
    [
      'shifts and comparisons in the arguments of a template',
      {
        before:
          'let a = 12u; let v = vec2<u32>(a >> 1u, a >> 2u); let c = vec2<bool>(a >= 12u, a >= 13u); let s = i32(v.x);',
        values: [
          'v.x',
          'v.y',
          'u32(c.x) + u32(c.y)',
          'bitcast<u32>(s >> 1u) + vec2<u32>(a>>3u).y',
          'array<vec2<u32>,1>(v)[0].x >> 1u',
        ],
      },
      [6, 3, 1, 4, 3],
    ],
    ['comments nest', { before: '/* a /* b */ let = */ let x = 4u; // let y', values: ['x'] }, [4]],
  ])('%s', (_name, { module, before, values }, expected) => {
    expect(evaluate(values, module, before)).toEqual(expected);
  });
});

describe('memory layout', () => {
  const input = Uint8Array.from({ length: 96 }, (_, i) => i);
  const word = (byte: number): number => byte | ((byte + 1) << 8) | ((byte + 2) << 16) | ((byte + 3) << 24);

  // Offsets from https://www.w3.org/TR/WGSL/#alignment-and-size
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
@group(0) @binding(1) var<storage, read> source: array<T, 2>;
@group(0) @binding(2) var<storage, read_write> to: array<T, 2>;`,
      body: 'var t = source[1]; t.a = 7u; to[0] = t; to[1] = T(1u, vec3(2, 3, 4)); out[0] = arrayLength(&out);',
      count: 1,
      buffers: [
        { binding: 1, kind: 'read-only-storage', bytes: 64, data: input.slice(0, 64), read: false },
        { binding: 2, kind: 'storage', bytes: 64, read: true },
      ],
    };
    expect(runKernel(kernel, { subgroupSize: 1 })).toEqual([1]);
    const code = `struct T { a: u32, b: vec3<u32> }
@group(0) @binding(1) var<storage, read> source: array<T, 2>;
@group(0) @binding(2) var<storage, read_write> to: array<T, 2>;
@compute @workgroup_size(1) fn main() { var t = source[1]; t.a = 7u; to[0] = t; to[1] = T(1u, vec3(2, 3, 4)); }`;
    const job = { label: '', code, entryPoint: 'main', workgroups: [1, 1, 1] as const, buffers: kernel.buffers ?? [] };
    const bytes = runWgsl(job, { subgroupSize: 1 }).buffers.get(2) ?? new Uint8Array();
    expect([...new Uint32Array(bytes.buffer)]).toEqual([
      ...[7, 0, 0, 0, word(48), word(52), word(56), 0],
      ...[1, 0, 0, 0, 2, 3, 4, 0],
    ]);
  });

  test('out-of-bounds reads return zero, and writes are ignored', () => {
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
    ['a literal that is too large', 'out[0] = 4294967296;', '', /4294967296/],
    ['a constant index out of bounds', 'var a: array<u32, 2>; a[2] = 1u;', '', /index 2 is outside/],
    ['a switch without default', 'switch index { case 0u: { } }', '', /default/],
    ['an unsupported type', 'let x = f16(1);', 'var<private> h: vec2<f16>;', /f16/],
    ['assigning a let', 'let x = 1u; x = 2u;', '', /cannot be assigned/],
    ['a uniform array of scalars', 'out[0] = t[1];', '@group(0) @binding(1) var<uniform> t: array<u32, 4>;', /stride/],
    ['a reserved word', 'let active = 1u; out[0] = active;', '', /the word active is reserved/],
    ['a reserved parameter', 'out[0] = f(1u);', 'fn f(target: u32) -> u32 { return target; }', /target is reserved/],
    ['a recursive function', 'f();', 'fn f() { g(); } fn g() { f(); }', /f is recursive/],
    ['bitwise operators without parentheses', 'out[0] = 1u | 2u & 3u;', '', /WGSL line 9: expected ;, not &/],
    ['a shift of a sum', 'out[0] = 1u + 2u << 3u;', '', /expected ;, not <</],
    ['a comparison of a comparison', 'let x = 1u < 2u == true;', '', /expected ;, not ==/],
    ['&& beside ||', 'let x = true && false || true;', '', /expected ;, not \|\|/],
    ['a statement without an effect', 'out[0];', '', /unexpected ;/],
    ['a comment without an end', '/* out[0] = 1u;', '', /a comment without an end/],
    ['a missing brace', 'if index == 0u { out[0] = 1u;', '', /expected a name, not the end/],
    ['a missing buffer', 'out[0] = t;', '@group(0) @binding(1) var<uniform> t: u32;', /binding 1 has no buffer/],
  ])('%s', (_name, body, module, message) => {
    expect(() => run(body, module)).toThrow(message);
  });
});
