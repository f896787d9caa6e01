// Runs the commands of README.md and of docs/guides/check-in-ci.md.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocksOf, commandsOf, root, wordsOf } from '../unit/repository/docs-blocks.ts';

const isBuilt = existsSync(join(root, 'dist/runtime/index.js'));
const commands = blocksOf('README.md')
  .filter(({ language }) => language === 'sh')
  .flatMap(commandsOf)
  .filter((command) => command.startsWith('npx lanewise '));

describe.skipIf(!isBuilt)('README.md', () => {
  test('has a command of each kind', () => {
    expect(commands.map((command) => wordsOf(command)[2])).toEqual(['run', 'check', 'validate', 'translate']);
  });

  test.each(commands)('%s', { timeout: 120_000 }, (command) => {
    const [, , ...words] = wordsOf(command);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/lanewise.js'), ...words], {
      cwd: join(root, 'docs/examples'),
      encoding: 'utf8',
      timeout: 110_000,
    });
    expect(stdout, stderr).not.toBe('');
    expect(status, stdout + stderr).toBe(0);
  });
});

describe.skipIf(!isBuilt)('docs/guides/check-in-ci.md', () => {
  test('shows the report of its command', () => {
    const shown = blocksOf('docs/guides/check-in-ci.md').find(({ language }) => language === 'console');
    const [command = '', ...report] = (shown?.code ?? '').split('\n');
    const { stdout, status } = spawnSync(
      process.execPath,
      [join(root, 'bin/lanewise.js'), ...wordsOf(command.replace('$ npx lanewise ', ''))],
      { cwd: join(root, 'docs/examples'), encoding: 'utf8' },
    );
    expect(stdout).toBe(report.join('\n'));
    expect(status).toBe(1);
  });
});
