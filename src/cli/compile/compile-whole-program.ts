// Compiles the sources of a whole CUDA program, and keeps the result in the user's cache folder.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { buildStamp } from '../../base/build-stamp.ts';
import { fieldsOf } from '../../base/json-value.ts';
import { type CompiledProgram, compileProgram } from '../../nvptx/clang/compile-program.ts';
import { folderOf } from '../../nvptx/clang/folder.ts';
import type { ProgramOptions } from '../../nvptx/clang/options.ts';
import { hostBase, hostEnd } from '../../program/device/program-device.ts';
import { findUses, useText } from '../../program/function-uses.ts';
import { providedFunctions } from '../../program/host/cuda/index.ts';
import { UsageError } from '../console.ts';
import { compiledStore, cudaHeaders, loadWasmClang, sourcesOf, wasmClangPackage } from './wasm-clang.ts';

/**
 * Compiles and links the sources. Throws `UsageError` with the compiler's messages, with the lines
 * that use functions that do not exist here, or if clang in WebAssembly is not installed.
 */
export async function compileWholeProgram(
  sources: readonly string[],
  options: ProgramOptions,
): Promise<CompiledProgram> {
  const clang = await loadWasmClang();
  if (clang === undefined)
    throw new UsageError(`whole programs need clang in WebAssembly: npm install ${wasmClangPackage}`);
  const paths = sources.map((source) => resolve(source));
  const texts = sourcesOf(paths, options.includes);
  const headers = cudaHeaders();
  const provided = providedFunctions();
  const key = createHash('sha256')
    .update(JSON.stringify(['program', buildStamp, paths, [...texts], headers, options, provided, hostBase, hostEnd]))
    .digest('hex');
  const store = compiledStore();
  const known = parsed(await store?.get(key).catch(() => undefined));
  if (known !== undefined) return known;
  const files = folderOf(texts);
  const memory = { base: hostBase, end: hostEnd };
  const result = await compileProgram(clang, { ...options, ...memory, sources: paths, files, headers, provided });
  if ('messages' in result) {
    const uses = result.undefinedNames.flatMap((name) => findUses(name, texts));
    if (uses.length > 0) throw new UsageError(uses.map((use) => useText(use)).join('\n\n'));
    throw new UsageError(`clang in WebAssembly does not compile the program:\n${result.messages.trim()}`);
  }
  const text = JSON.stringify({ wasm: Buffer.from(result.wasm).toString('base64'), modules: result.modules });
  // If the cache folder cannot be written, the next run compiles again.
  await store?.put(key, text).catch(() => undefined);
  return result;
}

/** Parses a text of the store. Returns undefined if the text is missing or damaged. */
function parsed(text: string | undefined): CompiledProgram | undefined {
  try {
    const { wasm, modules } = fieldsOf(JSON.parse(text ?? '')); // The store may not contain the file.
    if (typeof wasm !== 'string' || !Array.isArray(modules)) return undefined;
    return { wasm: Uint8Array.from(Buffer.from(wasm, 'base64')), modules: modules.map(String) };
  } catch {
    return undefined;
  }
}
