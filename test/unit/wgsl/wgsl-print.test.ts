import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as w from '../../../src/wgsl/tree/build.ts';
import { literalText } from '../../../src/wgsl/tree/literals.ts';
import { Identifiers, identifierOf } from '../../../src/wgsl/tree/names.ts';
import { type Expr, Name } from '../../../src/wgsl/tree/nodes.ts';
import { ExpressionPrinter } from '../../../src/wgsl/tree/print-expression.ts';
import { evaluate } from '../../wgsl-interpreter/kernel.ts';

const variables = Object.fromEntries(['a', 'b', 'c', 'd'].map((hint) => [hint, w.ref(new Name(hint), 'u32')]));
const { a, b, c, d } = variables as Readonly<Record<'a' | 'b' | 'c' | 'd', Expr>>;
const v = w.ref(new Name('v'), w.vec2u);
const p = w.ref(new Name('p'), w.pointer('function', w.array('u32', 4)));
const printed = (expr: Expr): string => new ExpressionPrinter(({ hint }) => hint).print(expr);

describe('expressions have the parentheses that the grammar requires', () => {
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

describe('comparisons that look like templates are parenthesized', () => {
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

test('identifiers are unique, and differ from reserved ones', () => {
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
  // Operands that a WGSL compiler does not evaluate. The printer treats them as it treats names.
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

  test('evaluate to the value of the tree', () => {
    const prelude = 'var<private> hidden: u32; fn f32_of(x: u32) -> u32 { hidden = x; return hidden; }';
    fc.assert(
      fc.property(node, ({ expr, value }) => {
        expect(evaluate([printed(expr)], prelude)).toEqual([value]);
      }),
      { numRuns: 150 },
    );
  });
});
