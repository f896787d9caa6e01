// Files and folders on the command line. Files that never end or never begin, and folders that
// cannot be created, are refused at once.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pc from 'picocolors';
import { afterAll, describe, expect, it } from 'vitest';
import type { Console } from '../../../src/cli/console.ts';
import { main } from '../../../src/cli/main.ts';
import { FileError } from '../../../src/harness/files/file-error.ts';
import { makeFolder } from '../../../src/harness/files/make-folder.ts';
import { readStream, readText } from '../../../src/harness/files/read-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanewise-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isLinux = process.platform === 'linux';
const file = join(folder, 'file');
writeFileSync(file, 'grün\n');

describe('readText', () => {
  it('reads a regular file, up to its limit', () => {
    expect(readText(file, 6)).toBe('grün\n');
    expect(() => readText(file, 5)).toThrow(new FileError('larger than the limit of 5 bytes for such a file'));
    expect(() => readText(join(folder, 'none'), 9)).toThrow(/^no such file or folder$/);
    expect(() => readText(folder, 9)).toThrow(/^not a regular file/);
  });

  it.skipIf(!isLinux)('refuses devices and pipes, and reads files that the kernel generates', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero', '/dev/null']) expect(() => readText(path, 9)).toThrow(/^not a regular file/);
    expect(readText('/proc/self/comm', 99)).not.toBe('');
    expect(() => readText('/proc/self/comm', 1)).toThrow(/^larger than the limit of 1 bytes/);
  });

  it('reads a stream, up to its limit', async () => {
    const pieces = ['gr', 'ün'].map((text) => Buffer.from(text));
    expect(await readStream(Readable.from(pieces), 5)).toBe('grün');
    await expect(readStream(Readable.from(pieces), 4)).rejects.toThrow(FileError);
  });
});

describe('makeFolder', () => {
  it('creates every folder of a path with its mode, and keeps existing ones', () => {
    const path = join(folder, 'a/b/c');
    makeFolder(path, 0o700);
    makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
    if (process.platform !== 'win32') expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700);
  });

  it('refuses folders that cannot be created', () => {
    const dangling = join(folder, 'dangling');
    symlinkSync(join(folder, 'nowhere/at/all'), dangling);
    mkdirSync(join(folder, 'full'));
    const paths = [file, join(file, 'below'), dangling, join(dangling, 'below'), `${folder}/nul\0`];
    for (const path of [...paths, ...(isLinux ? ['/proc/x', '/proc/x/y', '/dev/null/x'] : [])])
      expect(() => makeFolder(path), path).toThrow(FileError);
  });
});

/** Runs a command in this process. Returns its exit code and output. */
async function commandOf(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const said: string[] = [];
  const colors = pc.createColors(false);
  const print = (text: string): void => void said.push(text);
  const console: Console = {
    out: print,
    err: print,
    annotate: print,
    outColors: colors,
    errColors: colors,
    errStream: process.stderr,
  };
  const code = await main(args, console);
  return { code, said: said.join('') };
}

describe.skipIf(!isLinux)('commands', () => {
  const document = join(folder, 'document.json');
  const passed = { id: 'a', executor: 'cpu', status: 'pass', cases: 1, compared: 1, undefined: 0, mismatches: 0 };
  writeFileSync(document, JSON.stringify({ schemaVersion: 1, results: [passed] }));
  const ptx = join(folder, 'kernel.ptx');
  writeFileSync(ptx, '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n');

  // Reading one of these files to its end would fill the memory.
  const reads: readonly (readonly string[])[] = [
    ['merge', '/dev/zero'],
    ['fleet', 'compare', '/dev/zero', document],
    ['fleet', 'validate', '--fleet', '/dev/zero'],
    ['bench', '--from', '/dev/zero', '--against', '/dev/zero'],
    ['fuzz', '--campaign', '/dev/zero', '--count', '1', '--on', 'cpu'],
    ['fuzz', '/dev/zero', '--front-end', '1'],
    ['translate', '/dev/zero'],
    ['run', '/dev/zero', '--on', 'cpu'],
  ];
  it.each(reads)('%s %s refuses a device', async (...args) => {
    const { code, said } = await commandOf(...args);
    expect([code, said]).toEqual([2, expect.stringMatching(/\/dev\/zero/)]);
  });

  // Creating one of these folders with `mkdirSync` would never return.
  const writes: readonly (readonly string[])[] = [
    ['merge', document, '--html', '/proc/x/page.html'],
    ['merge', document, '--junit', '/proc/x/y/page.xml'],
    ['translate', ptx, '--source-map', '/proc/x/map.json'],
  ];
  it.each(writes)('%s %s %s /proc/x… reports the reason', async (...args) => {
    const { code, said } = await commandOf(...args);
    expect([code, said]).toEqual([2, expect.stringMatching(/cannot write \/proc\/x.*: no such file or folder/s)]);
  });

  it('a cache folder that cannot be created is skipped with a warning', async () => {
    const program = `
      const { keep } = await import(process.argv[1]);
      keep({ driver: 'driver 1.0', host: 'x', limits: {}, features: [] }, { problems: [] });`;
    const store = new URL('../../../dist/harness/executors/preflight-store.js', import.meta.url).href;
    if (!existsSync(new URL(store))) return;
    const args = ['--input-type=module', '-e', program, store];
    const child = spawn(process.execPath, args, { env: { ...process.env, LANEWISE_CACHE: '/proc/x' }, stdio: 'pipe' });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text));
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/LANEWISE_CACHE: adapter measurements are not cached: no such file or folder/),
    ]);
  });
});
