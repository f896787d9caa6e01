// The WGSL text of translated instructions, and the consistency of the prelude.
import { describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../../src/base/float-profile.ts';
import { parsePtxOrThrow } from '../../../src/ptx/index.ts';
import { planFor, translate } from '../../../src/translate/index.ts';
import { type HelperName, helpers, renderHelpers } from '../../../src/wgsl/helpers.ts';
import { statementsOf } from '../../lockstep/small-kernel.ts';

const float: FloatProfile = {
  mode: 'exact',
  denormals: 'flushed',
  fma: 'fused',
  contracts: false,
  div: 'approx',
  sqrt: 'approx',
};

const stores: Readonly<Record<string, string>> = {
  r: 'st.global.u32 [%at+64], %r;',
  f: 'st.global.f32 [%at+64], %f;',
  d: 'st.global.u64 [%at+64], %d;',
  h: 'cvt.u32.u16 %t, %h;\n  st.global.u32 [%at+64], %t;',
  p: 'selp.u32 %t, 1, 0, %p;\n  st.global.u32 [%at+64], %t;',
};

/**
 * Returns the WGSL of an instruction's result: the expression of its name, or the words that are
 * stored. `%a`, `%b` and `%c` are words from memory, and so are `%fa` and `%fb` (f32), `%da` and
 * `%db` (64 bits), `%ha` and `%hb` (16 bits). `%pa` and `%pb` are predicates.
 */
function written(instruction: string): string {
  const [, result = ''] = /%(\w)\b/.exec(instruction) ?? [];
  const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data)
{
  .reg .pred %p, %pa, %pb;
  .reg .b16 %h, %ha, %hb;
  .reg .b32 %r, %a, %b, %c, %t;
  .reg .f32 %f, %fa, %fb;
  .reg .b64 %d, %da, %db, %at;
  ld.param.u64 %at, [data];
  ld.global.u32 %a, [%at];
  ld.global.u32 %b, [%at+4];
  ld.global.u32 %c, [%at+8];
  ld.global.f32 %fa, [%at+12];
  ld.global.f32 %fb, [%at+16];
  ld.global.u64 %da, [%at+24];
  ld.global.u64 %db, [%at+32];
  ld.global.u16 %ha, [%at+40];
  ld.global.u16 %hb, [%at+44];
  setp.eq.u32 %pa, %a, 77;
  setp.eq.u32 %pb, %b, 77;
  ${instruction};
  ${stores[result]}
  ret;
}
`;
  const { program, diagnostics } = translate(parsePtxOrThrow(ptx), { block: [1, 1, 1], plan: planFor(1), float });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const lines = statementsOf(program.code);
  const named = lines.find((line) => line.startsWith(`let ${result} = `));
  const found = named === undefined ? lines.filter((line) => /^data\[.*?\] = /.test(line)) : [named];
  return found.map((line) => line.replace(/^.*? = (.*);$/, '$1')).join(', ');
}

test.each<[string, string]>([
  ['add.u32 %r, %a, %b', 'a + b'],
  ['add.s16 %h, %ha, %hb', '(ha + hb) & 0xffffu'],
  ['add.u32 %r, %a, 0', 'a'],
  ['add.u32 %r, 0xffffffff, 2', '1u'],
  ['add.u64 %d, %da, %db', 'vec2<u32>(d_lo, d_hi)'],
  ['sub.s32 %r, 0, 1', '0xffffffffu'],
  ['sub.s32 %r, %a, 7', 'a - 7u'],
  ['mad.lo.s32 %r, %a, %b, %c', 'a * b + c'],
  ['mul.wide.s32 %d, %a, 4', 'vec2<u32>(d_lo, d_hi)'],
  ['div.u32 %r, %a, 10', 'a / 10u'],
  ['div.u32 %r, %a, 8', 'a >> 3u'],
  ['div.u32 %r, %a, 0', '0xffffffffu'],
  ['shl.b32 %r, %a, 5', 'a << 5u'],
  ['shl.b32 %r, %a, 32', '0u'],
  ['shl.b32 %r, %a, %b', 'shl_clamp(a, b)'],
  ['shr.s32 %r, %a, 99', 'bitcast<u32>(bitcast<i32>(a) >> 31u)'],
  ['shf.l.wrap.b32 %r, %a, %a, 7', '(a << 7u) | (a >> 25u)'],
  ['bfe.u32 %r, %a, 8, 40', 'a >> 8u'],
  ['prmt.b32 %r, %a, %b, 0x5410', '(a & 0xffffu) | (b << 16u)'],
  ['prmt.b32 %r, %a, %b, 0x0123', '(a >> 24u) | ((a >> 8u) & 0xff00u) | ((a << 8u) & 0xff0000u) | (a << 24u)'],
  ['lop3.b32 %r, %a, %b, %c, 0x96', 'a ^ b ^ c'],
  ['lop3.b32 %r, %a, %b, %c, 0x80', 'a & b & c'],
  ['lop3.b32 %r, %a, %b, %c, 0xf0', 'a'],
  ['and.pred %p, %pa, %pb', 'pa & pb'],
  ['not.pred %p, %pa', 't'],
  ['setp.lt.s32 %p, %a, 0x80000000', '0u'],
  ['setp.lt.s32 %p, %a, 5', 'bitcast<i32>(a) < 5i'],
  ['setp.hs.u32 %p, %a, %b', 'a >= b'],
  ['setp.ge.u64 %p, %da, %db', '!lt_u64(vec2<u32>(da, da_1), vec2<u32>(db, db_1))'],
  ['selp.f32 %f, %fa, %fb, %pa', 'select(bitcast<f32>(fb), bitcast<f32>(fa), pa)'],
  ['selp.b32 %r, 1, 0, %pa', 'u32(pa)'],
  ['mov.b32 %r, %fa', 'fa'],
  ['cvt.u64.u32 %d, %a', 'vec2<u32>(a, 0u)'],
  ['cvt.u32.u64 %r, %da', 'da'],
  ['cvt.u32.u16 %r, %ha', 'ha'],
  ['cvt.u16.u32 %h, %a', 't'],
  // `%ha` is the low half of the word `t`. `extractBits` ignores the upper half, so there is no
  // mask.
  ['cvt.s32.s16 %r, %ha', 'bitcast<u32>(extractBits(bitcast<i32>(t), 0u, 16u))'],
  ['cvt.rzi.s32.f32 %r, %fa', 'bitcast<u32>(f32_to_s32(bitcast<f32>(fa)))'],
  ['add.f32 %f, %fa, 0f3fc00000', 'f32_add(bitcast<f32>(fa), 1.5f)'],
  ['add.rz.f32 %f, %fa, %fb', 'soft_add(fa, fb, 1u)'],
  ['fma.rn.sat.f32 %f, %fa, %fb, %fa', 'f32_saturate(f32_fma(fa_1, bitcast<f32>(fb), fa_1))'],
  ['max.f32 %f, %fa, 0fff800000', 'f32_max(bitcast<f32>(fa), f32_of(0xff800000u))'],
  ['setp.geu.f32 %p, %fa, %fb', '!f32_lt(bitcast<f32>(fa), bitcast<f32>(fb))'],
  ['add.f32 %f, %fa, 0f00000001', 'f32_add(bitcast<f32>(fa), f32_of(1u))'],
  ['mov.f32 %f, 0f7fc00000', '0x7fc00000u'],
  ['mov.f32 %f, 0f80000000', '0x80000000u'],
  ['mov.f32 %f, 0f3dcccccd', '0x3dcccccdu'],
  ['mov.f32 %f, 0fc0200000', '0xc0200000u'],
])('%s', (instruction, code) => {
  expect(written(instruction)).toBe(code);
});

describe('the prelude', () => {
  const names = Object.keys(helpers);

  test.each(Object.entries(helpers))('%s lists the functions that it calls', (name, { code, uses = [] }) => {
    const called = [...code.matchAll(/\b(\w+)\(/g)].map(([, callee = '']) => callee);
    const own = new Set(called.filter((callee) => callee !== name && names.includes(callee)));
    expect([...own].sort()).toEqual([...uses].sort());
    expect(code).toContain(`fn ${name}(`);
    expect(code.trim()).toMatch(/^\/\/ /);
  });

  test('lists functions before their callers', () => {
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
