// Checks every example of the documentation: TypeScript and JavaScript by the compiler's types,
// commands by the definitions of the command line. Other tests run the examples that show output.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildCommand } from '../../../src/cli/build.ts';
import { createProgram } from '../../../src/cli/main.ts';
import { type Block, blocksOf, commandsOf, pages, root, wordsOf } from './docs-blocks.ts';

// Pages that this test skips: the references contain signatures, and other tests run the examples of
// the library's guide and of the reports.
const other = new Set([
  'docs/reference/api.md',
  'docs/reference/runtime.md',
  'docs/guides/use-the-library.md',
  'docs/lab-notes/reports.md',
]);
const blocks = pages()
  .filter((page) => !other.has(page))
  .flatMap(blocksOf);
const scripts = new Set(['ts', 'typescript', 'js', 'javascript']);
const shells = new Set(['sh', 'bash', 'shell', 'console']);
const place = ({ page, line }: Block): string => `${page}:${line}`;

test('every block names a language that is checked, or that is only data', () => {
  const data = ['ptx', 'wgsl', 'cuda', 'html', 'json', 'yaml', 'text', 'diff'];
  const unknown = blocks.filter(({ language }) => ![...scripts, ...shells, ...data].includes(language));
  expect(unknown.map((block) => `${place(block)} ${block.language}`)).toEqual([]);
});

describe.skipIf(!existsSync(join(root, 'dist/index.d.ts')))('scripts', () => {
  test('have no type errors', { timeout: 120_000 }, async () => {
    // This folder is inside the package, so the package's name resolves to its built files. Git
    // ignores it.
    const folder = join(root, 'reports', `docs-examples-${process.pid}`);
    try {
      mkdirSync(folder, { recursive: true });
      const silent = { err: () => undefined };
      const built = { block: [{ value: [256, 1, 1] }], float: 'exact', output: join(folder, 'saxpy.js') } as const;
      expect(await buildCommand(join(root, 'docs/examples/saxpy.ptx'), built, silent)).toBe(0);
      const files = blocks
        .filter(({ language }) => scripts.has(language))
        .map(({ page, line, language, code }) => {
          const name = `${page.replace(/\W+/g, '-')}-${line}.${language.startsWith('t') ? 'ts' : 'js'}`;
          // The export makes the file a module even if it has no imports.
          writeFileSync(join(folder, name), `${code}\nexport {};\n`);
          return name;
        });
      expect(files.length).toBeGreaterThan(10);
      const compilerOptions = {
        target: 'ESNext',
        module: 'ESNext',
        moduleResolution: 'Bundler',
        lib: ['ES2023', 'DOM', 'DOM.Iterable', 'ESNext.Disposable'],
        types: ['node', '@webgpu/types'],
        allowJs: true,
        checkJs: true,
        // Examples in JavaScript have no annotations, and do not check that elements exist, so
        // strict checks would fail.
        strict: false,
        skipLibCheck: true,
        noEmit: true,
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
        encoding: 'utf8',
      });
      expect(stdout).toBe('');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Programs that the documentation mentions but the project does not contain. */
const others = [
  'npm',
  'node',
  'python3',
  'nvcc',
  'mkdir',
  'cd',
  'cp',
  'docker',
  'java',
  'chromedriver',
  'google-chrome',
  'source',
  'adb',
  'ssh',
  'git',
  'apt-get',
  'echo',
];

/** Returns the words after `npx` and its options `-p PACKAGE`. */
function withoutPackages([first = '', second, ...rest]: readonly string[]): readonly string[] {
  return first === '-p' ? withoutPackages(rest) : second === undefined ? [first] : [first, second, ...rest];
}

/** Throws if the command line does not accept the words. */
async function parse(words: readonly string[]): Promise<void> {
  const silent = { out: () => undefined, err: () => undefined };
  // The commands are parsed, but do not run.
  const program: Command = createProgram(silent as never, async () => undefined);
  await program.parseAsync([...words], { from: 'user' });
}

describe('commands', () => {
  const commands = blocks
    .filter(({ language }) => shells.has(language))
    .flatMap((block) => commandsOf(block).map((command) => ({ name: `${place(block)} ${command}`, command })));

  test('are found', () => expect(commands.length).toBeGreaterThan(40));

  test.each(commands)('$name', async ({ command }) => {
    for (const part of command.split(/ (?:&&|\|) /)) {
      const words = wordsOf(part.replace(/ (?:&|[0-9]?> ?\S+)$/, ''));
      const [first = '', ...rest] = words;
      const [program = '', ...own] = first === 'npx' ? withoutPackages(rest) : words;
      if (program === 'lanewise') await parse(own);
      else if (first === 'npx') expect(['vite', 'vitest', 'tsc', 'biome']).toContain(program);
      else expect(others).toContain(first);
      if (first === 'npm' && (rest[0] === 'run' || rest[0] === 'start' || rest[0] === 'test')) {
        const { scripts: own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
        expect(Object.keys(own)).toContain(rest[0] === 'run' ? rest[1] : rest[0]);
      }
      if (first === 'node' && rest[0]?.startsWith('scripts/')) expect(existsSync(join(root, rest[0]))).toBe(true);
    }
  });
});
