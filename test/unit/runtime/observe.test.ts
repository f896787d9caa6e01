// Captures and the sanitizer: launches on the fake GPU, repeated by the command line on the
// reference.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readCase, saveCases } from '../../../src/harness/launches/case-file-node.ts';
import type { Captured, SanitizerReport } from '../../../src/runtime/index.ts';
import { lanewise } from '../../command-line.ts';
import { addKernel, copyKernel, kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform, openFake } from './fake-runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-capture-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scale = kernelOf(
  'scale',
  ['u64 x', 'f32 a'],
  'add.s64 %s1, %x, %at; ld.global.f32 %f1, [%s1]; mul.f32 %f1, %f1, %a; st.global.f32 [%s1], %f1;',
);
/** Adds the number and the array of a module to each element. */
const shifted = moduleOf(
  '.visible .global .align 4 .u32 total;\n.const .align 4 .b8 table[2][8] = {{1, 0, 0, 0}};\n.visible .global .align 8 .f64 unused = 0d3FF0000000000000;',
  kernelOf(
    'shift',
    ['u64 x'],
    `add.s64 %s1, %x, %at; ld.global.u32 %r1, [%s1]; ld.global.u32 %r2, [total]; ld.const.u32 %r3, [table+12];
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%s1], %r1;`,
  ),
);
const text = moduleOf(
  addKernel,
  copyKernel,
  scale,
  // The second half of a struct is a pointer.
  `.visible .entry fields(.param .align 8 .b8 pair[16], .param .u64 y)
{ .reg .b32 %i, %k; .reg .b64 %x, %y; ld.param.u32 %k, [pair]; ld.param.u64 %x, [pair+8]; ld.param.u64 %y, [y];
  ld.global.u32 %i, [%x]; add.u32 %i, %i, %k; st.global.u32 [%y], %i; ret; }`,
  kernelOf('follow', ['u64 list', 'u64 y'], 'ld.global.u64 %s1, [%list]; ld.global.u32 %r1, [%s1]; st.global.u32 [%y], %r1;'),
); // biome-ignore format: one kernel per line

/** Runs cases with the command line, on the reference, which compares them with `expect`. */
async function runAll(captured: Captured): Promise<{ code: number; results: { compared: number }[] }> {
  const paths = saveCases(captured.cases, folder);
  const { code, out } = await lanewise('run', ...paths, '--on', 'cpu', '--json');
  return { code, results: JSON.parse(out).results };
}

