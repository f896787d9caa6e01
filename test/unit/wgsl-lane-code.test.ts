// How lowered instructions read, and that the prelude hangs together.
import { describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../src/base/float-profile.ts';
import type { LaneRowName, Mods } from '../../src/isa/index.ts';
import { asF32, bare, literal } from '../../src/wgsl/cast.ts';
import type { Expr, LowerContext } from '../../src/wgsl/expr.ts';
import { type HelperName, helpers, renderHelpers } from '../../src/wgsl/helpers.ts';
import { laneLowerings } from '../../src/wgsl/lane/index.ts';

const float: FloatProfile = {
  mode: 'exact',
  denormals: 'flushed',
  fma: 'fused',
  contracts: false,
  div: 'approx',
  sqrt: 'approx',
};

const ctx: LowerContext = { float, use: (helper) => helper, name: (expr) => expr };

/// `a`, `%f:a` as f32, `%p:a` as bool, `%rd:a` as 64 bits; `12`, `0x80000000` as a constant.
function operand(text: string): Expr {
  const [kind, code] = text.includes(':') ? text.split(':') : ['', text];
  if (code === undefined) throw new Error(text);
  if (/^\d/.test(code)) return literal(kind === '%rd' ? 'vec2<u32>' : 'u32', BigInt(code));
  const types: Readonly<Record<string, Expr['type']>> = { '%f': 'f32', '%p': 'bool', '%rd': 'vec2<u32>' };
  return { code, type: types[kind ?? ''] ?? 'u32' };
}

function lowered(row: LaneRowName, mods: Mods, operands: string): string[] {
  const sources = operands.split(', ').map(operand);
  return laneLowerings[row](ctx, mods, sources).map(({ code }) => bare(code));
}

test.each<[LaneRowName, Mods, string, string]>([
  ['add', { type: 'u32' }, 'a, b', 'a + b'],
  ['add', { type: 's16' }, 'a, b', '(a + b) & 0xffffu'],
  ['add', { type: 'u32' }, 'a, 0', 'a'],
  ['add', { type: 'u32' }, '0xffffffff, 2', '1u'],
  ['add', { type: 'u64' }, '%rd:a, %rd:b', 'add64(a, b)'],
  ['sub', { type: 's32' }, '0, 1', '0xffffffffu'],
  ['mad', { half: 'lo', type: 's32' }, 'a, b, c', '(a * b) + c'],
  ['mul.wide', { type: 's32' }, 'a, 4', 'mul_wide_s32(a, 4u)'],
  ['div', { type: 'u32' }, 'a, 10', 'a / 10u'],
  ['div', { type: 'u32' }, 'a, 0', 'div_u32(a, 0u)'],
  ['shl', { type: 'b32' }, 'a, 5', 'a << 5u'],
  ['shl', { type: 'b32' }, 'a, 32', '0u'],
  ['shl', { type: 'b32' }, 'a, b', 'shl_clamp(a, b)'],
  ['shr', { type: 's32' }, 'a, 99', 'bitcast<u32>(bitcast<i32>(a) >> 31u)'],
  ['shf', { dir: 'l', mode: 'wrap' }, 'a, a, 7', '(a << 7u) | (a >> 25u)'],
  ['bfe', { type: 'u32' }, 'a, 8, 40', 'extractBits(a, 8u, 24u)'],
  ['prmt', {}, 'a, b, 0x5410', '(a & 0xffffu) | (b << 16u)'],
  ['prmt', {}, 'a, b, 0x0123', '(((a >> 24u) | ((a >> 8u) & 0xff00u)) | ((a << 8u) & 0xff0000u)) | (a << 24u)'],
  ['lop3', {}, 'a, b, c, 0x96', 'a ^ (b ^ c)'],
  ['lop3', {}, 'a, b, c, 0x80', 'a & (b & c)'],
  ['lop3', {}, 'a, b, c, 0xf0', 'a'],
  ['and', { type: 'pred' }, '%p:a, %p:b', 'a & b'],
  ['not', { type: 'pred' }, '%p:a', '!a'],
  ['setp', { cmp: 'lt', type: 's32' }, 'a, 0x80000000', 'bitcast<i32>(a) < i32(-2147483648)'],
  ['setp', { cmp: 'hs', type: 'u32' }, 'a, b', 'a >= b'],
  ['setp', { cmp: 'ge', type: 'u64' }, '%rd:a, %rd:b', '!lt_u64(a, b)'],
  ['selp', { type: 'f32' }, '%f:a, %f:b, %p:c', 'select(b, a, c)'],
  ['selp', { type: 'b32' }, '1, 0, %p:c', 'select(0u, 1u, c)'],
  ['mov', { type: 'b32' }, '%f:a', 'a'],
  ['cvt', { dtype: 'u64', atype: 'u32' }, 'a', 'vec2<u32>(a, 0u)'],
  ['cvt', { dtype: 'u32', atype: 'u64' }, '%rd:a', 'a.x'],
  ['cvt', { dtype: 'u32', atype: 'u16' }, 'a', 'a & 0xffffu'],
  ['cvt', { rnd: 'rzi', dtype: 's32', atype: 'f32' }, '%f:a', 'bitcast<u32>(f32_to_s32(a))'],
  ['add.f32', {}, '%f:a, 0x3fc00000', 'f32_add(a, 1.5f)'],
  ['add.f32', { rnd: 'rz' }, '%f:a, %f:b', 'bitcast<f32>(soft_add(bitcast<u32>(a), bitcast<u32>(b), 1u))'],
  ['fma.f32', { rnd: 'rn', sat: 'sat' }, '%f:a, %f:b, %f:c', 'f32_saturate(f32_fma(a, b, c))'],
  ['max.f32', {}, '%f:a, 0xff800000', 'f32_max(a, f32_of(0xff800000u))'],
  ['setp.f32', { cmp: 'geu' }, '%f:a, %f:b', '!f32_lt(a, b)'],
])('%s %o of %s', (row, mods, operands, code) => {
  expect(lowered(row, mods, operands)[0]).toBe(code);
});

test('every table of lop3 is computed by its expression', () => {
  const row = [0xf0, 0xcc, 0xaa].map((value) => literal('u32', BigInt(value)));
  for (let lut = 0; lut < 256; lut++) {
    const [result] = laneLowerings.lop3(ctx, {}, [...row, literal('u32', BigInt(lut))]);
    expect((result?.constant ?? -1n) & 0xffn).toBe(BigInt(lut));
  }
});

test('f32 constants are literals only where WGSL takes them as they are', () => {
  const code = (bits: bigint): string => asF32(ctx, literal('u32', bits)).code;
  expect(code(0n)).toBe('0.0f');
  expect(code(0x3f800000n)).toBe('1.0f');
  expect(code(0xc0200000n)).toBe('(-2.5f)');
  expect(code(0x3dcccccdn)).toBe('bitcast<f32>(0x3dcccccdu)');
  expect(code(0x80000000n)).toBe('f32_of(0x80000000u)');
  expect(code(0x00000001n)).toBe('f32_of(1u)');
  expect(code(0x7fc00000n)).toBe('f32_of(0x7fc00000u)');
});

describe('the prelude', () => {
  const names = Object.keys(helpers);

  test.each(Object.entries(helpers))('%s says what it calls', (name, { code, uses = [] }) => {
    const called = [...code.matchAll(/\b(\w+)\(/g)].map(([, callee = '']) => callee);
    const own = new Set(called.filter((callee) => callee !== name && names.includes(callee)));
    expect([...own].sort()).toEqual([...uses].sort());
    expect(code).toContain(`fn ${name}(`);
    expect(code.trim()).toMatch(/^\/\/ /);
  });

  test('comes in an order that needs no forward look', () => {
    const used: HelperName[] = ['f32_tanh', 'rem_s64', 'f32_add'];
    const text = renderHelpers(used);
    const defined = [...text.matchAll(/^fn (\w+)/gm)].map(([, name = '']) => name);
    expect(new Set(defined).size).toBe(defined.length);
    for (const name of defined) {
      const helper = Object.entries(helpers).find(([key]) => key === name)?.[1];
      for (const callee of helper?.uses ?? []) expect(defined.indexOf(callee)).toBeLessThan(defined.indexOf(name));
    }
    expect(renderHelpers([])).toBe('');
  });
});
