import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as w from '../../src/wgsl/tree/build.ts';
import { literalText } from '../../src/wgsl/tree/literals.ts';
import { Identifiers, identifierOf } from '../../src/wgsl/tree/names.ts';
import { type Expr, Name, type Origin, type Shader, type Stmt } from '../../src/wgsl/tree/nodes.ts';
import { printShader } from '../../src/wgsl/tree/print.ts';
import { ExpressionPrinter } from '../../src/wgsl/tree/print-expression.ts';
import { evaluate } from '../wgsl-interpreter/kernel.ts';

const variables = Object.fromEntries(['a', 'b', 'c', 'd'].map((hint) => [hint, w.ref(new Name(hint), 'u32')]));
const { a, b, c, d } = variables as Readonly<Record<'a' | 'b' | 'c' | 'd', Expr>>;
const v = w.ref(new Name('v'), w.vec2u);
const p = w.ref(new Name('p'), w.pointer('function', w.array('u32', 4)));
const printed = (expr: Expr): string => new ExpressionPrinter(({ hint }) => hint).print(expr);

describe('expressions have the parentheses that the grammar asks for', () => {
  test.each<[string, Expr]>([
    ['a + b + c', w.add(w.add(a, b), c)],
    ['a + (b + c)', w.add(a, w.add(b, c))],
    ['a - (b - c)', w.sub(a, w.sub(b, c))],
    ['a + b * c', w.add(a, w.mul(b, c))],
    ['(a + b) * c', w.mul(w.add(a, b), c)],
    ['a / (b * c)', w.div(a, w.mul(b, c))],
    ['a * b % c', w.rem(w.mul(a, b), c)],
    ['a & b & c & d', w.and(w.and(a, b), w.and(c, d))],
    ['(a & b) | c', w.or(w.and(a, b), c)],
    ['a ^ (b | c)', w.xor(a, w.or(b, c))],
    ['(a & b) == c', w.eq(w.and(a, b), c)],
    ['(a + b) & c', w.and(w.add(a, b), c)],
    ['(a + b) << c', w.shl(w.add(a, b), c)],
    ['(a << b) + c', w.add(w.shl(a, b), c)],
    ['a << (b << c)', w.shl(a, w.shl(b, c))],
    ['a << b < c + d', w.lt(w.shl(a, b), w.add(c, d))],
    ['(a < b) == (c < d)', w.eq(w.lt(a, b), w.lt(c, d))],
    ['a < b && c < d', w.both(w.lt(a, b), w.lt(c, d))],
    ['(a < b && c < d) || a == b', w.either(w.both(w.lt(a, b), w.lt(c, d)), w.eq(a, b))],
    ['(a == b) & (c == d)', w.and(w.eq(a, b), w.eq(c, d))],
    ['!(a == b)', w.not(w.eq(a, b))],
    ['a == b', w.not(w.not(w.eq(a, b)))],
    ['~a & ~(b | c)', w.and(w.complement(a), w.complement(w.or(b, c)))],
    ['-(-a)', w.negate(w.negate(a))],
    ['-(-5i)', w.negate(w.i32(-5))],
    ['a - -5i', w.sub(a, w.i32(-5))],
    ['v.x', w.swizzle(v, 'x')],
    ['(v + v).yx', w.swizzle(w.add(v, v), 'yx')],
    ['(*p)[a + b]', w.index(w.deref(p), w.add(a, b))],
    ['&a', w.addressOf(a)],
    ['select(b, a, a == b)', w.select(w.eq(a, b), a, b)],
    ['bitcast<i32>(a)', w.bitcast('i32', a)],
    ['a', w.bitcast('u32', w.bitcast('i32', a))],
    ['vec2<u32>(a, b)', w.construct(w.vec2u, a, b)],
    ['array<vec2<u32>, 2>(v, v)', w.construct(w.array(w.vec2u, 2), v, v)],
  ])('%s', (text, expr) => {
    expect(printed(expr)).toBe(text);
  });
});

describe('what looks like a template is put in parentheses', () => {
  test.each<[string, Expr]>([
    ['select((a < b), c, d > c)', w.builtin('select', 'bool', w.lt(a, b), c, w.gt(d, c))],
    ['select(a > b, c, d < c)', w.builtin('select', 'bool', w.gt(a, b), c, w.lt(d, c))],
    ['select((a < b), c, d >> c)', w.builtin('select', 'bool', w.lt(a, b), c, w.shr(d, c))],
    [
      'select((c == d && a < b), c, d >= c)',
      w.builtin('select', 'bool', w.both(w.eq(c, d), w.lt(a, b)), c, w.ge(d, c)),
    ],
    ['a < (b >> c)', w.lt(a, w.shr(b, c))],
    ['a >> b < c', w.lt(w.shr(a, b), c)],
    ['select(a < b, c, d & (a >> b))', w.builtin('select', 'bool', w.lt(a, b), c, w.and(d, w.shr(a, b)))],
  ])('%s', (text, expr) => {
    expect(printed(expr)).toBe(text);
  });
});

