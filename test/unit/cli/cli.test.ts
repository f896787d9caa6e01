// The command line as users run it: output and exit codes. cli-translate.test.ts tests `translate`
// and `check`; the tests in test/gpu cover commands that need an adapter.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ballot, writeBallotCase } from '../../ballot-case.ts';
import { lanewise } from '../../command-line.ts';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'lanewise-cli-'));
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('usage', () => {
  it.each([[[]], [['--help']], [['validate', '--help']], [['run', '--help']], [['translate', '--help']]])(
    '%j prints help',
    async (argv) => {
      const { code, out, err } = await lanewise(...argv);
      expect(out + err).toContain('Usage: lanewise');
      expect(code).toBe(argv.length === 0 ? 2 : 0);
    },
  );

  it('lists the existing commands', async () => {
    const { out } = await lanewise('--help');
    for (const command of ['validate', 'run', 'golden', 'check', 'translate', 'info'])
      expect(out).toContain(`  ${command}`);
    expect(out).toContain('Exit codes:');
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect((await lanewise('--version')).out.trim()).toBe(version);
  });

  it.each([
    [['validat'], "unknown command 'validat'"],
    [['validate', '--sed', '1'], "unknown option '--sed'"],
    [['validate', '--seed', 'x'], 'A seed is an integer'],
    [['validate', '--seed', '-1'], 'A seed is an integer'],
    [['validate', '--on', 'metal'], "unknown executor 'metal': expected one of cpu, chrome"],
    [['validate', '--on', ''], "unknown executor ''"],
    [['validate', '--timeout', '0'], 'above 0'],
    [['validate', '--float', 'loose'], 'Allowed choices are exact, fast'],
    [['validate', 'shfl.sinc', '--on', 'cpu'], 'did you mean shfl.sync'],
    [['validate', '--on', 'chrome', '--adapter', 'lavapipe8'], "unknown adapter 'lavapipe8' for chrome"],
    ...['toString', '__proto__', 'lavapipe3'].flatMap((name): [string[], string][] =>
      ['cpu', 'chrome', 'dawn'].map((on) => [
        ['validate', '--on', on, '--adapter', name],
        'Allowed choices are default',
      ]),
    ),
    [['run'], "missing required argument 'file'"],
    [['run', 'absent.json'], 'absent.json'],
    [['run', 'absent.json', '--optimize', '5'], 'A level is'],
    [['golden', 'absent.json'], 'absent.json'],
    [['program', 'absent.cu'], 'cannot read absent.cu'],
    [['program', '--on', 'cuda', 'absent.cu'], 'cannot run on cuda: use cpu'],
    [['program', '--on', 'cpu,dawn', 'absent.cu'], 'runs on one executor'],
    [['check', 'absent.json'], 'absent.json'],
    [['translate', 'absent.ptx'], 'cannot read absent.ptx'],
    [
      ['translate', 'k.ptx', '--block', '1,2,3,4'],
      'invalid block size 1,2,3,4: expected one to three positive integers',
    ],
    [['translate', 'k.ptx', '--block', '64,32'], 'at most 1024 threads, not 2048'],
    [['translate', 'k.ptx', '--print-after', 'nothing'], "unknown pass 'nothing'"],
    [
      ['translate', 'k.ptx', '--print-after', 'legalize', '--source-map', 'lines.json'],
      '--source-map describes the WGSL',
    ],
    [['translate', 'k.ptx', '--source-map', '/dev/null/lines.json'], 'cannot write /dev/null/lines.json'],
    [['translate', 'k.ptx', '--subgroup-size', '7'], 'must be 4, 8, 16, 32, 64, 128'],
  ])('%j is bad usage', async (argv, message) => {
    const { code, out, err } = await lanewise(...argv);
    expect(err).toContain(message);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  it.skipIf(existsSync('/dev/nvidia0'))('reports a missing NVIDIA driver', async () => {
    for (const argv of [
      ['validate', '--on', 'cuda'],
      ['golden', writeBallotCase(folder, 'good', 0x1f)],
    ]) {
      const { code, err } = await lanewise(...argv);
      expect(code).toBe(3);
      expect(err).toContain('no NVIDIA driver');
    }
  });
});

describe('several cases', () => {
  const good = writeBallotCase(folder, 'several-good', 0x1f);
  const wrong = writeBallotCase(folder, 'several-wrong', 0x3f);
  const broken = join(folder, 'several-broken.json');
  writeFileSync(broken, readFileSync(good, 'utf8').replace('"type": "u32"', '"type": "u33"'));
  const twin = join(folder, 'several-twin.json');
  writeFileSync(twin, readFileSync(good, 'utf8'));

  it.each([['run'], ['check']])('%s continues after a file that cannot be read', async (command) => {
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

  it('refuses the second of two cases with one id, and the document has a result for it', async () => {
    const { code, out, err } = await lanewise('run', good, twin, '--on', 'cpu', '--json');
    expect(code).toBe(2);
    expect(err).toContain(`the id 'several-good' is already used by ${good}`);
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
    const { code, out } = await lanewise('run', writeBallotCase(folder, 'good', 0x1f), '--on', 'cpu');
    expect(out).toContain('✓ good on cpu: 32 elements');
    expect(out).toContain('1 of 1 passed; 32 elements compared');
    expect(code).toBe(0);
  });

  it('fails a case, with the element and the command', async () => {
    const path = writeBallotCase(folder, 'wrong', 0x3f);
    const { code, out } = await lanewise('run', path, writeBallotCase(folder, 'good', 0x1f), '--on', 'cpu');
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
    const { code, out } = await lanewise('run', writeBallotCase(folder, name, 0x1f, ballot(body)), '--on', 'cpu');
    expect(out).toContain(place);
    expect(code).toBe(exitCode);
  });

  it('prints one JSON document', async () => {
    const { code, out } = await lanewise('run', writeBallotCase(folder, 'good', 0x1f), '--on', 'cpu', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      run: { command: 'run' },
      results: [{ id: 'good', status: 'pass', compared: 32 }],
    });
  });
});
