// Minified WGSL: shorter, and the same program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildKernels } from '../../../src/build/build-kernels.ts';
import { statementsOf, WgslMinifier } from '../../../src/build/minify-wgsl.ts';
import { moduleData } from '../../../src/build/module-text.ts';
import { TextHistory } from '../../../src/build/text-history.ts';
import { parseModule } from '../../../src/harness/executors/load-kernel.ts';
import type { BuiltData } from '../../../src/runtime/built/data.ts';
import { type Measure, measureFloats, openBuilt } from '../../../src/runtime/built/index.ts';
import { codeOf } from '../../../src/runtime/built/launcher.ts';
import { kernelOf, moduleOf } from '../../runtime-ptx.ts';
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
    'fn main(@builtin(subgroup_invocation_id)d:u32,@builtin(workgroup_id)e:vec3<u32>){var f:array<u32,2>;for(var g=0u;g<B.count;g++){f[g]=0x1Fu&u32(1.5e1);}if(d<B.lane&&e.x==0u){C[d]=u32(D(1,-2));}}',
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

/** Returns the functions of a built module. */
function open(text: string, file: string, threads: number, isReadable: boolean, measured?: Measure) {
  const kernels = buildKernels(parseModule(text, file), { block: [{ value: [threads, 1, 1] }], float: 'exact' });
  const { data, measure } = moduleData(kernels, file, isReadable);
  const evaluate = new Function(`${data}; return { codes, plans, kernels };`);
  return { built: openBuilt(evaluate() as BuiltData, measured), measure, kernels };
}

test.each([false, true])('a built module computes as the runtime does (readable: %s)', async (readable) => {
  const file = join(root, 'docs/examples/saxpy.ptx');
  const { built, measure } = open(readFileSync(file, 'utf8'), 'saxpy.ptx', 32, readable, measureFloats);
  expect(measure).toBe('measureFloats');
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

test('the codes of a module repeat each other', () => {
  const { kernels } = open(readFileSync(join(root, 'docs/examples/saxpy.ptx'), 'utf8'), 'saxpy.ptx', 32, false);
  const codes = [...new Set(kernels.flatMap(({ variants }) => variants.map(({ program }) => program.code)))];
  const minifier = new WgslMinifier();
  const history = new TextHistory();
  const pieces = codes.map((code) => minifier.minify(code, 'main').flatMap(statementsOf));
  const written = pieces.map((list) => history.add(list));
  expect(codes.length).toBeGreaterThan(1);
  expect(pieces.map((_, at) => codeOf(written, at))).toEqual(pieces.map((list) => list.join('')));
  expect(JSON.stringify(written).length).toBeLessThan(0.75 * JSON.stringify(pieces).length);
});

test('a grid that is wider than a dispatch has all its blocks, with their indices', async () => {
  const body = `mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y;
    setp.lt.u32 %p1, %r1, 65534; @%p1 bra done;
    sub.u32 %r5, %r1, 65534; mad.lo.u32 %r5, %r2, 3, %r5; mul.wide.u32 %s1, %r5, 8; add.s64 %s1, %out, %s1;
    mad.lo.u32 %r6, %r4, 1000000, %r3; st.global.u32 [%s1], %r6;
    atom.global.add.u32 %r7, [%s1+4], 1;
    done:`;
  const { built } = open(moduleOf(kernelOf('far', ['u64 out'], body)), 'far.ptx', 1, false);
  const { rt } = await openFake({ features: [] });
  const out = rt.alloc(64);
  rt.flush();
  await built.prepare(rt.device);
  for (const grid of [[65_537, 2], [65_537, 2, 1], 65_535] as const)
    built.launch(rt.device, 'far', { grid }, [out.buffer]);
  await built.check(rt.device);
  const blocks = [2_065_537, 2, 2_065_537, 2];
  expect([...(await out.read(Uint32Array, 12))]).toEqual([1_065_535, 3, ...blocks, ...blocks, 2_065_537, 2]);
  expect(() => built.launch(rt.device, 'far', { grid: [65_536, 65_536] }, [out.buffer])).toThrow(
    'far: a grid has at most 4294836225 blocks',
  );
  rt.close();
});
