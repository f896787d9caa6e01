// Prints the size of `lanewise/runtime` in a page, as a bundler writes it: minified and compressed.
// The parts are the files that the page loads at once, those that `Runtime.open` loads, and those
// that are loaded when a feature is first used.
//
//     node scripts/runtime-size.mjs              the table
//     node scripts/runtime-size.mjs --modules    also what each source file adds to the compressed
//                                                size of the runtime and the compiler

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { codeWithoutSources } from './code-by-source.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const gzip = (text) => gzipSync(text, { level: 9 }).length;

/** The parts in the order in which they are loaded, each with its first file. */
const beginnings = {
  runtime: 'src/runtime/index.ts',
  compiler: 'src/runtime/module.ts',
  elementary: 'src/wgsl/helpers/elementary.ts',
  loops: 'src/translate/parts/loops.ts',
  calls: 'src/translate/parts/calls.ts',
  names: 'src/ptx/parts/names.ts',
  opcodes: 'src/ptx/parts/opcodes.ts',
  diagnostics: 'src/ptx/parts/diagnostics.ts',
  messages: 'src/runtime/launch/messages.ts',
  helpers: 'src/wgsl/helpers/rare.ts',
  collectives: 'src/translate/parts/collectives.ts',
  atomics: 'src/translate/parts/atomics.ts',
  variables: 'src/translate/parts/variables.ts',
  workarounds: 'src/translate/parts/workarounds.ts',
  encode: 'src/translate/parts/encode.ts',
  guards: 'src/translate/parts/guards.ts',
  async: 'src/translate/parts/async.ts',
  matrices: 'src/translate/parts/matrices.ts',
  doubles: 'src/translate/parts/doubles.ts',
  lanes: 'src/translate/parts/lanes.ts',
  check: 'src/runtime/check/default-block.ts',
  capture: 'src/runtime/observe/captured-case.ts',
  sanitizer: 'src/runtime/observe/sanitizer.ts',
};

/** Bundles the runtime. Returns its files by name. */
async function bundleRuntime(sourcemap) {
  const { output } = await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      sourcemap,
      rolldownOptions: {
        input: fileURLToPath(new URL('../src/runtime/index.ts', import.meta.url)),
        preserveEntrySignatures: 'strict',
      },
    },
  });
  return new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
}

/** Returns the files of each part, without those that earlier parts load. */
function filesOfParts(chunks) {
  const withImports = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of chunks.get(name).imports) withImports(imported, found);
    return found;
  };
  const loaded = new Set();
  return Object.entries(beginnings).map(([part, source]) => {
    const first = [...chunks.values()].find(({ moduleIds }) => moduleIds.some((id) => id === root + source));
    if (first === undefined) throw new Error(`${source} begins no file of the bundle`);
    const own = [...withImports(first.fileName)].filter((name) => !loaded.has(name));
    for (const name of own) loaded.add(name);
    return [part, own];
  });
}

/** Bundles the runtime. Returns the number of compressed bytes of each part. */
export async function runtimeSize() {
  const chunks = await bundleRuntime(false);
  const sizeOf = (names) => names.reduce((sum, name) => sum + gzip(chunks.get(name).code), 0);
  return Object.fromEntries(filesOfParts(chunks).map(([part, names]) => [part, sizeOf(names)]));
}

/**
 * Returns, for each source file, the difference between the compressed size of the runtime and the
 * compiler with and without the code of that file. The sum is less than the whole size, because
 * files have text in common.
 */
async function contributions() {
  const chunks = await bundleRuntime(true);
  const added = new Map();
  for (const [, names] of filesOfParts(chunks).slice(0, 2))
    for (const name of names) {
      const { code, map } = chunks.get(name);
      const whole = gzip(code);
      for (const [source, rest] of codeWithoutSources(code, map)) {
        const file =
          source === undefined
            ? `imports of ${name}`
            : relative(root, fileURLToPath(new URL(source, `file://${root}dist/assets/`)));
        added.set(file, (added.get(file) ?? 0) + whole - gzip(rest));
      }
    }
  return [...added].sort(([, a], [, b]) => b - a);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  const sizes = await runtimeSize();
  console.table(Object.fromEntries(Object.entries(sizes).map(([name, bytes]) => [name, kb(bytes)])));
  console.log(`A page that runs an f32 kernel loads ${kb(sizes.runtime + sizes.compiler)}.`);
  if (process.argv.includes('--modules'))
    console.table((await contributions()).map(([file, bytes]) => ({ file, adds: kb(bytes) })));
}
