// The browser application: static files that work from any folder of any server.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { contentPolicy } from './content-policy.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Only in what is built: the development server writes scripts and styles of its own into the page. */
const withContentPolicy: Plugin = {
  name: 'content-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: contentPolicy },
      injectTo: 'head-prepend',
    },
    { tag: 'meta', attrs: { name: 'referrer', content: 'no-referrer' }, injectTo: 'head-prepend' },
  ],
};

export default defineConfig({
  plugins: [withContentPolicy],
  define: { 'import.meta.env.VITE_LANEWISE_VERSION': JSON.stringify(version) },
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  build: {
    outDir: fileURLToPath(new URL('../dist-demo', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions: {
      input: ['index', 'transformer', 'gallery'].map((name) => fileURLToPath(new URL(`${name}.html`, import.meta.url))),
    },
    // The worker loads the same chunks, and has no document to preload them with.
    modulePreload: false,
  },
  // Kernels of the examples come from the test corpus.
  server: { fs: { allow: [fileURLToPath(new URL('..', import.meta.url))] } },
});
