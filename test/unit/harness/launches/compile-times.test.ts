// The times from PTX to the first result, on an executor that the test defines.
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { compileTable } from '../../../../src/harness/survey/compile-report.ts';
import { type CompilingExecutor, measureCompilation } from '../../../../src/harness/survey/compile-times.ts';
import { CompileTimeout, GpuError } from '../../../../src/runtime/device/job.ts';

const kernel = (name: string, body: string) => `
.visible .entry ${name}(.param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ${body}
  st.global.u32 [%rd3], %r1;
  ret;
}`;
// Only `race` has no valid launch: all its threads change one word.
const ptx = `.version 7.0\n.target sm_70\n.address_size 64\n${[
  kernel('quick', ''),
  kernel('slow', ''),
  kernel('broken', ''),
  kernel('race', 'st.global.u32 [%rd1], %r1;'),
].join('\n')}`;

function executor() {
  const ran: string[] = [];
  const made: CompilingExecutor = {
    name: 'dawn',
    async compile({ entry }) {
      if (entry === 'slow') throw new CompileTimeout('slow: LW2016', 20_000);
      if (entry === 'broken') throw new GpuError('shader', 'bad shader');
      const program = { code: 'x'.repeat(2048) };
      return Object.assign(Object.create(null), { program, translateMs: 1, moduleMs: 2, pipelineMs: 300 });
    },
    async run({ entry }) {
      ran.push(entry);
      return { outputs: new Map(), ms: 1, note: '' };
    },
  };
  return { made, ran };
}

test('each kernel is measured, whatever happens to the others', async () => {
  const { made, ran } = executor();
  const seen: string[] = [];
  const kernels = await measureCompilation(
    [
      { name: 'bad.ptx', read: async () => 'not PTX' },
      { name: 'k.ptx', read: async () => ptx },
    ],
    {
      executors: [made],
      seed: 1,
      onFile: (file, problem) => void seen.push(`${file}: ${problem?.slice(0, 3) ?? 'ok'}`),
    },
  );
  expect(seen).toEqual(['bad.ptx: PTX', 'k.ptx: ok']);
  expect(kernels.map(({ entry, status }) => [entry, status])).toEqual([
    ['quick', 'measured'],
    ['slow', 'abandoned'],
    ['broken', 'failed'],
    ['race', 'measured'],
  ]);
  expect(ran).toEqual(['quick']);
  const [quick, , , race] = kernels;
  expect(quick?.parts).toMatchObject({ translateMs: 1, moduleMs: 2, pipelineMs: 300, runMs: expect.any(Number) });
  expect([race?.parts?.runMs, race?.message]).toEqual([undefined, expect.stringContaining('did not run: RUN010')]);

  const text = compileTable(kernels, pc.createColors(false));
  expect(text).toMatch(/^quick\s+dawn\s+2 KiB\s+\S+ ms\s+1\.0 ms\s+2\.0 ms\s+300 ms\s+\S+ ms\s+\S+ ms$/m);
  expect(text).toMatch(/^race .*\bnone\b/m);
  expect(text).toContain('abandoned on dawn: slow\nfailed on dawn: broken: shader: bad shader');
  expect(text).toContain('2 measured, 1 abandoned, 0 refused, 1 failed; driver: median 300 ms, longest 300 ms');
});

test('--entry selects a kernel, and no kernel starts after the time limit', async () => {
  const { made } = executor();
  const files = [{ name: 'k.ptx', read: async () => ptx }];
  const one = await measureCompilation(files, { executors: [made], seed: 1, entry: 'race' });
  expect(one.map(({ entry }) => entry)).toEqual(['race']);
  expect(await measureCompilation(files, { executors: [made], seed: 1, ms: -1 })).toEqual([]);
});