test.each<['u32' | 'i32' | 'f32' | 'bool', bigint, string]>([
  ['u32', 0n, '0u'],
  ['u32', 254n, '254u'],
  ['u32', 255n, '0xffu'],
  ['u32', 1000n, '1000u'],
  ['u32', 0xffff_ffffn, '0xffffffffu'],
  ['i32', 5n, '5i'],
  ['i32', 0xffff_ffffn, '-1i'],
  ['i32', 0x8000_0001n, '-2147483647i'],
  ['i32', 0x8000_0000n, 'i32(-2147483648)'],
  ['bool', 1n, 'true'],
  ['f32', 0x3f80_0000n, '1.0f'],
  ['f32', 0xbf80_0000n, '-1.0f'],
  ['f32', 0x3dcc_cccdn, '0.1f'],
  ['f32', 0x7f7f_ffffn, '0x1.fffffep127f'],
  ['f32', 0x0080_0000n, '1.1754944e-38f'],
  ['f32', 0x0000_0001n, '0x1p-149f'],
  ['f32', 0x8000_0000n, '-0.0f'],
])('a literal %s of 0x%x', (type, bits, text) => {
  expect(literalText(type, bits)).toBe(text);
});

test('every finite f32 reads back as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (bits) => {
      fc.pre(((bits >>> 23) & 255) !== 255);
      const view = new DataView(new ArrayBuffer(4));
      const text = literalText('f32', BigInt(bits)).slice(0, -1);
      if (text.includes('x')) return;
      view.setFloat32(0, Number(text));
      expect(view.getUint32(0)).toBe(bits);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['%rd4', 'rd4'],
  ['$L__BB0_3', 'L_BB0_3'],
  ['_Z3fooPi', 'Z3fooPi'],
  ['%1', 'v1'],
  ['', 'v'],
  ['__', 'v'],
  ['a.b\u00e4c', 'a_b_c'],
])('%s becomes %s', (hint, identifier) => {
  expect(identifierOf(hint)).toBe(identifier);
});

test('identifiers are each given once, and none that is taken', () => {
  const identifiers = new Identifiers(new Set(['min']));
  const hints = ['%r1', '%r1_1', '%r1', 'min', 'while', '%r1', '$r1'];
  expect(hints.map((hint) => identifiers.fresh(hint))).toEqual([
    'r1',
    'r1_1',
    'r1_2',
    'min_1',
    'while_1',
    'r1_3',
    'r1_4',
  ]);
});

describe('random expressions', () => {
  const word = fc.integer({ min: 0, max: 0xffff_ffff });
  // Operands that no compiler evaluates, which leave the printed form as it would be with names.
  const leaf = word.map((value): Node => ({ expr: w.helper('f32_of', 'u32', w.u32(value)), value: value >>> 0 }));
  interface Node {
    readonly expr: Expr;
    readonly value: number;
  }
  const two = (
    node: fc.Arbitrary<Node>,
    build: (x: Expr, y: Expr) => Expr,
    compute: (x: number, y: number) => number,
  ) =>
    fc
      .tuple(node, node)
      .map(([x, y]): Node => ({ expr: build(x.expr, y.expr), value: compute(x.value, y.value) >>> 0 }));
  const choose = (
    node: fc.Arbitrary<Node>,
    build: (x: Expr, y: Expr) => Expr,
    compute: (x: number, y: number) => boolean,
  ): fc.Arbitrary<Node> =>
    fc.tuple(node, node, node, node).map(([x, y, t, f]) => ({
      expr: w.builtin('select', 'u32', f.expr, t.expr, build(x.expr, y.expr)),
      value: compute(x.value, y.value) ? t.value : f.value,
    }));
  const { node } = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5, depthSize: 'large' },
      leaf,
      two(tie('node'), w.add, (x, y) => x + y),
      two(tie('node'), w.sub, (x, y) => x - y),
      two(tie('node'), w.mul, (x, y) => Math.imul(x, y)),
      two(tie('node'), w.and, (x, y) => x & y),
      two(tie('node'), w.or, (x, y) => x | y),
      two(tie('node'), w.xor, (x, y) => x ^ y),
      two(tie('node'), w.shl, (x, y) => x << (y & 31)),
      two(tie('node'), w.shr, (x, y) => x >>> (y & 31)),
      tie('node').map(({ expr, value }) => ({ expr: w.complement(expr), value: ~value >>> 0 })),
      choose(tie('node'), w.lt, (x, y) => x < y),
      choose(tie('node'), w.gt, (x, y) => x > y),
      choose(
        tie('node'),
        (x, y) => w.both(w.lt(x, y), w.ge(y, x)),
        (x, y) => x < y && y >= x,
      ),
      choose(
        tie('node'),
        (x, y) => w.either(w.eq(x, y), w.lt(x, y)),
        (x, y) => x <= y,
      ),
    ),
  }));

  test('mean what the tree says', () => {
    const prelude = 'var<private> hidden: u32; fn f32_of(x: u32) -> u32 { hidden = x; return hidden; }';
    fc.assert(
      fc.property(node, ({ expr, value }) => {
        expect(evaluate([printed(expr)], prelude)).toEqual([value]);
      }),
      { numRuns: 150 },
    );
  });
});