onEachPlatform('a capture', () => {
  test('writes launches as cases, whose results the reference confirms', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text, { file: 'kernels.ptx' });
    const [x, y] = [rt.alloc(128, { label: 'x' }), rt.alloc(128)];
    x.write(Uint32Array.from({ length: 32 }, (_, index) => 100 + index));
    mod.kernel('add').launch({ grid: 1, block: 32 }, [x, 1]);
    const capture = rt.capture();
    mod.kernel('add').launch({ grid: 1, block: 32 }, [x, 5]);
    mod.kernel('copy').launch({ grid: 1, block: 16 }, [x, y]);
    y.write(Float32Array.of(1, 2, 4));
    mod.kernel('scale').launch({ grid: 2, block: 8 }, [y, 0.5]);
    expect(capture.launches).toBe(3);
    const captured = await capture.end();
    mod.kernel('add').launch({ grid: 1, block: 32 }, [x, 1000]);
    expect(captured.skipped).toEqual([]);
    expect(captured.cases.map(({ file, ptxFile }) => [file, ptxFile])).toEqual([
      ['add-1.json', 'kernels.ptx'],
      ['copy-2.json', 'kernels.ptx'],
      ['scale-3.json', 'kernels.ptx'],
    ]);
    const { code, results } = await runAll(captured);
    expect(code).toBe(0);
    expect(results.map(({ compared }) => compared)).toEqual([32, 32, 32]);
    const [add, , last] = captured.cases.map(({ file }) => readCase(join(folder, file)));
    expect(
      new Uint32Array(add?.params[0]?.kind === 'buffer' ? (add.params[0].data?.slice().buffer ?? []) : [])[3],
    ).toBe(104);
    expect(last?.params.map((param) => ('type' in param ? param.type : param.kind))).toEqual(['f32', 'f32']);
    expect(await lanewise('check', join(folder, 'add-1.json'))).toMatchObject({ code: 0 });
    rt.close();
  });

  test('finds a wrong result of a device', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text);
    const x = rt.alloc(128);
    const capture = rt.capture();
    mod.kernel('add').launch({ grid: 1, block: 32 }, [x, 5]);
    const { cases } = await capture.end();
    const wrong = cases.map((made) => ({ ...made, json: made.json.replace(/"value": 5/, '"value": 6') }));
    expect((await runAll({ cases: wrong, skipped: [] })).code).toBe(1);
    rt.close();
  });

  test('keeps pointers into one allocation together', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text);
    const x = rt.alloc(256);
    x.write(Uint32Array.from({ length: 64 }, (_, index) => index));
    const capture = rt.capture();
    mod.kernel('copy').launch({ grid: 1, block: 16 }, [x.at(128), x.at(64)]);
    const captured = await capture.end();
    const { code, results } = await runAll(captured);
    expect([code, results[0]?.compared]).toEqual([0, 48]);
    rt.close();
  });

  test('writes the present contents of variables into the PTX', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(shifted, { file: 'shifted.ptx' });
    const x = rt.alloc(128);
    const capture = rt.capture();
    const launch = () => mod.kernel('shift').launch({ grid: 1, block: 32 }, [x]);
    launch();
    mod.global('total').write(Uint32Array.of(70));
    mod.global('table').at(12).write(Uint32Array.of(0x01020304));
    launch();
    const captured = await capture.end();
    expect(captured.skipped).toEqual([]);
    expect(captured.cases.map(({ ptxFile }) => ptxFile)).toEqual(['shifted.ptx', 'shifted-2.ptx']);
    expect(captured.cases[0]?.ptx).toBe(shifted);
    expect(captured.cases[1]?.ptx.split('\n')).toHaveLength(shifted.split('\n').length);
    expect(await runAll(captured)).toMatchObject({ code: 0 });
    expect(captured.cases[1]?.json).toContain(`${70 + 0x01020304}`);
    rt.close();
  });

  test('stores the addresses of a struct as pointers, and skips what a case cannot express', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text);
    const [x, y, list] = [rt.alloc(16), rt.alloc(16), rt.alloc(16)];
    x.write(Uint32Array.of(7, 8));
    const pair = (address: bigint) => BigUint64Array.of(3n, address);
    list.write(BigUint64Array.of(x.address));
    const capture = rt.capture();
    const [fields, one] = [mod.kernel('fields'), { grid: 1, block: 1 }];
    fields.launch(one, [pair(y.address), y]);
    fields.launch(one, [pair(x.address), y]);
    mod.kernel('follow').launch(one, [list, y]);
    const captured = await capture.end();
    expect(captured.cases.map(({ id }) => id)).toEqual(['fields-1']);
    expect(await runAll(captured)).toMatchObject({ code: 0 });
    expect(captured.skipped).toEqual([
      { kernel: 'fields', launch: 2, reason: '`pair` contains the address of memory that is no argument' },
      { kernel: 'follow', launch: 3, reason: '`list` points to addresses of other memory' },
    ]);
    rt.close();
  });

  test('records the launches of a sequence, up to its limit and of its kernels', async () => {
    const { rt } = await openFake();
    const mod = await rt.load(text);
    const [x, y] = [rt.alloc(128), rt.alloc(128)];
    const sequence = rt.record((argument) => {
      mod.kernel('add').launch({ grid: 1, block: 32 }, [x, argument('n', 1)]);
      rt.memset(y, 0);
      mod.kernel('copy').launch({ grid: 1, block: 32 }, [x, y]);
    });
    sequence.replay();
    const capture = rt.capture({ kernels: ['add'], limit: 2 });
    for (const n of [10, 20, 40]) sequence.replay({ n });
    const captured = await capture.end();
    expect(captured.cases.map(({ id }) => id)).toEqual(['add-1', 'add-2']);
    expect(await runAll(captured)).toMatchObject({ code: 0 });
    expect((await y.read(Uint32Array))[0]).toBe(71);
    expect(() => rt.capture({ limit: 0 })).toThrow(TypeError);
    rt.close();
  });
});

describe('saveCases', () => {
  test('refuses names outside the folder', () => {
    const made = { file: '../x.json', json: '{}', ptxFile: 'x.ptx', ptx: '' };
    expect(() => saveCases([made], folder)).toThrow(/is not a file name/);
  });
});

/** Two threads of different warps write a word; `.loc` names a line of CUDA. */
const race = moduleOf(
  kernelOf('race', ['u64 x'], '\n  .loc 1 42 7\n  st.global.u32 [%x], %i;').replace('\n{', '\n{\n  .loc 1 40 1'),
  kernelOf('beyond', ['u64 x', 'u32 n'], 'mul.wide.u32 %s2, %n, 4; add.s64 %s1, %x, %s2; st.global.u32 [%s1], %i;'),
  kernelOf('endless', ['u64 x'], 'mov.u32 %r2, 0; again: ld.volatile.global.u32 %r1, [%x]; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5000; @%p1 bra again;'),
  copyKernel,
  kernelOf('follow', ['u64 list', 'u64 y'], 'ld.global.u64 %s1, [%list]; ld.global.u32 %r1, [%s1]; st.global.u32 [%y], %r1;'),
  '.file 1 "/src/race.cu"\n',
); // biome-ignore format: one kernel per line

