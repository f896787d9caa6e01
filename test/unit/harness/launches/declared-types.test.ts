// The types of parameters from the mangled name of a kernel, and their effect on inferred types.
import { describe, expect, test } from 'vitest';
import { inferKernel } from '../../../../src/harness/infer/index.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';

/** Returns the declared type and the inferred element of the only parameter. */
function first(name: string, param: string, body: string): [string | undefined, string | undefined] {
  const text = `.version 8.0
.target sm_90
.address_size 64
.visible .entry ${name}(${param})
{
  .reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .f32 %f<4>;
${body}
  ret;
}
`;
  const module = parsePtxOrThrow(text, { file: 'k.ptx' });
  const [entry] = module.functions;
  if (entry === undefined) throw new Error('no entry');
  const [use] = inferKernel(module, entry).params;
  const [field] = use?.fields ?? [];
  const { kind, isPointer } = use?.declared ?? { kind: undefined, isPointer: false };
  return [
    kind === undefined ? undefined : `${kind}${isPointer ? '*' : ''}`,
    field?.use.kind === 'pointer' ? field.use.element : undefined,
  ];
}

const copy = (type: string, register: string): string =>
  `ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;
   ld.global.${type} ${register}, [%rd1]; st.global.${type} [%rd1+64], ${register};`;
const pointer = '.param .u64 a';

describe('memory', () => {
  test.each([
    // The name, a type of access, the declared type, the inferred element.
    ['int', '_Z1kPi', copy('b32', '%r1'), 's32*', 's32'],
    ['int const', '_Z1kPKi', copy('u32', '%r1'), 's32*', 's32'],
    ['unsigned char', '_Z1kPh', copy('u8', '%h1'), 'u8*', 'u8'],
    ['char', '_Z1kPc', copy('u8', '%h1'), 's8*', 's8'],
    ['__half', '_Z1kP6__half', copy('b16', '%h1'), 'f16*', 'f16'],
    ['__nv_bfloat16', '_Z1kP13__nv_bfloat16', copy('u16', '%h1'), 'bf16*', 'bf16'],
    ['vectors', '_Z1kP6float4', copy('v4.b32', '{%r1, %r2, %r3, %r4}'), 'f32*', 'f32'],
    ['pairs of __half in a word', '_Z1kP6__half', copy('b32', '%r1'), 'f16*', 'f16'],
    ['a template argument', '_Z1kIfEvPT_', copy('b32', '%r1'), 'f32*', 'f32'],
    ['accesses narrower than the declared type', '_Z1kPy', copy('b32', '%r1'), 'u64*', 'u32'],
    ['floats in memory declared as bytes', '_Z1kPh', copy('f32', '%f1'), 'u8*', 'f32'],
    ['void', '_Z1kPv', copy('u32', '%r1'), undefined, 'u32'],
    ['a struct', '_Z1kP5point', copy('u32', '%r1'), undefined, 'u32'],
    ['pointers', '_Z1kPPi', copy('u64', '%rd2'), undefined, 'u64'],
    ['a name of C', 'k', copy('u32', '%r1'), undefined, 'u32'],
    ['another number of parameters', '_Z1kPii', copy('u32', '%r1'), undefined, 'u32'],
  ])('%s', (_, name, body, declared, element) => {
    expect(first(name, pointer, body)).toEqual([declared, element]);
  });
});

describe('numbers', () => {
  test.each([
    ['_Z1ki', '.param .u32 a', 's32'],
    ['_Z1kj', '.param .u32 a', 'u32'],
    ['_Z1kl', '.param .u64 a', 's64'],
    ['_Z1kb', '.param .u8 a', 'u8'],
    ['_Z1k4dim3', '.param .align 4 .b8 a[12]', undefined],
  ])('%s', (name, param, declared) => {
    expect(first(name, param, '')).toEqual([declared, undefined]);
  });
});