const at = (ptx: string, text: string): Origin => ({ start: ptx.indexOf(text), end: ptx.indexOf(text) + text.length });
const entry = (
  body: readonly Stmt[],
  more: Partial<Extract<Shader['declarations'][number], { kind: 'function' }>> = {},
): Shader => ({
  enables: [],
  requires: [],
  diagnosticsOff: [],
  declarations: [
    { kind: 'function', name: new Name('main'), params: [], result: undefined, body, workgroupSize: [32], ...more },
  ],
});

test('a whole shader', () => {
  const ptx =
    'add.u32 %r1,\n    %r2, 1; // more\nsetp.eq.u32 %p, %r1, 0;\n@%p bra L;\n@%q bra M;\nst.global [%rd1], %r1;\n';
  const [sum, out, struct, count, params, tid, twice, x] = [
    '%r1',
    'out',
    'Params',
    'n',
    'params',
    'tid',
    '_Z5twicej',
    'x',
  ].map((hint) => new Name(hint)) as [Name, Name, Name, Name, Name, Name, Name, Name];
  const words = w.ref(out, w.array('u32'));
  const [add, setp, branch, other, store] = [
    'add.u32 %r1,\n    %r2, 1;',
    'setp.eq.u32 %p, %r1, 0;',
    '@%p bra L;',
    '@%q bra M;',
    'st.global [%rd1], %r1;',
  ].map((text) => at(ptx, text));
  const n = w.member(w.ref(params, w.struct(struct)), count, 'u32');
  const put = (value: Expr): Stmt => ({ ...w.assign(w.index(words, w.u32(0)), value), origin: store });
  const shader: Shader = {
    enables: ['subgroups'],
    requires: ['subgroup_id'],
    diagnosticsOff: ['subgroup_uniformity'],
    declarations: [
      { kind: 'struct', name: struct, members: [{ name: count, type: 'u32' }] },
      { kind: 'binding', group: 0, binding: 0, name: params, space: 'uniform', type: w.struct(struct) },
      { kind: 'binding', group: 0, binding: 1, name: out, space: 'storage, read_write', type: w.array('u32') },
      {
        kind: 'function',
        name: twice,
        params: [{ name: x, type: 'u32' }],
        result: 'u32',
        body: [w.give(w.helper('mul_hi_u32', 'u32', w.ref(x, 'u32'), w.u32(2)))],
        comment: 'Doubles.',
      },
      {
        kind: 'function',
        name: new Name('main'),
        params: [{ name: tid, type: w.vec3u, builtin: 'local_invocation_id' }],
        result: undefined,
        workgroupSize: [64, 1, 1],
        subgroupSize: 32,
        body: [
          { ...w.define(sum, w.add(w.call(twice, 'u32', n), w.u32(1))), origin: add },
          w.perform(w.builtin('workgroupBarrier', 'u32')),
          {
            ...w.when(
              w.eq(w.ref(sum, 'u32'), w.u32(0)),
              [put(w.u32(1))],
              [{ ...w.when(w.ne(w.ref(sum, 'u32'), w.u32(1)), [put(w.u32(2))], [w.give()]), origin: other }],
            ),
            origin: branch,
          },
          { ...put(w.swizzle(w.ref(tid, w.vec3u), 'x')), origin: branch },
          { ...w.when(w.bool(true), [w.give()]), origin: setp },
        ],
      },
    ],
  };
  const result = printShader(shader, ptx);
  expect(result.code).toBe(`enable subgroups;
requires subgroup_id;
diagnostic(off, subgroup_uniformity);

struct Params {
  n: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

// The 64-bit product, out of 16-bit pieces: WGSL has no wide multiply.
fn mul_wide_u32(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let cross = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (cross >> 16u));
}

// The high half of the product.
fn mul_hi_u32(a: u32, b: u32) -> u32 {
  return mul_wide_u32(a, b).y;
}

// Doubles.
fn Z5twicej(x: u32) -> u32 {
  return mul_hi_u32(x, 2u);
}

@compute @workgroup_size(64, 1, 1) @subgroup_size(32)
fn main(@builtin(local_invocation_id) tid: vec3<u32>) {
  // add.u32 %r1, %r2, 1;
  let r1 = Z5twicej(params.n) + 1u;
  workgroupBarrier();
  // @%p bra L;
  if (r1 == 0u) {
    // st.global [%rd1], %r1;
    out[0u] = 1u;
  } else if (r1 != 1u) { // @%q bra M;
    // st.global [%rd1], %r1;
    out[0u] = 2u;
  } else {
    return;
  }
  out[0u] = tid.x;
  // setp.eq.u32 %p, %r1, 0;
  if (true) { return; }
}
`);
  const lines = result.code.split('\n');
  const shown = result.sourceMap.map(({ line, origin }) => [
    lines[line - 1]?.trim(),
    ptx.slice(origin.start, origin.start + 3),
  ]);
  expect(shown).toEqual([
    ['// add.u32 %r1, %r2, 1;', 'add'],
    ['let r1 = Z5twicej(params.n) + 1u;', 'add'],
    ['workgroupBarrier();', 'add'],
    ['// @%p bra L;', '@%p'],
    ['if (r1 == 0u) {', '@%p'],
    ['// st.global [%rd1], %r1;', 'st.'],
    ['out[0u] = 1u;', 'st.'],
    ['} else if (r1 != 1u) { // @%q bra M;', '@%q'],
    ['// st.global [%rd1], %r1;', 'st.'],
    ['out[0u] = 2u;', 'st.'],
    ['return;', '@%q'],
    ['out[0u] = tid.x;', '@%p'],
    ['// setp.eq.u32 %p, %r1, 0;', 'set'],
    ['if (true) { return; }', 'set'],
  ]);
  expect(result.names.get(sum)).toBe('r1');
  expect(result.names.get(count)).toBe('n');
});

