// The completion scripts, in the shells that this machine has.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lanewise } from '../../command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

async function script(shell: string): Promise<string> {
  const { code, out } = await lanewise('completion', shell);
  expect(code).toBe(0);
  const path = join(folder, `lanewise.${shell}`);
  writeFileSync(path, out);
  return path;
}

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s reads its script', async (shell) => {
    const path = await script(shell);
    const { out: help } = await lanewise('--help');
    const { out } = await lanewise('completion', shell);
    for (const [, command] of help.matchAll(/^ {2}(\w+) .*\[/gm)) expect(out).toContain(command);
    if (!has(shell)) return;
    expect(spawnSync(shell, ['-n', path], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it.skipIf(!has('bash')).each([
    [['tran'], ['translate']],
    [['run', '--pl'], ['--plan']],
    [
      ['run', '--plan', 'n'],
      ['native', 'narrow'],
    ],
    [['completion', 'f'], ['fish']],
  ])('bash completes %j', async (words, expected) => {
    const path = await script('bash');
    const line = `source ${path}; COMP_WORDS=(lanewise ${words.join(' ')}); COMP_CWORD=${words.length}; _lanewise; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(expected);
  });

  it('names the supported shells', async () => {
    expect(await lanewise('completion', 'tcsh')).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash, zsh, fish'),
    });
  });
});
