// CUDA C++ on the command line: the cache of PTX, and files that a compiler includes. The compiler
// is a script, so these tests need no CUDA toolkit.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileCuda, includedFiles } from '../../../src/cli/compile/compile-cuda.ts';
import type { CompiledCuda } from '../../../src/cli/compile/compilers.ts';
import { lanewise } from '../../command-line.ts';
import { samples } from '../../cuda/kernels.ts';
import { drawn } from '../../effort.ts';

/**
 * A script that replaces nvcc. Its preprocessor replaces `@HEADER` by the file `header`, and its
 * PTX is the preprocessed text. It appends a line to a log for each compilation.
 */
const script = `#!/bin/sh
PATH=/usr/bin:/bin
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

/** A script that replaces a clang that finds no CUDA toolkit. */
const clang = `#!/bin/sh
PATH=/usr/bin:/bin
case "$*" in
  *--version*) exit;;
  *-nocudainc*) ;;
  *) echo "clang: error: cannot find CUDA installation; provide its path via '--cuda-path'" >&2; exit 1;;
esac
for word; do case "$word" in *.cu) file=$word;; *.ptx) out=$word;; esac; done
grep -q '<cuda_fp16.h>' "$file" && { echo "$file:1:10: fatal error: 'cuda_fp16.h' file not found" >&2; exit 1; }
if [ -n "$out" ]; then cat "$file" > "$out"; else cat "$file"; fi
`;

let folder = '';
const home = process.cwd();
const pathOfTests = process.env.PATH;
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
  vi.stubEnv('PATH', folder);
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

  it('is not cached for a file that does not compile', async () => {
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

describe.skipIf(process.platform === 'win32')('clang without the CUDA toolkit', () => {
  const compile = async (text: string): Promise<CompiledCuda> => {
    rmSync('nvcc');
    write('clang', clang);
    chmodSync('clang', 0o755);
    write('kernel.cu', text);
    return await compileCuda('kernel.cu');
  };

  it('compiles with the headers of this package', async () => {
    expect(await compile('add.f32')).toEqual({ program: 'clang', ptx: 'add.f32', warnings: '' });
  });

  it('names functions that need the toolkit', async () => {
    const declared = '.extern .func  (.param .b32 func_retval0) __nv_erff\n(\n\t.param .b32 __nv_erff_param_0\n)\n;';
    await expect(compile(declared)).rejects.toThrow(/a part of the CUDA toolkit: erff; install/);
  });

  it('names headers that need the toolkit', async () => {
    await expect(compile('#include <cuda_fp16.h>')).rejects.toThrow(
      /clang does not compile kernel\.cu:[\s\S]*file not found\nhint: some headers of CUDA need/,
    );
  });
});

const hasClang = spawnSync('clang', ['--version']).error === undefined;

describe.skipIf(!hasClang)('the installed clang', () => {
  it.each(drawn(samples.slice(0, 3), 1))(
    'compiles $name without nvcc',
    { timeout: 120_000 },
    async ({ name, args, output, expected, tolerance = 0 }) => {
      const { stdout } = spawnSync('sh', ['-c', 'command -v clang'], { encoding: 'utf8', env: { PATH: pathOfTests } });
      symlinkSync(realpathSync(stdout.trim()), 'clang');
      rmSync('nvcc');
      const file = new URL(`../../cuda/samples/${name}.cu`, import.meta.url).pathname;
      const { code, out } = await lanewise('run', file, ...args, '--on', 'cpu', '--json', '--print', `${output}:4096`);
      expect(code).toBe(0);
      const values: number[] = JSON.parse(out).buffers[0].values.map(Number);
      const wanted = expected();
      expect(values).toHaveLength(wanted.length);
      for (const [index, value] of values.entries()) {
        const bound = Math.max(tolerance, 1e-5 * Math.abs(value));
        expect(Math.abs(value - (wanted[index] ?? Number.NaN))).toBeLessThanOrEqual(bound);
      }
    },
  );
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
