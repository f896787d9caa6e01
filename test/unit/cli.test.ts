// The command line as a person meets it: texts and exit codes. Commands that need an adapter are tested with one.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launch } from '../../src/base/launch.ts';
import type { Console } from '../../src/cli/console.ts';
import { main } from '../../src/cli/main.ts';
import { writeCase } from '../../src/harness/launches/case-file.ts';
import { passes, passNames } from '../../src/translate/index.ts';
import { parseProgram } from '../../src/translate/ir/parse.ts';
import { printProgram } from '../../src/translate/ir/print.ts';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'lanewise-cli-'));
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

async function lanewise(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const plain = picocolors.createColors(false);
  const console: Console = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    annotate: () => undefined,
    outColors: plain,
    errColors: plain,
    // Not a terminal: progress is plain lines.
    errStream: Object.assign(Object.create(process.stderr), { isTTY: false, write: () => true }),
  };
  return { code: await main(argv, console), out, err };
}

/// A kernel of one warp that stores the ballot of `%laneid < limit` in every lane.
const ballot = (body = 'vote.sync.ballot.b32 %word, %below, 0xffffffff;'): string => `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p_out, .param .u32 p_limit)
{
  .reg .b64 %out, %offset;
  .reg .b32 %lane, %limit, %word;
  .reg .pred %below;
  ld.param.u64 %out, [p_out];
  ld.param.u32 %limit, [p_limit];
  mov.u32 %lane, %laneid;
  setp.lt.u32 %below, %lane, %limit;
  ${body}
  mul.wide.u32 %offset, %lane, 4;
  add.s64 %out, %out, %offset;
  st.global.b32 [%out], %word;
  ret;
}
`;

/// Writes `<name>.json` and its PTX; every lane is expected to hold `expected`.
function writeBallotCase(name: string, expected: number, ptx = ballot()): string {
  const launch: Launch = {
    id: name,
    group: 'test',
    ptx,
    ptxFile: `${name}.ptx`,
    entry: 'k',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [
      {
        name: 'out',
        kind: 'buffer',
        type: 'u32',
        bytes: 128,
        expect: new Uint8Array(new Uint32Array(32).fill(expected).buffer),
      },
      { name: 'limit', kind: 'scalar', type: 'u32', value: 5 },
    ],
  };
  writeFileSync(join(folder, `${name}.ptx`), ptx);
  writeFileSync(join(folder, `${name}.json`), writeCase(launch, `${name}.ptx`));
  return join(folder, `${name}.json`);
}

