// Compiles CUDA C++ without a compiler on the path: clang in WebAssembly, from the optional package
// `@yowasp/clang`, and this project's own step from LLVM IR to PTX.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildStamp } from '../../base/build-stamp.ts';
import { cacheFolder } from '../../harness/files/cache-folder.ts';
import { packageFolder } from '../../harness/sessions/dist-folder.ts';
import { compileWithWasmClang } from '../../nvptx/clang/compile.ts';
import { type Folder, folderOf } from '../../nvptx/clang/folder.ts';
import type { ClangModule } from '../../nvptx/clang/run-tool.ts';
import { fileStore } from '../../runtime/cache/file-store.ts';
import { UsageError } from '../console.ts';
import type { CompiledCuda } from './compilers.ts';
import { requireLibrary } from './missing-functions.ts';

/** The name of the optional package. */
export const wasmClangPackage = '@yowasp/clang';

/** Returns CUDA's headers. */
export const cudaHeaders = (): Folder => readFolder(join(packageFolder(), 'src/nvptx/include'));

/** Returns the compiler, or undefined if the package is not installed. */
export async function loadWasmClang(): Promise<ClangModule | undefined> {
  try {
    return (await import(wasmClangPackage)) as ClangModule;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * Returns the store of compiled sources. Code without a stamp may change at any time, so its
 * results are not kept.
 */
export const compiledStore = () => (buildStamp === undefined ? undefined : fileStore(cacheFolder(), 'compiled-'));

/**
 * Compiles a file, or returns the result in the store. Throws `UsageError` with the compiler's
 * message if the file cannot be compiled.
 */
export async function compileCudaInWasm(
  clang: ClangModule,
  file: string,
  onInclude?: (path: string) => void,
  store = compiledStore(),
): Promise<CompiledCuda> {
  const path = resolve(file);
  const sources = sourcesOf([path], []);
  for (const source of sources.keys()) onInclude?.(source);
  const headers = cudaHeaders();
  const program = 'clang in WebAssembly';
  const key = createHash('sha256')
    .update(JSON.stringify([program, buildStamp, [...sources], headers]))
    .digest('hex');
  const known = await store?.get(key).catch(() => undefined);
  if (known !== undefined) return { program, ptx: known, warnings: '' };
  const { ptx, messages } = await compileWithWasmClang(clang, { file: path, files: folderOf(sources), headers });
  if (ptx === undefined) throw new UsageError(`${program} does not compile ${file}:\n${messages.trim()}`);
  requireLibrary(file, ptx);
  const warnings = messages.trim();
  // If the cache folder cannot be written, the next run compiles again.
  if (warnings === '') await store?.put(key, ptx).catch(() => undefined);
  return { program, ptx, warnings };
}

/**
 * Returns the sources and the files that they include, by absolute path. `#include "…"` searches the
 * file's folder first. Files that neither this folder nor `includes` contains are left out.
 */
export function sourcesOf(files: readonly string[], includes: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const queue = [...files];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (texts.has(path)) continue;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const [, open = '', name = ''] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]/gm)) {
      const folders = open === '"' ? [dirname(path), ...includes] : includes;
      const candidates = folders.map((folder) => resolve(folder, name));
      const included = candidates.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
      if (included !== undefined) queue.push(included);
    }
  }
  return texts;
}

/** Returns the files of a folder and its subfolders. */
function readFolder(folder: string): Folder {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return [entry.name, entry.isDirectory() ? readFolder(path) : readFileSync(path, 'utf8')];
    }),
  );
}
