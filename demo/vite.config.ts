// The browser application: static files that work from any folder of any server.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export default defineConfig({
  define: { 'import.meta.env.VITE_LANEWISE_VERSION': JSON.stringify(version) },
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  build: {
    outDir: fileURLToPath(new URL('../dist-demo', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // The worker loads the same chunks, and has no document to preload them with.
    modulePreload: false,
  },
  // Kernels of the examples come from the test corpus.
  server: { fs: { allow: [fileURLToPath(new URL('..', import.meta.url))] } },
});
