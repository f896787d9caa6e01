// The commands `lanewise translate` and `lanewise check`, as users run them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWorkarounds } from '../../../src/base/workarounds.ts';
import { passes, passNames } from '../../../src/translate/index.ts';
import { parseProgram } from '../../../src/translate/ir/parse.ts';
import { printProgram } from '../../../src/translate/ir/print.ts';
import { ballot, writeBallotCase } from '../../ballot-case.ts';
import { lanewise } from '../../command-line.ts';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'lanewise-cli-'));
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('workarounds', () => {
  it('lists the registry', async () => {
    const { code, out } = await lanewise('workarounds', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out).workarounds.map(({ id }: { id: string }) => id)).toEqual([...allWorkarounds]);
    expect((await lanewise('workarounds', 'sink-rest')).out).toMatch(/^sink-rest \(speed; nvidia\)\n/);
  });

  it.each([
    [['nothing'], "unknown workaround 'nothing'"],
    [['sink-rest', '--on', 'cpu'], 'workarounds concern shaders'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await lanewise('workarounds', ...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
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

  it('leaves out the named workarounds, and lists the remaining ones', async () => {
    const file = write('module.ptx', ballot());
    const options = ['--without', 'part-bit-tests', 'sink-rest', '--source-map', 'lines.json'];
    expect(await lanewise('translate', file, ...options)).toMatchObject({ code: 0, err: '' });
    const { workarounds } = JSON.parse(readFileSync(join(folder, 'lines.json'), 'utf8'));
    expect(workarounds).toEqual([...allWorkarounds].filter((id) => id !== 'part-bit-tests' && id !== 'sink-rest'));
    const { code, err } = await lanewise('translate', file, '--without', 'nothing');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("unknown workaround 'nothing'") });
  });

  it.each(passes)('prints the IR after $name', async ({ name: pass }) => {
    const { code, out } = await lanewise('translate', write('module.ptx', ballot()), '--print-after', pass);
    expect(out).toMatch(/^source "module.ptx"\n/);
    expect(out).toContain('kernel k {\nb0:\n');
    expect(out).not.toContain('@compute');
    expect(printProgram(parseProgram(out).program)).toBe(out);
    expect(code).toBe(0);
  });

  it.each(['structure', 'lower-control'])('prints the control tree after %s', async (pass) => {
    const { code, out } = await lanewise('translate', write('module.ptx', ballot()), '--print-after', pass);
    expect(out).toMatch(/^control k \{\n/);
    expect(out).toContain('warp "vote.sync.ballot"');
    expect(code).toBe(0);
  });

  it('names the passes in its help', async () => {
    const { out } = await lanewise('translate', '--help');
    for (const name of passNames) expect(out.replace(/\s+/g, ' ')).toMatch(new RegExp(` ${name}\\b`));
  });

  it.each([
    ['module.ptx', ballot(), { 12: 'lane <', 13: 'subgroupballot(', 16: '] = word' }],
    // The loads and stores around a fragment have no source line.
    ['fragment.ptx', '// A comment.\nvote.sync.ballot.b32 word, p, 0xffffffff;\n', { 2: 'subgroupballot(' }],
  ])('maps each line of WGSL to its line of %s', async (name, text, expected) => {
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
  it('finds nothing in a correct kernel', async () => {
    const { code, out } = await lanewise('check', writeBallotCase(folder, 'good', 0x1f));
    expect(out).toBe('✓ good: nothing found\n');
    expect(code).toBe(0);
  });

  it('reports undefined behavior with its line', async () => {
    const unnamed = ballot('vote.sync.ballot.b32 %word, %below, 0x0000ffff;');
    const path = writeBallotCase(folder, 'unnamed', 0x1f, unnamed);
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
