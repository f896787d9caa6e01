// `run` and `check` of kernels without a case file: CUDA samples, whose results are recomputed
// here, and kernels with planted faults, whose CUDA line must be reported. test/gpu runs the same
// samples on an adapter.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commandWords } from '../../../src/cli/run-kernel.ts';
import { lanewise } from '../../command-line.ts';
import { planted, samples } from '../../cuda/kernels.ts';
import { drawn } from '../../effort.ts';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'lanewise-run-'));
const cuda = new URL('../../cuda/', import.meta.url).pathname;
const hasCompiler = spawnSync('nvcc', ['--version']).error === undefined;
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('samples', () => {
  it.each(drawn(samples, 5))(
    '$name computes the expected result',
    async ({ name, args, output, expected, tolerance = 0 }) => {
      const { out } = await lanewise(
        'run',
        `${cuda}samples/${name}.ptx`,
        ...args,
        '--on',
        'cpu',
        '--json',
        '--print',
        `${output}:4096`,
      );
      const { buffers } = JSON.parse(out);
      const values: number[] = buffers[0].values.map(Number);
      const wanted = expected();
      expect(values).toHaveLength(wanted.length);
      for (const [index, value] of values.entries()) {
        expect(Math.abs(value - (wanted[index] ?? Number.NaN))).toBeLessThanOrEqual(tolerance);
      }
    },
  );

  it.each(drawn(samples, 3))('$name has no findings', async ({ name, args }) => {
    expect(await lanewise('check', `${cuda}samples/${name}.ptx`, ...args)).toMatchObject({ code: 0, err: '' });
  });

  it('prints the launch and its results', async () => {
    const { code, out } = await lanewise(
      'run',
      `${cuda}samples/saxpy.ptx`,
      ...'--grid 4 --block 256 1024 2.0 x:f32[1024]=iota y:f32[1024]=ones --print y:8 --on cpu'.split(' '),
    );
    expect(out).toMatchInlineSnapshot(`
      "saxpy(int, float, float const*, float*), grid 4, block 256
        n: s32 = 1024
        a: f32 = 2.0
        x: f32[1024] = iota, read
        y: f32[1024] = ones, read and written
      – saxpy ran on the reference interpreter alone: nothing was compared
      y: f32[1024], 1,024 written
        [0]   1   3   5   7   9  11  13  15
        … 1,016 more (--print y:1024 prints all)
      "
    `);
    expect(code).toBe(0);
  });

  it('says where to look if the kernel wrote nothing', async () => {
    const saxpy = `${cuda}samples/saxpy.ptx`;
    const args = (n: number) => ['run', saxpy, String(n), '2', '[64]=iota', '[64]', '--block', '32', '--on', 'cpu'];
    const { code, out } = await lanewise(...args(0));
    expect(code).toBe(0);
    expect(out).toMatch(/\nthe kernel wrote no buffer\nLook at the number of threads, .* passes the guard\.\n$/);
    expect((await lanewise(...args(64))).out).not.toContain('Look at');
  });

  it('reports the reference alone as a pass without comparisons, and a failure as a failure', async () => {
    const saxpy = `${cuda}samples/saxpy.ptx`;
    const { code, out } = await lanewise('run', saxpy, '4', '2.0', 'f32[4]=iota', 'f32[4]', '--on', 'cpu', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).results).toMatchObject([
      { status: 'pass', compared: 0, message: expect.stringContaining('nothing was compared') },
    ]);
    writeFileSync('trap.ptx', '.version 7.0\n.target sm_70\n.address_size 64\n.entry trap()\n{ trap; }\n');
    expect(await lanewise('run', 'trap.ptx', '--block', '1', '--on', 'cpu')).toMatchObject({ code: 1 });
  });
});

