// A kernel that needs a part of the compiler that is not loaded is an internal error, not a fault
// of its PTX. This file does not import `provide-parts.ts`.
import { expect, test } from 'vitest';
import { promisedFloats } from '../../../src/base/float-profile.ts';
import { planFor } from '../../../src/base/lane-plan.ts';
import { moduleOrThrow, parseText } from '../../../src/ptx/parse-text.ts';
import { provideFrontEndParts } from '../../../src/ptx/parts/all.ts';
import { translateWith } from '../../../src/translate/translate.ts';

const kernel = (body: string): string =>
  `.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) { ${body} }`;

const translated = (instruction: string) => {
  provideFrontEndParts();
  const registers = '.reg .b32 %r<9>; .reg .b16 %h<9>; .reg .f64 %d<9>; .reg .b64 %p;';
  const body = `${registers} ld.param.b64 %p, [p]; ${instruction} ret;`;
  const source = { file: 'k.ptx', text: kernel(body) };
  const float = { ...promisedFloats, mode: 'exact', denormals: 'kept' } as const;
  return translateWith(moduleOrThrow(source, parseText(source)), {
    ...{ block: [32, 1, 1], plan: planFor(32), float, workarounds: new Set(), images: false },
  });
};

test.each([
  ['doubles', 'ld.global.f64 %d1, [%p]; add.rn.f64 %d2, %d1, %d1; st.global.f64 [%p], %d2;'],
  // Later passes would translate f64 values that are only moved.
  ['doubles', 'ld.global.f64 %d1, [%p]; abs.f64 %d2, %d1; st.global.f64 [%p], %d2;'],
  ['lanes', 'ld.global.b16 %h1, [%p]; add.rn.f16 %h2, %h1, %h1; st.global.b16 [%p], %h2;'],
  [
    'matrices',
    'mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r5}, {%r6, %r7}; st.global.b32 [%p], %r1;',
  ],
  ['collectives', 'bar.sync 0;'],
  ['async', 'cp.async.wait_all;'],
])('an instruction that needs the part `%s` is an internal error: %s', (part, instruction) => {
  expect(() => translated(instruction)).toThrow(`the part \`${part}\` of the compiler is not loaded`);
});

test('an instruction of no part is translated', () => {
  const { program } = translated('ld.global.b32 %r1, [%p]; add.f32 %r2, %r1, %r1; st.global.b32 [%p], %r2;');
  expect(program?.code).toContain('fn main()');
});

test('commands, built modules and the plugin have all parts', async () => {
  const { buildKernels } = await import('../../../src/build/build-kernels.ts');
  const body = `ld.param.b64 %p, [p]; ld.global.f64 %d, [%p]; add.rn.f64 %d, %d, %d; st.global.f64 [%p], %d; ret;`;
  const entry = `.visible .entry k(.param .u64 p) { .reg .b64 %p; .reg .f64 %d; ${body} }`;
  const source = { file: 'k.ptx', text: `.version 8.0\n.target sm_80\n.address_size 64\n${entry}` };
  const module = moduleOrThrow(source, parseText(source));
  const [built] = buildKernels(module, { block: [{ value: [32, 1, 1] }], float: 'exact', plans: ['portable'] });
  expect(built?.variants[0]?.program.code).toContain('fn f64_add(');
});
