// The generated parts of the documentation are up to date. UPDATE=1 updates the WGSL of the example
// in the guide.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createProgram, main } from '../../../src/cli/main.ts';
import { findingKinds } from '../../../src/cpu-ref/interpreter/state/findings.ts';
import { litmusDiagnostics } from '../../../src/memory-model/diagnostics.ts';
import { llvmDiagnostics } from '../../../src/nvptx/diagnostics.ts';
import { diagnostics } from '../../../src/ptx/diagnostics/diagnostics.ts';
import { compileDiagnostics } from '../../../src/translate/diagnostics.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = join(root, 'docs/guides/build-without-the-translator.md');
const text = readFileSync(path, 'utf8');

/** Returns the first block of a language. */
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1] ?? '';

/** Runs a command in the folder of the example's file. Returns its output. */
async function output(command: readonly string[], file: string, ptx: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lanewise-readme-'));
  const home = process.cwd();
  let out = '';
  try {
    process.chdir(folder);
    writeFileSync(file, ptx);
    const colors = picocolors.createColors(false);
    const code = await main(command, {
      out: (part) => {
        out += part;
      },
      err: (part) => expect.fail(part),
      annotate: () => undefined,
      outColors: colors,
      errColors: colors,
      errStream: process.stderr,
    });
    expect(code).toBe(0);
  } finally {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  }
  return out;
}

describe('docs/guides/build-without-the-translator.md', () => {
  it('shows the output of its command', async () => {
    const [, command = '', file = ''] = /`npx lanewise (translate (\S+))` prints$/m.exec(text) ?? [];
    const printed = await output(command.split(' '), file, block('ptx'));
    if (process.env.UPDATE !== undefined)
      writeFileSync(
        path,
        text.replace(`\`\`\`wgsl\n${block('wgsl')}`, () => `\`\`\`wgsl\n${printed}`),
      );
    else expect(block('wgsl')).toBe(printed);
  });
});

describe('docs/reference/api.md and docs/reference/runtime.md', () => {
  it('match the docstrings', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/api-reference.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});

it('docs/design/memory-model.md has the litmus tests of all adapters', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/litmus-table.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('docs/lab-notes/native-compiler.md and docs/lab-notes/wgsl-compilers.md have the registry of workarounds', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/workarounds-table.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('README.md and docs/measurements.md have the numbers of the records', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/measurements.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('docs/proofs.md has the verdicts of the record', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/proofs-page.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

it('docs/reference/diagnostics.md has every code, with its meaning', async () => {
  const { diagnosticsPage } = await import(join(root, 'scripts/diagnostics-page.mjs'));
  const page = diagnosticsPage({
    diagnostics,
    compileDiagnostics,
    llvmDiagnostics,
    litmusDiagnostics,
    findingKinds,
  });
  // If this fails: npm run build && node scripts/diagnostics-page.mjs
  expect(readFileSync(join(root, 'docs/reference/diagnostics.md'), 'utf8')).toBe(page);
  // Each diagnostic code of the sources is in one of the tables.
  const codes = new Set([...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code));
  const source = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const used = source('src')
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(root, 'src', name), 'utf8').matchAll(/'((?:PTX|LW|RUN)\d{3,4})'/g)]);
  expect(used.map(([, code]) => code).filter((code) => !codes.has(code ?? ''))).toEqual([]);
});

it('docs/reference/cli.md has the commands', async () => {
  const { cliPage } = await import(join(root, 'scripts/cli-page.mjs'));
  const silent = { out: () => undefined, err: () => undefined };
  const page = cliPage(createProgram(silent as never, async () => undefined));
  // If this fails: npm run build && node scripts/cli-page.mjs
  expect(readFileSync(join(root, 'docs/reference/cli.md'), 'utf8')).toBe(page);
});

describe('docs/reference/instructions.md', () => {
  it.skipIf(!existsSync(join(root, 'dist/isa/index.js')))('has the table of the rows', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/support-table.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