describe('planted faults', () => {
  /** Returns the number of the line that has the comment `fault`. */
  const faultLine = (name: string): number =>
    readFileSync(`${cuda}planted/${name}.cu`, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes('// fault')) + 1;

  it.each(drawn(planted, 6))('$name: $code at its CUDA line', async ({ name, args, code: expectedCode }) => {
    const { code, out } = await lanewise('check', `${cuda}planted/${name}.ptx`, ...args);
    expect(code).toBe(1);
    const finding = out.split(/^(?=\S.*\[RUN\d+\]: )/m).find((text) => text.includes(`[${expectedCode}]`));
    // The frame of the CUDA source, with a caret or a label below the line.
    const line = faultLine(name);
    expect(finding).toMatch(new RegExp(String.raw`^ *${line} \|.*// fault\n +\| +[\^-]`, 'm'));
    expect(finding).toContain(`${name}.cu:`);
  });

  it('names the call through which a line was inlined', async () => {
    const { args } = planted.find(({ name }) => name === 'out-of-bounds') ?? { args: [] };
    const { out } = await lanewise('check', `${cuda}planted/out-of-bounds.ptx`, ...args, '--json');
    const [{ findings }] = JSON.parse(out).results;
    expect(findings[0].cuda).toMatchObject({
      line: 3,
      inlined: [{ callee: '_Z3putPiii', at: { line: 8 } }],
    });
  });
});

describe.skipIf(!hasCompiler)('CUDA C++', () => {
  it('is compiled, and findings quote it', { timeout: 60_000 }, async () => {
    copyFileSync(`${cuda}planted/race.cu`, 'race.cu');
    const { code, out } = await lanewise('check', 'race.cu', '--block', '64', 's32[64]=ones', '[1]');
    expect(code).toBe(1);
    expect(out).toContain('race.cu:4:5: error[RUN010]');
    expect(out).toContain('4 |     *total += 1;  // fault');
  });

  it('that does not compile is bad usage, with the compiler’s message', { timeout: 60_000 }, async () => {
    writeFileSync('bad.cu', '__global__ void k(int *p) { *p = nothing; }\n');
    const { code, err } = await lanewise('run', 'bad.cu', '[1]');
    expect(code).toBe(2);
    expect(err).toMatch(/nvcc does not compile bad\.cu:[\s\S]*"nothing" is undefined/);
    expect(err).not.toContain('hint');
  });

  it('with a header of another folder needs a variable, as the message says', { timeout: 60_000 }, async () => {
    mkdirSync('include');
    writeFileSync('include/fill.h', 'const int number = 7;\n');
    writeFileSync('fill.cu', '#include <fill.h>\n__global__ void k(int *p) { *p = number; }\n');
    const args = ['run', 'fill.cu', '[1]', '--block', '1', '--on', 'cpu'];
    const { code, err } = await lanewise(...args);
    expect([code, err]).toEqual([2, expect.stringContaining('NVCC_APPEND_FLAGS="-I include"')]);
    vi.stubEnv('NVCC_APPEND_FLAGS', '-I include');
    expect(await lanewise(...args)).toMatchObject({ code: 0, out: expect.stringContaining('[0]  7') });
    vi.unstubAllEnvs();
  });
});

describe('entries', () => {
  const reduce = `${cuda}samples/reduce.ptx`;
  it.each([
    ['reduce<int, 128u>', 0],
    ['reduce<int,128u>', 0],
    ['_Z6reduceIfLj128EEvPKT_PS0_j', 0],
    ['reduce<float, 128u>(float const*, float*, unsigned int)', 0],
    ['reduce', "'reduce' matches 2 kernels"],
    ['reduc', "did you mean 'reduce'?"],
  ])('%s', async (entry, message) => {
    const { code, err } = await lanewise(
      'check',
      reduce,
      '--entry',
      entry,
      '--block',
      '128',
      '[256]=ones',
      '[1]',
      '256',
    );
    if (message === 0) expect([code, err]).toEqual([0, '']);
    else expect([code, err]).toEqual([2, expect.stringContaining(String(message))]);
  });

  it('are listed as in C++', async () => {
    const { code, err } = await lanewise('check', reduce, '[256]=ones', '[1]', '256');
    expect(code).toBe(2);
    expect(err).toContain('reduce.ptx has 2 kernels: choose one with --entry');
    expect(err).toContain('\n  reduce<int, 128u>(int const*, int*, unsigned int)\n');
  });
});

