// Minified WGSL: shorter, and the same program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { WgslMinifier } from '../../../src/build/minify-wgsl.ts';
import { moduleData } from '../../../src/build/module-text.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import type { BuiltData } from '../../../src/runtime/built/data.ts';
import { measureFloats, openBuilt } from '../../../src/runtime/built/index.ts';
import { openFake } from '../runtime/fake-runtime.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('shortens names, and keeps what a declaration does not name', () => {
  const code = `enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Params {
  lane: u32,
  count: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

// A helper.
fn difference(first: i32, second: i32) -> i32 {
  let lane = first - -second;
  return lane;
}

@compute @workgroup_size(32) /* one warp */
fn main(@builtin(subgroup_invocation_id) lane: u32, @builtin(workgroup_id) workgroup_id: vec3<u32>) {
  var sum: array<u32, 2>;
  for (var index = 0u; index < params.count; index++) { sum[index] = 0x1Fu & u32(1.5e1); }
  if (lane < params.lane && workgroup_id.x == 0u) { words[lane] = u32(difference(1, -2)); }
}
`;
  expect(new WgslMinifier().minify(code, 'main')).toEqual([
    'enable subgroups;',
    'diagnostic(off,subgroup_uniformity);',
    'struct A{lane:u32,count:u32,}',
    '@group(0)@binding(0)var<uniform>B:A;',
    '@group(0)@binding(1)var<storage,read_write>C:array<u32>;',
    'fn D(a:i32,b:i32)->i32{let c=a- -b;return c;}',
    '@compute@workgroup_size(32)',
    'fn main(@builtin(subgroup_invocation_id)a:u32,@builtin(workgroup_id)b:vec3<u32>){var c:array<u32,2>;for(var d=0u;d<B.count;d++){c[d]=0x1Fu&u32(1.5e1);}if(a<B.lane&&b.x==0u){C[a]=u32(D(1,-2));}}',
  ]);
});

test('shares declarations among the shaders of a module', () => {
  const minifier = new WgslMinifier();
  const helper = 'fn twice(x: u32) -> u32 { return 2u * x; }';
  const [first] = minifier.minify(helper, 'main');
  const [, second] = minifier.minify(`const other = 1u; ${helper}`, 'main');
  expect(second).toBe(first);
});

test('does not use a reserved word, or the name of a type, as a name', () => {
  const names = Array.from({ length: 1200 }, (_, index) => `name_${index}`);
  const lines = names.map((name) => `let ${name} = 1u;`).join(' ');
  const [text = ''] = new WgslMinifier().minify(`fn long() { ${lines} }`, 'main');
  const given = [...text.matchAll(/let (\w+)=/g)].map((match) => match[1]);
  expect(new Set(given).size).toBe(names.length);
  for (const taken of ['u8', 'i8', 'f16', 'f32', 'i32', 'u32']) expect(given).not.toContain(taken);
});

test.each([false, true])('a built module computes as the runtime does (readable: %s)', async (readable) => {
  const file = join(root, 'docs/examples/saxpy.ptx');
  const module = parseModule(readFileSync(file, 'utf8'), file);
  const kernels = buildKernels(module, { block: [{ value: [32, 1, 1] }], float: 'exact' });
  const { data, measure } = moduleData(kernels, 'saxpy.ptx', readable);
  expect(measure).toBe('measureFloats');
  const evaluate = new Function(`${data}; return { parts, plans, kernels };`);
  const built = openBuilt(evaluate() as BuiltData, measureFloats);
  const { rt } = await openFake({ features: [] });
  const [x, y] = [rt.alloc(256), rt.alloc(256)];
  x.write(Float32Array.from({ length: 64 }, (_, at) => 1e-39 * at));
  y.write(new Float32Array(64).fill(2 ** -126));
  rt.flush();
  await built.prepare(rt.device);
  built.launch(rt.device, 'saxpy', { grid: 2 }, [64, 3, x.buffer, y.buffer]);
  await built.check(rt.device);
  const expected = Array.from({ length: 64 }, (_, at) => Math.fround(Math.fround(1e-39 * at) * 3 + 2 ** -126));
  expect([...(await y.read(Float32Array))]).toEqual(expected);
  rt.close();
});