describe('usage', () => {
  it.each([[[]], [['--help']], [['validate', '--help']], [['run', '--help']], [['translate', '--help']]])(
    '%j prints help',
    async (argv) => {
      const { code, out, err } = await lanewise(...argv);
      expect(out + err).toContain('Usage: lanewise');
      expect(code).toBe(argv.length === 0 ? 2 : 0);
    },
  );

  it('lists the commands that exist', async () => {
    const { out } = await lanewise('--help');
    for (const command of ['validate', 'run', 'golden', 'check', 'translate', 'info'])
      expect(out).toContain(`  ${command}`);
    expect(out).toContain('Exit codes:');
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await lanewise('--version')).out.trim()).toBe(version);
  });

  it.each([
    [['validat'], "unknown command 'validat'"],
    [['validate', '--sed', '1'], "unknown option '--sed'"],
    [['validate', '--seed', 'x'], 'A seed is an integer'],
    [['validate', '--seed', '-1'], 'A seed is an integer'],
    [['validate', '--on', 'metal'], "'metal' is no executor"],
    [['validate', '--on', ''], "'' is no executor"],
    [['validate', '--timeout', '0'], 'above 0'],
    [['validate', '--float', 'loose'], 'Allowed choices are exact, fast'],
    [['validate', 'shfl.sinc', '--on', 'cpu'], 'did you mean shfl.sync'],
    [['validate', '--on', 'chrome', '--adapter', 'lavapipe8'], "chrome has no adapter 'lavapipe8'"],
    ...['toString', '__proto__', 'lavapipe3'].flatMap((name): [string[], string][] =>
      ['cpu', 'chrome', 'dawn'].map((on) => [
        ['validate', '--on', on, '--adapter', name],
        'Allowed choices are default',
      ]),
    ),
    [['run'], "missing required argument 'case'"],
    [['run', 'absent.json'], 'absent.json'],
    [['run', 'absent.json', '--optimize', '5'], 'A level is'],
    [['golden', 'absent.json'], 'absent.json'],
    [['check', 'absent.json'], 'absent.json'],
    [['translate', 'absent.ptx'], 'cannot read absent.ptx'],
    [['translate', 'k.ptx', '--block', '1,2,3,4'], 'up to three positive integers'],
    [['translate', 'k.ptx', '--block', '64,32'], 'at most 1024 threads, not 2048'],
    [['translate', 'k.ptx', '--print-after', 'nothing'], "there is no pass 'nothing'"],
    [
      ['translate', 'k.ptx', '--print-after', 'legalize', '--source-map', 'lines.json'],
      '--source-map tells of the WGSL',
    ],
    [['translate', 'k.ptx', '--source-map', '/dev/null/lines.json'], 'cannot write /dev/null/lines.json'],
    [['translate', 'k.ptx', '--subgroup-size', '7'], 'must be 4, 8, 16, 32, 64, 128'],
  ])('%j is bad usage', async (argv, message) => {
    const { code, out, err } = await lanewise(...argv);
    expect(err).toContain(message);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it.skipIf(existsSync('/dev/nvidia0'))('says that there is no NVIDIA driver', async () => {
    for (const argv of [
      ['validate', '--on', 'cuda'],
      ['golden', writeBallotCase('good', 0x1f)],
    ]) {
      const { code, err } = await lanewise(...argv);
      expect(code).toBe(3);
      expect(err).toContain('no NVIDIA driver');
    }
  });
});

describe('several cases', () => {
  const good = writeBallotCase('several-good', 0x1f);
  const wrong = writeBallotCase('several-wrong', 0x3f);
  const broken = join(folder, 'several-broken.json');
  writeFileSync(broken, readFileSync(good, 'utf8').replace('"type": "u32"', '"type": "u33"'));
  const twin = join(folder, 'several-twin.json');
  writeFileSync(twin, readFileSync(good, 'utf8'));

  it.each([['run'], ['check']])('%s goes on after one that cannot be read', async (command) => {
    const { code, out, err } = await lanewise(command, broken, good, ...(command === 'run' ? ['--on', 'cpu'] : []));
    expect(code).toBe(2);
    expect(err).toContain("unknown type 'u33'");
    expect(out).toContain('✓ several-good');
  });

  it('a mismatch outranks a file that cannot be read', async () => {
    const { code, out } = await lanewise('run', broken, wrong, good, '--on', 'cpu');
    expect(code).toBe(1);
    expect(out).toContain('✗ several-wrong');
    expect(out).toContain('✓ several-good');
    expect(out).toContain('1 of 3 passed');
  });

  it('refuses the second of two with one id, and the document has a result for it', async () => {
    const { code, out, err } = await lanewise('run', good, twin, '--on', 'cpu', '--json');
    expect(code).toBe(2);
    expect(err).toContain(`'several-good' is the id of ${good} already`);
    expect(JSON.parse(out).results).toMatchObject([
      { id: 'several-good', status: 'pass' },
      { id: twin, status: 'error', errorKind: 'invalid' },
    ]);
  });
});