describe('translate', () => {
  it('prints every kernel of a file', async () => {
    const { code, out } = await lanewise('translate', `${cuda}samples/reduce.ptx`, '--block', '128');
    expect(code).toBe(0);
    expect(out.match(/^\/\/ Kernel .*/gm)).toEqual([
      '// Kernel 1 of 2: reduce<int, 128u>(int const*, int*, unsigned int)',
      '// Kernel 2 of 2: reduce<float, 128u>(float const*, float*, unsigned int)',
    ]);
    expect(out.match(/@compute/g)).toHaveLength(2);
  });

  it('maps lines of WGSL to CUDA', async () => {
    const args = ['--entry', 'saxpy', '--block', '256', '--source-map', 'saxpy.map.json'];
    expect(await lanewise('translate', `${cuda}samples/saxpy.ptx`, ...args)).toMatchObject({ code: 0, err: '' });
    const { lines } = JSON.parse(readFileSync('saxpy.map.json', 'utf8'));
    const cudaLines = new Set(lines.map((line: { cuda?: { line: number } }) => line.cuda?.line));
    expect([...cudaLines].sort()).toEqual([2, 3]);
  });
});

describe('--counters', () => {
  // 32 warps access x once and y twice. The last warp has 8 lanes below n, so its branch diverges.
  const args = [`${cuda}samples/saxpy.ptx`, '1000', '2', '[1024]=iota', '[1024]', '--grid', '4', '--block', '256'];
  const totals = { globalRequests: 96, globalSectors: 375, idealSectors: 375, divergentBranches: 1, barriers: 0 };
  const worst = { divergentBranches: { cuda: expect.objectContaining({ line: 3 }) } };

  it('of run shows the counters with their worst lines', async () => {
    const { code, out } = await lanewise('run', ...args, '--on', 'cpu', '--counters');
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}Divergent branches +1 {2}branches .* \(worst: saxpy\.cu:3\)$/m);
    expect(out).toMatch(/^ {2}Sectors per request +3\.91 {2}of 32 bytes, for 96 requests .* need 3\.91$/m);
    expect((await lanewise('run', ...args, '--on', 'cpu')).out).not.toContain('Sectors');
  });

  it.each(['run', 'check'])('of %s is part of its document', async (command) => {
    const on = command === 'run' ? ['--on', 'cpu'] : [];
    const document = JSON.parse((await lanewise(command, ...args, ...on, '--counters', '--json')).out);
    expect(command === 'run' ? document.counters : document.results[0].counters).toMatchObject({ ...totals, worst });
  });

  it('is refused with a case file', async () => {
    const { code, err } = await lanewise('check', 'case.json', '--counters');
    expect([code, err]).toEqual([2, expect.stringContaining('--counters is for a .ptx or .cu file')]);
  });
});

it.each([
  ['1024', 's32 = 1024'],
  ['-1', 's32 = -1'],
  ['0xffffffff', 'u32 = 0xffffffff'],
])('the int %s is shown as %s', async (number, text) => {
  const args = [number, '2', 'f32[4096]', 'f32[4096]', '--block', '32', '--on', 'cpu'];
  const { code, out } = await lanewise('run', `${cuda}samples/saxpy.ptx`, ...args);
  expect([code, out]).toEqual([0, expect.stringContaining(`n: ${text}\n`)]);
});

