// Prints the size of `lanewise/runtime` in a page, as a bundler writes it: minified and compressed.
// The parts are the files that the page loads at once, those that `Runtime.open` loads, and those
// that are loaded when a feature is first used.
//
//     node scripts/runtime-size.mjs              the table
//     node scripts/runtime-size.mjs --modules    also the size of each folder

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const gzip = (text) => gzipSync(text, { level: 9 }).length;

/**
 * Bundles the runtime. Returns the compressed bytes of each part, and the share of each folder of
 * the sources.
 */
export async function runtimeSize() {
  const { output } = await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('../src/runtime/index.ts', import.meta.url)),
        preserveEntrySignatures: 'strict',
      },
    },
  });
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const withImports = (name, found = new Set()) => {
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of chunks.get(name).imports) withImports(imported, found);
    return found;
  };
  const named = (source) =>
    [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId?.endsWith(source)).fileName;
  const loaded = new Set();
  const partOf = (source) => {
    const own = [...withImports(named(source))].filter((name) => !loaded.has(name));
    for (const name of own) loaded.add(name);
    return own.reduce((sum, name) => sum + gzip(chunks.get(name).code), 0);
  };
  const parts = {
    runtime: partOf('src/runtime/index.ts'),
    compiler: partOf('src/runtime/module.ts'),
    helpers: partOf('src/wgsl/helpers/rare.ts'),
    collectives: partOf('src/translate/parts/collectives.ts'),
    atomics: partOf('src/translate/parts/atomics.ts'),
    variables: partOf('src/translate/parts/variables.ts'),
    workarounds: partOf('src/translate/parts/workarounds.ts'),
    guards: partOf('src/translate/parts/guards.ts'),
    async: partOf('src/translate/parts/async.ts'),
    matrices: partOf('src/translate/parts/matrices.ts'),
    doubles: partOf('src/translate/parts/doubles.ts'),
    lanes: partOf('src/translate/parts/lanes.ts'),
    check: partOf('src/runtime/check/default-block.ts'),
    capture: partOf('src/runtime/observe/captured-case.ts'),
    sanitizer: partOf('src/runtime/observe/sanitizer.ts'),
  };
  const folders = new Map();
  for (const { modules } of chunks.values())
    for (const [path, { code }] of Object.entries(modules)) {
      const folder = path.slice(root.length).split('/').slice(1, 3).join('/');
      if (code) folders.set(folder, (folders.get(folder) ?? 0) + gzip(code));
    }
  return { parts, folders };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { parts, folders } = await runtimeSize();
  const kb = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
  console.table(Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, kb(bytes)])));
  if (process.argv.includes('--modules')) {
    const sum = [...folders.values()].reduce((total, bytes) => total + bytes, 0);
    const sorted = [...folders].sort(([, a], [, b]) => b - a);
    console.table(sorted.map(([folder, bytes]) => ({ folder, share: `${((100 * bytes) / sum).toFixed(1)} %` })));
  }
}