test('control flow', () => {
  const [i, s] = [new Name('i'), new Name('s')];
  const counter = w.ref(i, 'u32');
  const { code } = printShader(
    entry([
      w.variable(i, 'u32'),
      {
        kind: 'loop',
        body: [
          w.when(w.lt(counter, w.u32(3)), [w.leave]),
          {
            kind: 'switch',
            selector: counter,
            cases: [
              { values: [1, 2], isDefault: false, body: [w.again] },
              { values: [3], isDefault: true, body: [] },
            ],
          },
        ],
        continuing: [w.update(counter, '+', w.u32(1))],
        breakIf: w.eq(counter, w.u32(9)),
      },
      w.repeat(s, 8, [{ kind: 'comment', text: 'Nothing\nat all' }]),
      { kind: 'block', body: [w.give()] },
    ]),
  );
  expect(code).toBe(`@compute @workgroup_size(32)
fn main() {
  var i: u32;
  loop {
    if (i < 3u) { break; }
    switch i {
      case 1u, 2u: {
        continue;
      }
      case 3u, default: {
      }
    }
    continuing {
      i += 1u;
      break if i == 9u;
    }
  }
  for (var s = 0u; s < 8u; s++) {
    // Nothing
    // at all
  }
  {
    return;
  }
}
`);
});

test('names of the program are its own', () => {
  const [helper, again, hidden] = ['mul_hi_u32', 'main', 'subgroupAdd'].map((hint) => new Name(hint)) as [
    Name,
    Name,
    Name,
  ];
  const { code } = printShader(entry([helper, again, hidden].map((name) => w.define(name, w.u32(1)))));
  expect(code).toContain('let mul_hi_u32_1 = 1u;');
  expect(code).toContain('let main_1 = 1u;');
  expect(code).toContain('let subgroupAdd_1 = 1u;');
});

test('a comment cannot be ended by what PTX has in it', () => {
  const ptx = 'mov.u32 %r1,\u2028\u0085\r 1;';
  const { code } = printShader(entry([{ ...w.give(), origin: { start: 0, end: ptx.length } }]), ptx);
  expect(code).toContain('  // mov.u32 %r1, 1;\n  return;\n');
});

test('a long program takes linear time', () => {
  const names = Array.from({ length: 60_000 }, (_, index) => new Name(`%r${index % 3}`));
  const body = names.map((name, index) => w.define(name, w.ref(names[Math.max(index - 1, 0)] ?? name, 'u32')));
  expect(printShader(entry(body)).code.split('\n')).toHaveLength(60_004);
});
