// The plugin in each bundler translates kernels that need the parts of the compiler for f64, f16
// and matrices. This file does not import `provide-parts.ts`.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bundlers } from '../plugin/bundlers.ts';
import { openFake } from '../runtime/fake-runtime.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

const entry = (name: string, code: string): string => `.visible .entry ${name}(.param .u64 .ptr .global p)
{
.reg .b16 %h<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<4>; .reg .b64 %p<4>;
mov.u32 %r0, %tid.x;
ld.param.u64 %p0, [p];
${code}
ret;
}
`;
const ptx = `.version 8.0
.target sm_80
.address_size 64
${entry(
  'doubles',
  `mad.wide.u32 %p1, %r0, 8, %p0;
ld.global.f64 %d0, [%p1];
mul.rn.f64 %d1, %d0, 0d4008000000000000;
st.global.f64 [%p1], %d1;`,
)}
${entry(
  'halves',
  `mad.wide.u32 %p1, %r0, 2, %p0;
ld.global.b16 %h0, [%p1];
fma.rn.f16 %h1, %h0, %h0, %h0;
st.global.b16 [%p1], %h1;`,
)}
${entry(
  'matrices',
  `mad.wide.u32 %p1, %r0, 4, %p0;
ld.global.f32 %f0, [%p1];
mov.b32 %r1, 0x3c003c00;
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1}, {%f0, %f0, %f0, %f0};
st.global.f32 [%p1], %f1;`,
)}`;

const lanes = Array.from({ length: 32 }, (_, lane) => lane);

describe.skipIf(!existsSync(join(root, 'dist/bundle/launcher.js')))('the plugin', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lanewise-bundled-parts-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.entries(bundlers))('for %s bundles kernels with f64, f16 and matrices', async (_, bundle) => {
    writeFileSync(join(folder, 'main.js'), "export * from './kernels.ptx?block=32&plan=portable';\n");
    writeFileSync(join(folder, 'kernels.ptx'), ptx);
    await bundle(folder);
    const { check, prepare, ...kernels } = await import(pathToFileURL(join(folder, 'out/main.mjs')).href);
    const { rt } = await openFake({ features: [] });
    await prepare(rt.device);
    const run = async (name: string, data: ArrayBufferView) => {
      const p = rt.alloc(data.byteLength);
      p.write(data);
      rt.flush();
      kernels[name](rt.device, { grid: 1 }, [p.buffer]);
      await check(rt.device);
      return p;
    };
    const doubles = await run(
      'doubles',
      Float64Array.from(lanes, (lane) => lane / 10),
    );
    expect([...(await doubles.read(Float64Array))]).toEqual(lanes.map((lane) => (lane / 10) * 3));
    // 1.5 * 1.5 + 1.5 is 3.75.
    const halves = await run('halves', new Uint16Array(32).fill(0x3e00));
    expect([...(await halves.read(Uint16Array))]).toEqual(lanes.map(() => 0x4380));
    // Each element is the sum of 8 products of ones, and of the lane's own addend.
    const matrices = await run('matrices', Float32Array.from(lanes));
    expect([...(await matrices.read(Float32Array))]).toEqual(lanes.map((lane) => 8 + lane));
    rt.close();
  });
});
