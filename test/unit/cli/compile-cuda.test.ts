// CUDA C++ on the command line: the cache of PTX, and files that a compiler includes. The compiler
// is a script, so these tests need no CUDA toolkit.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CompiledCuda, compileCuda, includedFiles } from '../../../src/cli/compile/compile-cuda.ts';

/**
 * Stands for nvcc: the preprocessor replaces `@HEADER` by the file `header`, and the PTX is the
 * result. It appends each compilation to a log.
 */
const script = `#!/bin/sh
for word; do
  case "$word" in
    --version) cat version; exit;;
    -E) what=preprocess;;
    -ptx) what=compile;;
    *.cu) file=$word;;
    -o) next=1;;
    *) [ -n "$next" ] && out=$word && next=;;
  esac
done
grep -q broken "$file" && { echo "$file(1): error: broken" >&2; exit 2; }
text=$(sed "s/@HEADER/$(cat header)/" "$file")
[ $what = preprocess ] && { printf '# 1 "%s"\\n# 1 "header" 1\\n# 1 "/usr/include/x.h" 1 3 4\\n%s\\n' "$file" "$text"; exit; }
echo "$file $NVCC_APPEND_FLAGS" >> log
echo "$file(1): warning: unused" >&2
printf '%s' "$text" > "$out"
`;

let folder = '';
const home = process.cwd();
const cache = (): string => join(folder, 'cache');
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanewise-compile-'));
  process.chdir(folder);
  write('nvcc', script);
  chmodSync('nvcc', 0o755);
  write('version', '13.0');
  write('header', 'one');
  write('kernel.cu', 'text of @HEADER');
  write('log', '');
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  vi.stubEnv('LANEWISE_CACHE', cache());
});
afterEach(() => {
  vi.unstubAllEnvs();
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

const compilations = (): number => readFileSync('log', 'utf8').split('\n').length - 1;
const result = (ptx: string): CompiledCuda => ({ program: 'nvcc', ptx, warnings: 'kernel.cu(1): warning: unused' });

describe.skipIf(process.platform === 'win32')('compiled PTX', () => {
  it('comes from the cache, with its warnings', async () => {
    for (let time = 0; time < 2; time++) expect(await compileCuda('kernel.cu')).toEqual(result('text of one'));
    expect(compilations()).toBe(1);
  });

  it.each([
    ['the source', () => write('kernel.cu', 'other text'), 'other text'],
    ['an included file', () => write('header', 'two'), 'text of two'],
    ['the options', () => vi.stubEnv('NVCC_APPEND_FLAGS', '-O1'), 'text of one'],
    ["the compiler's version", () => write('version', '13.1'), 'text of one'],
  ])('is compiled again after a change of %s', async (_, change, ptx) => {
    await compileCuda('kernel.cu');
    change();
    expect(await compileCuda('kernel.cu')).toEqual(result(ptx));
    expect(compilations()).toBe(2);
  });

  it('belongs to one path, which it contains', async () => {
    write('copy.cu', readFileSync('kernel.cu', 'utf8'));
    await compileCuda('kernel.cu');
    expect((await compileCuda('copy.cu')).warnings).toBe('copy.cu(1): warning: unused');
    expect(compilations()).toBe(2);
  });

  it('is compiled again if the text in the cache is damaged', async () => {
    await compileCuda('kernel.cu');
    const [name = ''] = readdirSync(cache()).filter((file) => file.startsWith('compiled-'));
    for (const text of ['{', '{"ptx":1,"warnings":""}']) {
      writeFileSync(join(cache(), name), text);
      expect(await compileCuda('kernel.cu')).toEqual(result('text of one'));
    }
    expect(compilations()).toBe(3);
  });

  it.each(['off', '/proc/none'])('is not cached with LANEWISE_CACHE=%s', async (value) => {
    vi.stubEnv('LANEWISE_CACHE', value);
    for (let time = 0; time < 2; time++) expect(await compileCuda('kernel.cu')).toEqual(result('text of one'));
    expect(compilations()).toBe(2);
  });

  it('is not kept of a file that does not compile', async () => {
    write('kernel.cu', 'broken');
    for (let time = 0; time < 2; time++)
      await expect(compileCuda('kernel.cu')).rejects.toThrow(
        'nvcc does not compile kernel.cu:\nkernel.cu(1): error: broken',
      );
  });

  it('reports included files before it returns', () => {
    const seen: string[] = [];
    const promise = compileCuda('kernel.cu', (path) => seen.push(path));
    expect(seen).toEqual(['kernel.cu', 'header']);
    return promise;
  });
});

it('the files of line markers are unescaped, without system headers', () => {
  const text = String.raw`# 0 "kernel.cu"
# 0 "<built-in>"
# 1 "/usr/include/stdc-predef.h" 1 3 4
# 1 "a b.cuh" 1
# 9 "kernel.cu" 3 4
#line 3 "C:\\include\\x.h"
int x; // # 1 "comment.h"`;
  expect([...includedFiles(text)]).toEqual(['kernel.cu', 'a b.cuh', 'C:\\include\\x.h']);
});
