// The expected names are those that `c++filt` prints, without the result types of templates.
import { describe, expect, test } from 'vitest';
import { demangle } from '../../../src/base/demangle.ts';

describe('demangle', () => {
  test.each([
    ['_Z5saxpyifPKfPf', 'saxpy(int, float, float const*, float*)'],
    ['_Z4idlev', 'idle()'],
    ['_ZN2ns5saxpyIfLi3EEEviT_PKS1_PS1_', 'ns::saxpy<float, 3>(int, float, float const*, float*)'],
    ['_Z6reduceIiLj128EEvPKT_PS0_j', 'reduce<int, 128u>(int const*, int*, unsigned int)'],
    ['_Z4scanI6__halfLb1EEvPKT_i', 'scan<__half, true>(__half const*, int)'],
    ['_Z10gemmKernelI6float4Li16EEv5ParamIT_ES2_PS3_', 'gemmKernel<float4, 16>(Param<float4>, float4, Param<float4>*)'],
    ['_Z5applyI3AddIfEEvT_PKfPf', 'apply<Add<float>>(Add<float>, float const*, float*)'],
    ['_Z1fIJfiEEvDpT_', 'f<float, int>(float, int)'],
    ['_Z1fPVKfPVKi', 'f(float const volatile*, int const volatile*)'],
    ['_Z1gPFviE', 'g(void (*)(int))'],
    ['_Z1hRA4_f', 'h(float (&) [4])'],
    ['_Z3fooN2ns3BarIiE3BazE', 'foo(ns::Bar<int>::Baz)'],
    ['_Z3runSt4pairIifE', 'run(std::pair<int, float>)'],
    ['_ZN12_GLOBAL__N_14gemmIfEEvPT_', '(anonymous namespace)::gemm<float>(float*)'],
    ['_ZN38_INTERNAL_75dba799_13_mask_cu_c409a24b6toggleEi', 'toggle(int)'],
    ['_ZZ6matmulPfE4left', 'matmul::left'],
    // These names are returned unchanged, because they are not mangled or use other parts of the
    // ABI.
    ['saxpy', undefined],
    ['_Z', undefined],
    ['_Z5saxp', undefined],
    ['_ZTV3Box', undefined],
    ['_Z1fT_', undefined],
    [`_Z1f${'P'.repeat(5000)}i`, undefined],
    [`_Z1f${'P'.repeat(200)}i`, undefined],
  ])('%s', (mangled, text) => {
    expect(demangle(mangled)?.text).toBe(text);
  });

  test('a kernel has a name with and without template arguments and scopes', () => {
    expect(demangle('_ZN2ns5saxpyIfLi3EEEviT_PKS1_PS1_')).toMatchObject({
      name: 'ns::saxpy<float, 3>',
      template: 'ns::saxpy',
      base: 'saxpy',
    });
  });

  test.each([
    ['_Z5saxpyifPKfPf', ['int', 'float', 'float const*', 'float*']],
    ['_Z4idlev', []],
    ['_Z1fIJfiEEvDpT_', ['float, int']],
    ['_Z6matrixPA4_i', ['int (*) [4]']],
  ])('the parameters of %s', (mangled, parameters) => {
    expect(demangle(mangled)?.parameters).toEqual(parameters);
  });

  test('demangle ends for names with repeated substitutions', () => {
    let name = '_Z1f';
    for (let at = 0; at < 40; at++)
      name += `1aI${at === 0 ? 'i' : `S${at === 1 ? '' : (at - 2).toString(36).toUpperCase()}_`}`;
    expect(() => demangle(name)).not.toThrow();
  });
});
