// CUDA C++ compiled by clang in WebAssembly, with a stand-in for the compiler: the files that it
// receives, the PTX from its IR, and its messages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileCudaInWasm } from '../../../src/cli/compile/wasm-clang.ts';
import type { Folder } from '../../../src/nvptx/clang/folder.ts';
import type { ClangModule } from '../../../src/nvptx/clang/run-tool.ts';
import { fileStore } from '../../../src/runtime/cache/file-store.ts';
import { kernelOf } from './run-ir.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanewise-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Returns a compiler that returns `ir`, and records its arguments and files. */
function compilerOf(ir: string | undefined, message = '') {
  const calls: { readonly args: readonly string[]; readonly files: Folder }[] = [];
  const clang: ClangModule = {
    runLLVM(args, files, { stderr }) {
      calls.push({ args, files });
      stderr(new TextEncoder().encode(message));
      if (ir === undefined) throw new Error('exit code 1');
      return { 'out.ll': ir };
    },
  };
  return { clang, calls };
}

/** Returns the file at an absolute path of the compiler's files. */
const at = (files: Folder, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>((found, name) => Reflect.get(Object(found), name), files);

describe('clang in WebAssembly', () => {
  test('receives the source, what it includes, and the headers of CUDA', async () => {
    writeFileSync(join(folder, 'k.cu'), '#include "k.cuh"\n#include <stdio.h>\n');
    writeFileSync(join(folder, 'k.cuh'), '#include "missing.h"\n');
    const { clang, calls } = compilerOf(kernelOf('  ret void'));
    const included: string[] = [];
    const { ptx, program } = await compileCudaInWasm(clang, join(folder, 'k.cu'), (path) => included.push(path));
    expect(program).toBe('clang in WebAssembly');
    expect(ptx).toContain('.visible .entry k(');
    expect(included).toEqual([join(folder, 'k.cu'), join(folder, 'k.cuh')]);
    const [{ args, files } = { args: [], files: {} }] = calls;
    expect(at(files, join(folder, 'k.cuh'))).toBe('#include "missing.h"\n');
    expect(args.at(-1)).toBe(join(folder, 'k.cu'));
    const headers = args[args.indexOf('-internal-isystem') + 1];
    expect(at(files, `${headers}/prelude.h`)).toContain('#define __global__');
  });

  test('a second compilation of the same files comes from the store', async () => {
    const file = join(folder, 'k.cu');
    writeFileSync(file, 'first');
    const { clang, calls } = compilerOf(kernelOf('  ret void'));
    const store = fileStore(join(folder, 'cache'), 'compiled-');
    const compile = () => compileCudaInWasm(clang, file, undefined, store);
    const first = await compile();
    expect(await compile()).toEqual(first);
    expect(calls).toHaveLength(1);
    writeFileSync(file, 'second');
    await compile();
    expect(calls).toHaveLength(2);
  });

  test('its messages become the error', async () => {
    writeFileSync(join(folder, 'k.cu'), '');
    const { clang } = compilerOf(undefined, 'k.cu:1:1: error: expected a kernel');
    await expect(compileCudaInWasm(clang, join(folder, 'k.cu'))).rejects.toThrow('k.cu:1:1: error: expected a kernel');
  });

  test('an unsupported instruction is an error at its place in the source', async () => {
    writeFileSync(join(folder, 'k.cu'), '');
    const { clang } = compilerOf(kernelOf('  %v = va_arg ptr %in, i32\n  ret void'));
    await expect(compileCudaInWasm(clang, join(folder, 'k.cu'))).rejects.toThrow(
      /k\.cu: error\[LL0801\]: the instruction `va_arg` is not supported/,
    );
  });
});
