// Case files on several executors: each result is compared with `expect`, the CPU reference, and
// the other results.
import { describe, expect, it } from 'vitest';
import type { BufferParam, Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { ExecutorName, KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { runCase } from '../../../../src/harness/runs/run-case.ts';

/** Returns a kernel of one warp that stores `%laneid`, or the `%word` of `body`. */
const ptx = (body = 'mov.u32 %word, %laneid;'): string => `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p_out)
{
  .reg .b64 %out, %offset;
  .reg .b32 %lane, %word;
  .reg .f64 %wide;
  ld.param.u64 %out, [p_out];
  mov.u32 %lane, %laneid;
  ${body}
  mul.wide.u32 %offset, %lane, 4;
  add.s64 %out, %out, %offset;
  st.global.b32 [%out], %word;
  ret;
}
`;
const lanes = Uint32Array.from({ length: 32 }, (_, lane) => lane);

function launchOf(expected: Uint32Array | undefined, text = ptx(), more: Partial<BufferParam> = {}): Launch {
  const out: BufferParam = { name: 'out', kind: 'buffer', type: 'u32', bytes: 128, ...more };
  return {
    id: 'case',
    group: 'test',
    ptx: text,
    ptxFile: 'case.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [expected ? { ...out, expect: new Uint8Array(expected.buffer) } : out],
  };
}

/** Returns an executor whose result is always these words. */
const giving = (name: ExecutorName, words: Uint32Array): KernelExecutor => ({
  name,
  describe: () => ({ name }),
  run: async () => ({ outputs: new Map([[0, new Uint8Array(words.slice().buffer)]]), ms: 1, note: '' }),
  close: async () => undefined,
});
const but = (lane: number, word: number): Uint32Array => lanes.map((value, index) => (index === lane ? word : value));

describe('runCase', () => {
  it('compares no buffer that the case leaves open', async () => {
    const open = launchOf(undefined, ptx(), { expect: 'any' });
    const [alone] = await runCase(open, [giving('chrome', but(3, 9))]);
    expect(alone).toMatchObject({ status: 'error', compared: 0 });
    expect(alone?.message).toBe('nothing to compare: the case leaves every buffer unspecified (`"expect": "any"`)');
    const scratch: BufferParam = { name: 'scratch', kind: 'buffer', type: 'u32', bytes: 128, expect: 'any' };
    const body = '.reg .b64 %more; ld.param.u64 %more, [p_more]; mov.u32 %word, %laneid; st.global.u32 [%more], %word;';
    const text = ptx(body).replace('.param .u64 p_out', '.param .u64 p_out, .param .u64 p_more');
    const both = launchOf(lanes, text);
    const launch = { ...both, params: [...both.params, scratch] };
    const outputs = new Map([lanes, but(3, 9)].map((words, index) => [index, new Uint8Array(words.slice().buffer)]));
    const chrome: KernelExecutor = { ...giving('chrome', lanes), run: async () => ({ outputs, ms: 1, note: '' }) };
    expect(await runCase(launch, [chrome])).toMatchObject([{ status: 'pass', compared: 32, mismatches: 0 }]);
  });

  it('shows bits as bits', async () => {
    const [, differing] = await runCase(launchOf(lanes, ptx(), { type: 'b32' }), [
      cpuExecutor(),
      giving('chrome', but(3, 9)),
    ]);
    expect(differing?.first).toMatchObject({ expected: '0x00000003', got: '0x00000009' });
  });

  it('reports the number of partly compared elements', async () => {
    const text = ptx('mov.u32 %word, %lane; bfi.b32 %bits, %word, %bits, 0, 6; mov.b32 %word, %bits;').replace(
      '%word;',
      '%word, %bits;',
    );
    const upper = Uint32Array.from(lanes, (lane) => lane | 0xabc0);
    const [result] = await runCase(launchOf(undefined, text), [giving('chrome', upper)]);
    expect(result).toMatchObject({ status: 'pass', compared: 32, undefined: 0 });
    expect(result?.message).toBe('PTX leaves some bits of 32 elements undefined: only the others were compared');
  });

  it('names the one executor that differs', async () => {
    const results = await runCase(launchOf(lanes), [cpuExecutor(), giving('chrome', but(3, 9)), giving('cuda', lanes)]);
    expect(results.map(({ status }) => status)).toEqual(['pass', 'fail', 'pass']);
    expect(results[1]?.first).toMatchObject({
      element: 'out[3]',
      lane: 3,
      others: { cpu: '0x00000003', chrome: '0x00000009', cuda: '0x00000003', '`expect`': '0x00000003' },
      agreement: 'only chrome differs: cpu, cuda and `expect` agree',
    });
  });

  it('reports a wrong expectation if all results contradict it', async () => {
    const results = await runCase(launchOf(but(0, 7)), [giving('chrome', lanes), giving('cuda', lanes)]);
    expect(results.map(({ first }) => first?.agreement)).toEqual(
      Array(2).fill('only `expect` differs: chrome, cuda and the CPU reference agree'),
    );
  });

  it('counts results within the tolerance as equal', async () => {
    const floats = (value: number) => new Uint32Array(Float32Array.from({ length: 32 }, () => value).buffer);
    const launch = launchOf(floats(1), ptx('mov.b32 %word, 0f3F800000;'), {
      type: 'f32',
      tolerance: { rel: 1e-3, abs: 0 },
    });
    const results = await runCase(launch, [giving('chrome', floats(1.0001)), giving('dawn', floats(2))]);
    expect(results.map(({ status }) => status)).toEqual(['pass', 'fail']);
    expect(results[1]?.first?.agreement).toBe('only dawn differs: chrome, the CPU reference and `expect` agree');
  });

  it('compares executors with each other if neither `expect` nor the reference has a result', async () => {
    // The reference does not support pairs of f32.
    const launch = launchOf(
      undefined,
      ptx('mov.f64 %wide, 0d0; fma.rn.f32x2 %wide, %wide, %wide, %wide; mov.u32 %word, 1;'),
    );
    const agreeing = await runCase(launch, [giving('chrome', lanes), giving('cuda', lanes)]);
    expect(agreeing.map(({ status, compared }) => [status, compared])).toEqual([
      ['pass', 32],
      ['pass', 32],
    ]);
    const differing = await runCase(launch, [giving('chrome', lanes), giving('cuda', but(1, 0))]);
    expect(differing.map(({ status, mismatches }) => [status, mismatches])).toEqual([
      ['fail', 1],
      ['fail', 1],
    ]);
    const [alone] = await runCase(launch, [giving('chrome', lanes)]);
    expect(alone).toMatchObject({ status: 'error', compared: 0 });
    expect(alone?.message).toContain('nothing to compare');
  });

  it('passes on the level of the native optimizer', async () => {
    const levels: (number | undefined)[] = [];
    const cuda = giving('cuda', lanes);
    const run: KernelExecutor['run'] = async (launch, options) => {
      levels.push(options?.optimize);
      return cuda.run(launch);
    };
    await runCase(launchOf(lanes), [{ ...cuda, run }], { optimize: 0 });
    await runCase(launchOf(lanes), [{ ...cuda, run }]);
    expect(levels).toEqual([0, undefined]);
  });
});