describe('validate', () => {
  it('lists suites', async () => {
    const { code, out } = await lanewise('validate', 'elect.sync', '--list');
    expect(code).toBe(0);
    expect(out.split('\n')).toContain('elect.sync:groups');
  });

  it('prints a table, the seed and the report, and writes every report', async () => {
    const { code, out, err } = await lanewise(
      ...[
        'validate',
        'vote.sync.ballot',
        '--on',
        'cpu',
        '--seed',
        '11',
        '--junit',
        'out/junit.xml',
        '--html',
        'out/page.html',
      ],
    );
    expect(code).toBe(0);
    expect(err).toContain('seed 11');
    expect(out).toMatch(/✓ vote\.sync\.ballot +16 +1,536 /);
    expect(out).toContain('agree with the reference');
    expect(out).toContain('Report: reports/validate.json, out/page.html, out/junit.xml');
    expect(out).toContain("npx lanewise validate 'vote.sync.ballot' --seed 11 --on cpu");
    expect(JSON.parse(readFileSync('reports/validate.json', 'utf8')).results).toHaveLength(16);
    expect(readFileSync('out/junit.xml', 'utf8')).toContain('tests="16" failures="0"');
    expect(readFileSync('out/page.html', 'utf8')).toContain('vote.sync.ballot:groups');
  });

  it('prints one JSON document', async () => {
    const { code, out } = await lanewise('validate', 'activemask:guard#3', '--on', 'cpu', '--seed', '1', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schemaVersion: 1,
      run: { command: 'validate', query: ['activemask:guard#3'], seed: 1 },
      results: [{ id: 'activemask:guard', executor: 'cpu', status: 'pass', cases: 1, compared: 32 }],
    });
  });
});

describe('run', () => {
  it('passes a case', async () => {
    const { code, out } = await lanewise('run', writeBallotCase('good', 0x1f), '--on', 'cpu');
    expect(out).toContain('✓ good on cpu: 32 elements');
    expect(out).toContain('1 of 1 passed; 32 elements compared');
    expect(code).toBe(0);
  });

  it('fails a case, with the element and the command', async () => {
    const path = writeBallotCase('wrong', 0x3f);
    const { code, out } = await lanewise('run', path, writeBallotCase('good', 0x1f), '--on', 'cpu');
    expect(code).toBe(1);
    expect(out).toContain('✗ wrong on cpu: fail, 32 of 32 differ');
    expect(out).toContain('expected:    0x0000003f');
    expect(out).toContain('got:         0x0000001f');
    expect(out).toContain(`npx lanewise run ${path} --on cpu`);
    expect(out).toContain('1 of 2 passed');
  });

  it.each([
    ['bad', 'vote.sync.balot.b32 %word, %below, 0xffffffff;', 2, 'bad.ptx:13:12'],
    ['texture', 'tex.1d.v4.f32.s32 {%word, %word, %word, %word}, [tex, {%lane}];', 2, 'texture.ptx:13'],
    [
      'deadlock',
      'mov.u32 %word, 0;\n  @%below vote.sync.ballot.b32 %word, %below, 0xffffffff;\n  bar.sync 0;',
      1,
      'deadlock.ptx:14',
    ],
  ])('reports the line of a %s kernel', async (name, body, exitCode, place) => {
    const { code, out } = await lanewise('run', writeBallotCase(name, 0x1f, ballot(body)), '--on', 'cpu');
    expect(out).toContain(place);
    expect(code).toBe(exitCode);
  });

  it('prints one JSON document', async () => {
    const { code, out } = await lanewise('run', writeBallotCase('good', 0x1f), '--on', 'cpu', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      run: { command: 'run' },
      results: [{ id: 'good', status: 'pass', compared: 32 }],
    });
  });
});

