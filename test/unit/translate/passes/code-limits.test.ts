// The kernels that change their form, because drivers would compile them too slowly.
import { expect, test } from 'vitest';
import type { Driver } from '../../../../src/base/adapter-facts.ts';
import { planFor } from '../../../../src/base/lane-plan.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { translate } from '../../../../src/translate/index.ts';
import type { CodeForm } from '../../../../src/translate/pipeline.ts';
import { exactFloats } from '../../../lockstep/float-profiles.ts';
import { kernelOf, moduleOf } from '../../../runtime-ptx.ts';

const range = <T>(count: number, each: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => each(i));

/** Returns the form of the kernel's last translation. */
function formOf(body: string, driver?: Driver): CodeForm {
  const text = moduleOf(kernelOf('kernel', ['u64 x'], body));
  const module = parsePtxOrThrow(text, { file: 'kernel.ptx' });
  const seen: string[] = [];
  const { program, diagnostics } = translate(module, {
    entry: 'kernel',
    block: [32, 1, 1],
    plan: planFor(32),
    float: exactFloats,
    driver,
    observe: (pass) => void seen.push(pass),
  });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const last = seen.slice(seen.lastIndexOf('build'));
  expect(program.instructions !== undefined).toBe(last.includes('encode'));
  return last.includes('encode') ? 'encoded' : last.includes('unroll-loops') ? 'unrolled' : 'rolled';
}

/** A chain of products of f16 matrices with f32 sums: four words in a lane, and 16 columns of A. */
const products = (count: number): string => `
  .reg .f32 %c<4>; .reg .b32 %h;
  ld.global.u32 %h, [%x];
  ${range(4, (word) => `mov.f32 %c${word}, 0f00000000;`).join('\n')}
  ${range(count, () => 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%h, %h, %h, %h}, {%h, %h}, {%c0, %c1, %c2, %c3};').join('\n')}
  st.global.f32 [%x], %c0;`;

/** Blocks that lanes visit in different orders. Each has a shuffle, and a value that others read. */
const blocks = (count: number): string => `
  .reg .b32 %v<${count}>; .reg .b32 %t; .reg .pred %q;
  ${range(count, (index) => `ld.global.u32 %v${index}, [%x + ${4 * index}];`).join('\n')}
  ${range(
    count,
    (index) => `B${index}:
  shfl.sync.idx.b32 %t, %v${index}, %v${(index * 7 + 1) % count}, 31, -1;
  add.u32 %v${(index * 5 + 2) % count}, %v${(index * 3 + 1) % count}, %t;
  setp.gt.u32 %q, %t, ${index}; @%q bra B${(index * 11 + 5) % count};`,
  ).join('\n')}
  st.global.u32 [%x], %t;`;

/** A loop of four iterations with atomic additions of f32. */
const additions = (count: number): string => `
  .reg .f32 %a; .reg .b32 %turn; .reg .pred %q;
  ld.global.f32 %a, [%x];
  mov.b32 %turn, 0;
LOOP:
  ${range(count, (index) => `red.global.add.f32 [%x + ${4 * index}], %a;`).join('\n')}
  add.u32 %turn, %turn, 1;
  setp.lt.u32 %q, %turn, 4; @%q bra LOOP;`;

test.each([
  ['60 products of matrices', products(60), 'encoded'],
  ['40 products of matrices', products(40), 'unrolled'],
  ['a dispatch of 100 blocks and values', blocks(100), 'encoded'],
  ['a dispatch of 20 blocks and values', blocks(20), 'unrolled'],
  ['a short loop', additions(10), 'unrolled'],
  ['a loop that is long after unrolling', additions(50), 'rolled'],
  ['a long loop', additions(500), 'encoded'],
])('%s', (_, body, expected) => {
  expect(formOf(body)).toBe(expected);
});

test('SwiftShader needs shorter code than GPUs', () => {
  expect([formOf(additions(15)), formOf(additions(15), 'swiftshader')]).toEqual(['unrolled', 'rolled']);
  expect([formOf(products(30)), formOf(products(30), 'swiftshader')]).toEqual(['unrolled', 'encoded']);
});