onEachPlatform('the sanitizer', () => {
  test('reports findings with their CUDA lines, once', async () => {
    const reports: SanitizerReport[] = [];
    const { rt } = await openFake({}, { sanitize: { onReport: (report) => reports.push(report) } });
    const mod = await rt.load(race, { file: 'race.ptx' });
    const x = rt.alloc(128);
    for (let round = 0; round < 3; round++) {
      mod.kernel('copy').launch({ grid: 1, block: 16 }, [x, x.at(64)]);
      mod.kernel('race').launch({ grid: 1, block: 64 }, [x]);
    }
    mod.kernel('beyond').launch({ grid: 1, block: 1 }, [x, 32]);
    expect(await rt.sanitized()).toEqual(reports);
    expect(
      reports.map(({ kind, kernel, launch, finding, place }) => [kind, kernel, launch, finding?.code, place?.file]),
    ).toEqual([
      ['finding', 'race', 2, 'RUN010', '/src/race.cu'],
      ['finding', 'beyond', 7, 'RUN008', 'race.ptx'],
    ]);
    expect(reports[0]?.place).toEqual({ file: '/src/race.cu', line: 42, column: 7 });
    expect(reports[0]?.text).toContain('race, launch 2:\n/src/race.cu:42:7: error[RUN010]');
    rt.close();
  });

  test('checks the memory as it was before each launch', async () => {
    const { rt } = await openFake({}, { sanitize: true });
    // The second element is an index. It is out of bounds only before the second launch.
    const index = kernelOf(
      'index',
      ['u64 x'],
      'ld.global.u32 %r1, [%x+4]; mul.wide.u32 %s2, %r1, 4; add.s64 %s1, %x, %s2; st.global.u32 [%s1], %r1; st.global.u32 [%x+4], 0;',
    );
    const kernel = (await rt.load(moduleOf(index))).kernel('index');
    const x = rt.alloc(16);
    const launch = () => kernel.launch({ grid: 1, block: 1 }, [x]);
    launch();
    x.write(Uint32Array.of(0, 9));
    launch();
    launch();
    x.write(Uint32Array.of(0, 3));
    launch();
    const warn = console.warn;
    const texts: string[] = [];
    console.warn = (line: string) => void texts.push(line);
    const reports = await rt.sanitized().finally(() => {
      console.warn = warn;
    });
    expect(reports.map(({ launch: number, finding }) => [number, finding?.code])).toEqual([[2, 'RUN008']]);
    expect(texts).toEqual(reports.map(({ text: line }) => line));
    rt.close();
  });

  test('reports launches that it did not check, or only in part', async () => {
    const reports: SanitizerReport[] = [];
    const onReport = (report: SanitizerReport) => reports.push(report);
    const { rt, device } = await openFake(
      {},
      { sanitize: { onReport, maxSteps: 1000, kernels: ['endless', 'follow', 'copy'] } },
    );
    const mod = await rt.load(race);
    const [x, y, list] = [rt.alloc(128), rt.alloc(16), rt.alloc(16)];
    list.write(BigUint64Array.of(y.address));
    mod.kernel('race').launch({ grid: 1, block: 64 }, [x]);
    mod.kernel('endless').launch({ grid: 1, block: 1 }, [x]);
    mod.kernel('follow').launch({ grid: 1, block: 1 }, [list, x]);
    const bare = rt.adopt(device.createBuffer({ label: 'bare', size: 64, usage: 0x80 }));
    mod.kernel('copy').launch({ grid: 1, block: 1 }, [x, bare]);
    await rt.sanitized();
    expect(reports.map(({ kind, kernel, launch, message }) => [kind, kernel, launch, message]).sort()).toEqual([
      ['skipped', 'copy', 4, 'the buffer of `bare` of 64 bytes lacks GPUBufferUsage.COPY_SRC'],
      ['skipped', 'follow', 3, '`list` points to addresses of other memory'],
      ['unfinished', 'endless', 2, expect.stringContaining('1000')],
    ]);
    rt.close();
  });

  test('limits the launches that wait for it', async () => {
    const reports: SanitizerReport[] = [];
    const { rt } = await openFake({}, { sanitize: { onReport: (report) => reports.push(report) } });
    const kernel = (await rt.load(race)).kernel('copy');
    const x = rt.alloc(128);
    for (let round = 0; round < 300; round++) kernel.launch({ grid: 1, block: 1 }, [x, x.at(64)]);
    await rt.sanitized();
    expect(reports.map(({ kind, launch }) => [kind, launch])).toEqual([['skipped', 257]]);
    rt.close();
  });

  test('needs the option, and ends with the runtime', async () => {
    const { rt: plain } = await openFake();
    await expect(plain.sanitized()).rejects.toThrow(RangeError);
    plain.close();
    const { rt } = await openFake({}, { sanitize: true });
    const kernel = (await rt.load(race)).kernel('copy');
    const x = rt.alloc(128);
    kernel.launch({ grid: 1, block: 1 }, [x, x.at(64)]);
    const waiting = rt.sanitized();
    rt.close();
    await expect(waiting).rejects.toMatchObject({ kind: 'lost' });
  });
});
