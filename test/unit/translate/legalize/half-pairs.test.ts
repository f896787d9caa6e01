// Conversions from f32 to f16 on adapters whose pack2x16float rounds to nearest.
import { expect, it } from 'vitest';
import { planFor } from '../../../../src/base/lane-plan.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { translate } from '../../../../src/translate/index.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';

/**
 * Returns the calls of prelude functions for f16 in a kernel that converts the f32 values %x and
 * %y.
 */
function calls(code: string, packHalf: 'exact' | 'approx' | undefined): readonly string[] {
  const ptx = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %out;
  .reg .b32 %r;
  .reg .b16 %h<3>;
  .reg .f32 %x, %y;
  ld.param.u64 %out, [out];
  ld.global.v2.f32 {%x, %y}, [%out];
  ${code}
  st.global.u32 [%out], %r;
  ret;
}
`;
  const { program } = translate(parsePtxOrThrow(ptx), {
    block: [32, 1, 1],
    plan: planFor(32),
    float: { ...exactFloats, packHalf },
  });
  const kernel = program?.code.split('@compute')[1];
  return kernel?.match(/f16_\w+/g) ?? [];
}

it.each([
  ['a pair', 'cvt.rn.f16x2.f32 %r, %x, %y;', ['f16_pack']],
  [
    'two values that become a word',
    'cvt.rn.f16.f32 %h1, %x; cvt.rn.f16.f32 %h2, %y; mov.b32 %r, {%h1, %h2};',
    ['f16_pack'],
  ],
  ['one value', 'cvt.rn.f16.f32 %h1, %x; cvt.u32.u16 %r, %h1;', ['f16_pack']],
  ['a pair, toward zero', 'cvt.rz.f16x2.f32 %r, %x, %y;', ['f16_rounded', 'f16_rounded']],
])('%s', (_, code, expected) => {
  expect(calls(code, 'exact')).toEqual(expected);
});

it.each([undefined, 'approx'] as const)('integers round a pair if pack2x16float is %s', (packHalf) => {
  expect(calls('cvt.rn.f16x2.f32 %r, %x, %y;', packHalf)).toEqual(['f16_from_f32', 'f16_from_f32']);
});
