// Numbers with their types in C++: PTX has `.u32` for `int`, and a struct of two bytes for `__half`
// and `__nv_bfloat16`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { analyze } from '../../../../demo/program/program.ts';
import { initialState } from '../../../../demo/state.ts';
import { buildKernels } from '../../../../src/build/build-kernels.ts';
import { moduleData } from '../../../../src/build/module-text.ts';
import { inferKernel } from '../../../../src/harness/infer/index.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import type { BuiltData } from '../../../../src/runtime/built/data.ts';
import { openBuilt } from '../../../../src/runtime/built/index.ts';
import { lanewise } from '../../../command-line.ts';
import { openFake } from '../../runtime/fake-runtime.ts';

/**
 * `__global__ void bits(int n, __half a, __nv_bfloat16 b, unsigned int *out)`, which stores their
 * bits.
 */
const name = '_Z4bitsi6__half13__nv_bfloat16Pj';
const ptx = `.version 8.0
.target sm_80
.address_size 64
.visible .entry ${name}(
  .param .u32 ${name}_param_0, .param .align 2 .b8 ${name}_param_1[2], .param .align 2 .b8 ${name}_param_2[2],
  .param .u64 ${name}_param_3)
{
  .reg .b16 %rs<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u32 %r1, [${name}_param_0];
  ld.param.u16 %rs1, [${name}_param_1];
  ld.param.u16 %rs2, [${name}_param_2];
  ld.param.u64 %rd1, [${name}_param_3];
  cvta.to.global.u64 %rd2, %rd1;
  cvt.u32.u16 %r2, %rs1;
  cvt.u32.u16 %r3, %rs2;
  st.global.u32 [%rd2], %r1;
  st.global.u32 [%rd2+4], %r2;
  st.global.u32 [%rd2+8], %r3;
  ret;
}
`;
/** The bits of -3, of 1.5 in f16, and of -2.5 in bf16. */
const expected = [0xfffffffd, 0x3e00, 0xc020];

test('the inferred parameters have these types', () => {
  const module = parsePtxOrThrow(ptx);
  const [entry] = module.functions;
  if (!entry) throw new Error('the module has no kernel');
  const { params } = inferKernel(module, entry);
  expect(params.map(({ variable: { type, array } }) => [type, array])).toEqual([
    ['s32', false],
    ['f16', false],
    ['bf16', false],
    ['u64', false],
  ]);
});

test('the runtime accepts numbers, and captures them with their types', async () => {
  const { rt } = await openFake();
  const out = rt.alloc(12);
  const kernel = (await rt.load(ptx)).kernel(name);
  const capture = rt.capture();
  kernel.launch({ grid: 1, block: 1 }, [-3, 1.5, -2.5, out]);
  expect([...(await out.read(Uint32Array))]).toEqual(expected);
  const { cases } = await capture.end();
  const { params } = JSON.parse(cases[0]?.json ?? '');
  expect(params.slice(0, 3)).toMatchObject([
    { kind: 's32', value: -3 },
    { kind: 'f16', value: 1.5 },
    { kind: 'bf16', value: -2.5 },
  ]);
  kernel.launch({ grid: 1, block: 1 }, [1, Uint16Array.of(0x3e00), 0, out]);
  expect([...(await out.read(Uint32Array))]).toEqual([1, 0x3e00, 0]);
  expect(() => kernel.launch({ grid: 1, block: 1 }, [1, null, 0, out])).toThrow(
    /argument 1 of .*\(\.f16 .*\): expected a number, got null/,
  );
  rt.close();
});

test('a built module accepts numbers', async () => {
  const kernels = buildKernels(parsePtxOrThrow(ptx), { block: [{ value: [1, 1, 1] }], float: 'exact' });
  expect(kernels[0]?.parameters.map(({ kind, type }) => [kind, type])).toEqual([
    ['integer', '.s32'],
    ['float', '.f16'],
    ['float', '.bf16'],
    ['pointer', '.u64'],
  ]);
  const evaluate = new Function(`${moduleData(kernels, 'bits.ptx', false).data}; return { codes, plans, kernels };`);
  const built = openBuilt(evaluate() as BuiltData);
  const { rt } = await openFake();
  const out = rt.alloc(12);
  rt.flush();
  await built.prepare(rt.device);
  built.launch(rt.device, 'bits', { grid: 1 }, [-3, 1.5, -2.5, out.buffer]);
  expect([...(await out.read(Uint32Array))]).toEqual(expected);
  rt.close();
});

test('`run` accepts numbers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-numbers-'));
  const file = join(folder, 'bits.ptx');
  writeFileSync(file, ptx);
  const run = (...args: readonly string[]) => lanewise('run', file, '--block', '1', ...args, '--on', 'cpu', '--json');
  const { out } = await run('-3', '1.5', '-2.5', 'out:u32[3]');
  expect(JSON.parse(out).buffers[0].values.map(Number)).toEqual(expected);
  rmSync(folder, { recursive: true, force: true });
});

test('the playground shows numbers', () => {
  const { program } = analyze({ ...initialState, text: ptx });
  if (program?.dialect !== 'module') throw new Error('no kernel is loaded');
  expect(program.launch.params.slice(0, 3)).toMatchObject([
    { kind: 'scalar', type: 's32' },
    { kind: 'scalar', type: 'f16', value: 2 },
    { kind: 'scalar', type: 'bf16', value: 2 },
  ]);
});