describe('bad arguments', () => {
  const saxpy = `${cuda}samples/saxpy.ptx`;
  it.each([
    [[], 'saxpy(int, float, float const*, float*) needs 4 arguments, not 0, in this order:\n  n: a number of type s32'],
    [['1', '2', '3', '[4]'], "parameter 'x' is a buffer such as f32[1024]=iota (read), not 3"],
    [['[4]', '2', '[4]', '[4]'], "parameter 'n' is a number of type s32, not [4]"],
    [['1.5', '2', '[4]', '[4]'], "invalid argument '1.5' for 'n': invalid number 1.5: expected an integer of 32 bits"],
    [['4294967296', '2', '[4]', '[4]'], '4294967296 does not fit in 32 bits'],
    [['4', '2', 'y:[4]', 'x:[4]'], "argument 3, 'y:[4]', has the name of parameter 4"],
    [['4', '2', 'f33[4]', '[4]'], "invalid argument 'f33[4]': unknown element type 'f33': expected one of u8, s8"],
    [['4', '2', '[0]', '[4]'], 'the number of elements must be an integer from 1'],
    [
      ['4', '2', '[4]=tens', '[4]'],
      "unknown contents 'tens': expected zeros, ones, iota, random, numbers, or @ and a file",
    ],
    [['4', '2', '[4]=1,2', '[4]'], 'it has 2 numbers for 4 elements'],
    [['4', '2', '[4]=@absent.npy', '[4]'], 'cannot read absent.npy: no such file or folder'],
    [['4', '2', '[4]', '[4]', '--grid', '1.5'], 'invalid grid size 1.5: expected one to three positive integers'],
    [['4', '2', '[4]', '[4]', '--grid', '1,70000'], 'invalid grid size 1,70000: y is at most 65535'],
    [['4', '2', '[4]', '[4]', '--entry', 'saxpi'], "unknown kernel 'saxpi'"],
  ])('%j', async (args, message) => {
    const { code, out, err } = await lanewise('check', saxpy, ...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  });

  it('--print of another name', async () => {
    const { code, err } = await lanewise('run', saxpy, '4', '2', '[4]', '[4]', '--on', 'cpu', '--print', 'z');
    expect([code, err]).toEqual([2, expect.stringContaining('--print z: unknown buffer; expected x, y')]);
  });

  it('options of kernels with a case file', async () => {
    const { code, err } = await lanewise('check', 'case.json', '--block', '32');
    expect([code, err]).toEqual([2, expect.stringContaining('--block is for a .ptx or .cu file')]);
  });
});

it('the command that repeats a launch is quoted for a shell', () => {
  const words = commandWords("my kernel's.cu", ['-1', 'x:f32[4]=iota'], {
    entry: 'reduce<int, 128u>',
    grid: [2, 1, 1],
    block: [64, 1, 1],
    shared: 16,
  });
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual([
    "my kernel's.cu",
    ...[
      '--entry',
      'reduce<int, 128u>',
      '--grid',
      '2,1,1',
      '--block',
      '64,1,1',
      '--shared',
      '16',
      '-1',
      'x:f32[4]=iota',
    ],
  ]);
});

describe('--save', () => {
  it('writes a case that `run` accepts, with readable contents', async () => {
    const args = ['--block', '8', '6', '-0.5', '[8]=iota', '[8]=1,2,3,4,5,6,7,8'];
    const saved = await lanewise('run', `${cuda}samples/saxpy.ptx`, ...args, '--on', 'cpu', '--save', 'saved.json');
    expect(saved.err).toContain('saved saved.json and its PTX, saved.ptx');
    const { params } = JSON.parse(readFileSync('saved.json', 'utf8'));
    expect(params).toMatchObject([
      { name: 'n', value: 6 },
      { name: 'a', value: -0.5 },
      { name: 'x', data: { fill: 'iota' } },
      { name: 'y', data: [1, 2, 3, 4, 5, 6, 7, 8], expect: [1, 1.5, 2, 2.5, 3, 3.5, 7, 8] },
    ]);
    expect(await lanewise('run', 'saved.json', '--on', 'cpu')).toMatchObject({ code: 0 });
  });

  it('keeps other PTX of that name', async () => {
    writeFileSync('kept.ptx', '// mine\n');
    const args = ['--block', '8', '6', '1', '[8]', '[8]', '--on', 'cpu', '--save', 'kept.json'];
    const { code, err } = await lanewise('run', `${cuda}samples/saxpy.ptx`, ...args);
    expect([code, err]).toEqual([2, expect.stringContaining('kept.ptx exists and has other PTX')]);
    expect(readFileSync('kept.ptx', 'utf8')).toBe('// mine\n');
  });
});
