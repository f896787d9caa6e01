// Bundles the compiled programs into few files (dist/bundle), because Node spent half of a
// command's start on finding hundreds of small modules. The pages of headless browsers have programs
// of their own. Programs that import the library load the separate modules.
//
//     node scripts/bundle.mjs       after tsc; `npm run build` does both

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const outDir = join(root, 'dist/bundle');

/** The programs of the pages in headless browsers, each with its own parts. */
const pages = ['harness/webgpu/browser/page', 'program/page/program-page'];

/** The command line, and the programs that it starts as processes and threads. */
const programs = [
  'cli',
  'harness/cuda/cuda-child',
  'harness/executors/reference-worker',
  'harness/fuzz/doors/door-worker',
  'harness/fuzz/worker',
  'harness/runs/validate-worker',
  'harness/sessions/keeper-child',
  'harness/survey/worker',
  'harness/webgpu/browser/webdriver-session-child',
  'harness/webgpu/dawn/dawn-child',
  'program/host/node-worker',
];

/**
 * The code that is embedded in built modules, for each set of measurements of a device. Each file
 * is one expression.
 */
const launchers = ['', 'measureDriver', 'measureFloats', 'measureSubgroups', 'measureAll'];

rmSync(outDir, { recursive: true, force: true });
stampBuild();
for (const path of pages)
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    base: './',
    build: {
      target: 'es2023',
      outDir,
      emptyOutDir: false,
      minify: false,
      copyPublicDir: false,
      modulePreload: false,
      rolldownOptions: {
        input: join(root, 'dist', `${path}.js`),
        output: { entryFileNames: `${basename(path)}.js`, chunkFileNames: 'page-parts/[name]-[hash].js' },
      },
    },
  });
await build({
  configFile: false,
  root,
  logLevel: 'warn',
  build: {
    ssr: true,
    target: 'node20',
    outDir,
    emptyOutDir: false,
    minify: false,
    copyPublicDir: false,
    rolldownOptions: {
      input: Object.fromEntries(programs.map((name) => [name, join(root, 'dist', `${name}.js`)])),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});

/** Removes comments and indentation. The shaders of probes contain both. */
const compact = (code) => code.replace(/^\s*(\/\/.*)?\n?/gm, '');

for (const measure of launchers) {
  const entry = 'virtual:launcher';
  const names = ['openBuilt', ...(measure ? [measure] : [])].join(', ');
  const text = `export { ${names} } from ${JSON.stringify(join(root, 'dist/runtime/built/index.js'))};`;
  const written = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? text : null),
        transform: (code, id) => (/preflight\/(floats|subgroups)\.js$/.test(id) ? compact(code) : null),
      },
    ],
    build: {
      target: 'es2022',
      write: false,
      modulePreload: false,
      // Each built module contains this code, and terser writes it shorter than Vite's minifier.
      minify: 'terser',
      terserOptions: { ecma: 2020, compress: { passes: 3 } },
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { format: 'iife', name: 'lanewise', generatedCode: { symbols: false } },
      },
    },
  });
  const [result] = [written].flat();
  if (!result || !('output' in result)) throw new Error('Vite returned no output');
  // The bundle is `var lanewise = (function…)(…);`. Write only the expression, because the built
  // module declares the name.
  const expression = result.output[0].code.replace(/^var lanewise=/, '').trim();
  writeFileSync(join(outDir, `launcher${measure && `-${measure}`}.js`), `${expression}\n`);
}

/** Writes the hash of the compiler's code into dist/base/build-stamp.js. */
function stampBuild() {
  const stampFile = join(root, 'dist/base/build-stamp.js');
  const hash = createHash('sha256');
  for (const folder of ['base', 'isa', 'nvptx', 'ptx', 'translate', 'wgsl'])
    for (const name of readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const file = join(root, 'dist', folder, name);
      if (name.endsWith('.js') && file !== stampFile) hash.update(`\0${name}\0`).update(readFileSync(file));
    }
  const text = readFileSync(stampFile, 'utf8');
  const stamped = text.replace(/buildStamp = [^;]*;/, `buildStamp = '${hash.digest('hex')}';`);
  if (stamped === text) throw new Error(`${stampFile} has no stamp to replace`);
  writeFileSync(stampFile, stamped);
}