describe('translate', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return name;
  };

  it.each([
    ['module.ptx', ballot(), 'vote.sync.ballot.b32 %word, %below, 0xffffffff;'],
    ['fragment.ptx', 'shfl.sync.bfly.b32 Ry, Rx, 0x10, 0x1f, 0xffffffff;', 'fn main('],
    ['sass.txt', 'SHFL.UP P1, Ry, Rx, 1, 0\n@P1 FADD Rx, Ry, Rx', 'fn main('],
  ])('%s prints WGSL', async (name, text, part) => {
    for (const size of ['0', '8', '32', '64']) {
      const { code, out, err } = await lanewise('translate', write(name, text), '--subgroup-size', size);
      expect(err).toBe('');
      expect(out).toContain('@compute @workgroup_size(');
      expect(out).toContain(part);
      expect(code).toBe(0);
    }
  });

  it.each(passNames)('prints the IR after %s', async (pass) => {
    const { code, out } = await lanewise('translate', write('module.ptx', ballot()), '--print-after', pass);
    expect(out).toMatch(/^source "module.ptx"\n/);
    expect(out).toContain('kernel k {\nb0:\n');
    expect(out).not.toContain('@compute');
    expect(printProgram(parseProgram(out).program)).toBe(out);
    expect(code).toBe(0);
  });

  it('names the passes in its help', async () => {
    const { out } = await lanewise('translate', '--help');
    for (const { name } of passes) expect(out.replace(/\s+/g, ' ')).toMatch(new RegExp(` ${name}\\b`));
  });

  it.each([
    ['module.ptx', ballot(), { 12: 'lane <', 13: 'subgroupballot(', 16: '] = word' }],
    // The loads and stores around a fragment come from no line.
    ['fragment.ptx', '// A comment.\nvote.sync.ballot.b32 word, p, 0xffffffff;\n', { 2: 'subgroupballot(' }],
  ])('writes which line of %s each line of the WGSL comes from', async (name, text, expected) => {
    const { code, out } = await lanewise('translate', write(name, text), '--source-map', 'maps/lines.json');
    expect(code).toBe(0);
    const document = JSON.parse(readFileSync('maps/lines.json', 'utf8'));
    expect(document).toMatchObject({ schemaVersion: 1, ptx: name, kernel: name === 'module.ptx' ? 'k' : 'fragment' });
    const lines = new Map<number, string>();
    const wgsl = out.split('\n');
    for (const { ptxLine, wgslLine } of document.lines)
      lines.set(ptxLine, `${lines.get(ptxLine) ?? ''}${wgsl[wgslLine - 1]}\n`);
    // Every comment that shows PTX is a line of its statement.
    for (const [ptxLine, part] of lines) expect(part).toContain(text.split('\n')[ptxLine - 1]?.trim());
    for (const [ptxLine, part] of Object.entries(expected))
      expect(lines.get(Number(ptxLine))?.toLowerCase()).toContain(part);
    if (name === 'fragment.ptx') expect([...lines.keys()]).toEqual([2]);
    if (name === 'fragment.ptx') expect(lines.get(2)).not.toContain('out_');
  });

  it.each([
    ['bad.ptx', ballot('vote.sync.balot.b32 %word, %below, 0xffffffff;'), 'bad.ptx:13:12'],
    ['unsupported.ptx', ballot('fma.rn.f32x2 %offset, %offset, %offset, %offset;'), 'unsupported.ptx:13'],
  ])('%s is refused at its line', async (name, text, place) => {
    const { code, out, err } = await lanewise('translate', write(name, text));
    expect(err).toContain(place);
    expect(out).toBe('');
    expect(code).toBe(2);
  });
});

describe('check', () => {
  it('finds nothing in a sound kernel', async () => {
    const { code, out } = await lanewise('check', writeBallotCase('good', 0x1f));
    expect(out).toBe('✓ good: nothing found\n');
    expect(code).toBe(0);
  });

  it('reports undefined behaviour with its line', async () => {
    const unnamed = ballot('vote.sync.ballot.b32 %word, %below, 0x0000ffff;');
    const path = writeBallotCase('unnamed', 0x1f, unnamed);
    const { code, out } = await lanewise('check', path);
    expect(out).toContain('unnamed.ptx:13:3');
    expect(out).toContain('lane 16');
    expect(code).toBe(1);
    const json = await lanewise('check', path, '--json');
    expect(JSON.parse(json.out).results[0]).toMatchObject({
      status: 'fail',
      findings: [{ line: 13, lanes: '0x00010000', count: 16 }],
    });
  });
});
