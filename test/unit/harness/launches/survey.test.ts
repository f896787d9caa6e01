// Launches that the survey constructs: the roles of parameters, which launches are kept, and that a
// wrong executor is detected.
import { describe, expect, test } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import type { ExecutorRun, KernelExecutor } from '../../../../src/harness/executors/executor.ts';
import { inferKernel } from '../../../../src/harness/infer/index.ts';
import { drawLaunch } from '../../../../src/harness/survey/draw-launch.ts';
import { keepLaunch } from '../../../../src/harness/survey/keep-launch.ts';
import { surveyEntry, tryLaunch } from '../../../../src/harness/survey/survey-entry.ts';
import { SurveyTally } from '../../../../src/harness/survey/tally.ts';
import type { Module, PtxFunction } from '../../../../src/ptx/ast.ts';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';

function moduleOf(params: string, body: string): { module: Module; entry: PtxFunction } {
  const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(${params})
{
  .reg .b64 %rd<16>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .pred %p<4>;
  .local .align 8 .b8 depot[16];
${body}
  ret;
}
`;
  const module = parsePtxOrThrow(text, { file: 'k.ptx' });
  const [entry] = module.functions;
  if (entry === undefined) throw new Error('no entry');
  return { module, entry };
}

const index = 'mov.u32 %r15, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r15;';
const own = `${index} mul.wide.u32 %rd2, %r1, 4;`;
const pointer = 'ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;';

const draw = ({ module, entry }: { module: Module; entry: PtxFunction }, attempt = 0) => {
  const launch = drawLaunch(module, entry, inferKernel(module, entry), {
    id: 'k',
    seed: 1,
    attempt,
    bufferBytes: 32 * 1024,
  });
  if (launch === undefined) throw new Error('no launch');
  return launch;
};

const attempt = (kernel: { module: Module; entry: PtxFunction }, number: number) =>
  tryLaunch(kernel.module, kernel.entry, inferKernel(kernel.module, kernel.entry), {
    id: 'k',
    seed: 1,
    attempt: number,
  });

test('a vector addition gets a launch with any first attempt', () => {
  const kernel = moduleOf(
    '.param .u64 a, .param .u64 b, .param .u32 n',
    `${pointer} ld.param.u64 %rd4, [b]; ld.param.u32 %r5, [n]; ${own} setp.ge.s32 %p1, %r1, %r5; @%p1 ret;
     add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3]; add.s64 %rd5, %rd4, %rd2; ld.global.f32 %f2, [%rd5];
     add.f32 %f3, %f1, %f2; st.global.f32 [%rd5], %f3;`,
  );
  for (let number = 0; number < 9; number++) {
    const kept = attempt(kernel, number);
    expect('launch' in kept && kept.launch.block.slice(1)).toEqual([1, 1]);
  }
});

test('buffers are as large as the kernel needs, and little larger', () => {
  const kernel = moduleOf(
    '.param .u64 a',
    `${pointer} ${own} add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3+300000], %r1;`,
  );
  const kept = attempt(kernel, 0);
  const [buffer] = 'launch' in kept ? kept.launch.params : [];
  const reached = 300_000 + 4 * 256;
  expect(buffer?.kind === 'buffer' ? buffer.bytes - reached : undefined).toBeGreaterThan(0);
  expect(buffer?.kind === 'buffer' ? buffer.bytes - reached : undefined).toBeLessThan(1024);
});

test('index elements stay below the size', () => {
  const kernel = moduleOf(
    '.param .u64 a, .param .u64 b, .param .u32 n',
    `${pointer} ld.param.u64 %rd4, [b]; ld.param.u32 %r5, [n]; ${own} setp.ge.s32 %p1, %r1, %r5; @%p1 ret;
     add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3]; mul.wide.u32 %rd5, %r6, 4; add.s64 %rd6, %rd4, %rd5; st.global.u32 [%rd6], %r1;`,
  );
  const kept = attempt(kernel, 0);
  const size = 'launch' in kept && kept.launch.params[2]?.kind === 'scalar' ? Number(kept.launch.params[2].value) : 0;
  // Each thread has its own element, so indexed stores do not collide.
  expect('launch' in kept ? kept.writers.get(1)?.filter((thread) => thread >= 0).length : undefined).toBe(4 * size);
});

test('handles get textures and surfaces', () => {
  const { entry, module } = moduleOf(
    '.param .u64 t, .param .u64 m, .param .u64 s, .param .u64 o',
    'ld.param.u64 %rd1, [t]; mov.b64 %rd2, %rd1; ld.param.u64 %rd3, [m]; ld.param.u64 %rd4, [s]; mov.f32 %f1, 0f3f000000; mov.b32 %r1, 3; tex.a2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd2, {%r1, %f1, %f1, %f1}]; tex.1d.v4.s32.s32 {%r1, %r1, %r1, %r1}, [%rd3, {%r1}]; suld.b.3d.b32.clamp %r1, [%rd4, {%r1, %r1, %r1, %r1}];',
  );
  const images = draw({ module, entry }).params.map((param) => (param.kind === 'buffer' ? param.image : undefined));
  expect(
    images.map((image) => [image?.size.length, image?.layers, image?.sampling !== undefined, image?.linear === true]),
  ).toEqual([
    [2, 3, true, false],
    [1, undefined, true, true],
    [3, undefined, false, false],
    [undefined, undefined, false, false],
  ]);
});

describe('launches', () => {
  const kernel = moduleOf(
    '.param .u64 a, .param .u32 n, .param .f32 x, .param .align 4 .b8 s[12]',
    `${pointer} ld.global.f32 %f1, [%rd1];`,
  );

  test('have a parameter of each kind, and equal seeds produce equal launches', () => {
    const launch = draw(kernel);
    expect(
      launch.params.map((param) => (param.kind === 'scalar' || param.kind === 'buffer' ? param.type : param.kind)),
    ).toEqual(['f32', 'u32', 'f32', 'bytes']);
    expect(draw(kernel)).toEqual(launch);
    expect(draw(kernel, 1)).not.toEqual(launch);
  });

  test('respect the kernel’s block requirements', () => {
    const text = kernel.module.source.text;
    const parsed = (directive: string) => {
      const module = parsePtxOrThrow(text.replace('\n{', `\n${directive}\n{`), { file: 'k.ptx' });
      const [entry = kernel.entry] = module.functions;
      return { module, entry };
    };
    expect(draw(parsed('.reqntid 96, 2, 1'), 3).block).toEqual([96, 2, 1]);
    for (let attempt = 0; attempt < 8; attempt++) {
      const [x, y, z] = draw(parsed('.maxntid 64, 1, 1'), attempt).block;
      expect(x * y * z).toBeLessThanOrEqual(64);
    }
  });
});

describe('the kept launches', () => {
  test.each([
    ['a store for each thread', `${own} add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;`, undefined],
    ['nothing written', 'setp.ne.u64 %p1, %rd1, %rd1; @%p1 st.global.u32 [%rd1], 1;', 'writes nothing'],
    ['out of bounds', 'st.global.u32 [%rd1+1048576], 1;', 'RUN008'],
    ['a race', `${own} st.global.u32 [%rd1], %r1;`, 'RUN010'],
    ['stores of the same value', `${own} st.global.u32 [%rd1], 7;`, undefined],
    ['a kernel that cannot write', 'mov.u32 %r1, 0;', undefined],
    ['a loop without end', 'L: bra L;', 'RUN014'],
    ['a trap', 'trap;', 'RUN013'],
    [
      'an order of blocks',
      `${own} setp.eq.u32 %p1, %r2, 0; @%p1 atom.global.exch.b32 %r5, [%rd1], 77; @!%p1 atom.global.exch.b32 %r5, [%rd1], 78;`,
      'depends on the order of execution',
    ],
    [
      'behavior that only concurrent blocks show',
      `${own} mov.u32 %r4, %tid.x; setp.ne.u32 %p1, %r4, 0; @%p1 ret; atom.global.add.u32 %r5, [%rd1], 0; add.u32 %r5, %r5, 1; atom.global.exch.b32 %r5, [%rd1], %r5;`,
      'depends on the order of execution',
    ],
    [
      'an order of lanes',
      `${own} atom.global.add.u32 %r5, [%rd1+16384], 1; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r5;`,
      'depends on the order of execution',
    ],
  ])('%s', (_, body, reason) => {
    const kernel = moduleOf('.param .u64 a', `${pointer} ${body}`);
    const kept = keepLaunch(kernel.module, draw(kernel));
    expect('reason' in kept ? kept.reason : undefined).toBe(reason);
  });
});

describe('a surveyed kernel', () => {
  const { module, entry } = moduleOf(
    '.param .u64 a',
    `${pointer} ${own} add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;`,
  );
  const options = { seed: 1, attempts: 4, launches: 2 };
  const lying = (change: (run: ExecutorRun) => ExecutorRun): KernelExecutor => {
    const honest = cpuExecutor();
    return { ...honest, run: async (launch) => change(await honest.run(launch)) };
  };

  test('agrees with a correct executor', async () => {
    const { launches } = await surveyEntry(module, entry, 'k', { ...options, executors: [cpuExecutor()] });
    expect(launches.map(({ answers }) => answers.map(({ status }) => status))).toEqual([['agrees'], ['agrees']]);
    expect(launches[0]?.launch).toBeUndefined();
  });

  test('differs from an executor that changes a bit, and is saved with the correct result', async () => {
    const liar = lying((run) => {
      run.outputs.get(0)?.set([0xee], 8);
      return run;
    });
    const result = await surveyEntry(module, entry, 'k', { ...options, executors: [liar] });
    const [first] = result.launches;
    expect(first?.answers).toEqual([{ executor: 'cpu', status: 'differs', message: expect.stringContaining('p0[2]') }]);
    const [param] = first?.launch?.params ?? [];
    expect(param?.kind === 'buffer' ? param.expect?.slice(0, 12) : undefined).toEqual(
      Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0),
    );
    const tally = new SurveyTally();
    expect(tally.addKernel({ file: 'k.ptx', entry: 'k', result })).toHaveLength(1);
    expect(tally.passed).toBe(false);
  });

  /**
   * The executor adds `off` to the first word of the results: a small number, as a different order
   * of additions would, or 100. Only a small difference of an atomic sum counts as close.
   */
  test.each([
    ['atom.global.add.f32 %f2, [%rd1], %f1;', 0.0001, 'close'],
    ['red.global.add.f32 [%rd1], %f1;', 100, 'differs'],
    ['atom.global.exch.b32 %r5, [%rd1+4], 7; st.global.f32 [%rd1], 0f3f800000;', 0.0001, 'differs'],
  ])('of %j with a sum that is %d off is %s', async (body, off, status) => {
    const adding = moduleOf('.param .u64 a', `${pointer} mov.f32 %f1, 0f3f800000; ${body}`);
    const reordered = lying((run) => {
      const bytes = run.outputs.get(0) ?? new Uint8Array(4);
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      view.setFloat32(0, view.getFloat32(0, true) + off, true);
      return run;
    });
    const { launches } = await surveyEntry(adding.module, adding.entry, 'k', { ...options, executors: [reordered] });
    expect(launches.map(({ answers }) => answers[0]?.status)).toContain(status);
  });

  test('is not run natively if it aligns shared memory beyond a KiB', async () => {
    const native: KernelExecutor = { ...cpuExecutor(), name: 'cuda' };
    const aligned = (align: number) =>
      moduleOf(
        '.param .u64 a',
        `.shared .align ${align} .b8 tile[4096]; ${pointer} ${own} add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;`,
      );
    const statusOf = async (kernel: { module: Module; entry: PtxFunction }) => {
      const { launches } = await surveyEntry(kernel.module, kernel.entry, 'k', { ...options, executors: [native] });
      return launches[0]?.answers[0]?.status;
    };
    expect(await statusOf(aligned(1024))).toBe('agrees');
    expect(await statusOf(aligned(2048))).toBe('refused');
  });

  test('differs from an executor that prints other text', async () => {
    const liar = lying((run) => ({ ...run, printed: { texts: ['no'], dropped: 0 } }));
    const { launches } = await surveyEntry(module, entry, 'k', { ...options, executors: [liar] });
    expect(launches[0]?.answers[0]).toEqual({
      executor: 'cpu',
      status: 'differs',
      message: 'printed line: expected "no such line", got "no"',
    });
  });

  test('fails with an executor that throws', async () => {
    const broken = lying(() => {
      throw new Error('no');
    });
    const { launches } = await surveyEntry(module, entry, 'k', { ...options, executors: [broken] });
    expect(launches[0]?.answers[0]?.status).toBe('failed');
  });

  test('only small launches follow one that takes too many steps', async () => {
    const endless = moduleOf('.param .u64 a', `${pointer} L: atom.global.add.u32 %r1, [%rd1], 1; bra L;`);
    const tried = { ...options, attempts: 9, executors: [] };
    const { dropped } = await surveyEntry(endless.module, endless.entry, 'k', tried);
    // The survey drops the first attempt and the five attempts of fixed sizes.
    expect(dropped).toEqual({ RUN014: 1 + 5 });
  });

  test('a kernel that crashes its process counts as a failure of the survey', () => {
    const tally = new SurveyTally();
    tally.addFile('k.ptx', undefined);
    tally.addKernel({ file: 'k.ptx', entry: 'k', result: undefined });
    expect(tally.passed).toBe(false);
    expect(tally.document()).toMatchObject({ kernels: 1, ended: [{ file: 'k.ptx', entry: 'k' }] });
  });
});
