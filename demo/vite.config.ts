// Builds the browser application. It consists of static files that work in any folder of any
// server.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { navigationPlugin } from '../site/navigation-plugin.ts';
import { sharingHeaders } from '../src/base/sharing-headers.ts';
import { clangPlugin } from './clang/plugin.ts';
import { contentPolicy } from './content-policy.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * Adds the content policy, but only in builds, because the development server adds scripts and
 * styles to the page.
 */
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

export interface DemoOptions {
  /** The folder to which names in the output are relative. */
  readonly root: string;
  readonly outDir: string;
  /** Whether the build includes the documentation. */
  readonly hasDocs: boolean;
}

/** Returns the configuration of the demo, alone or as a folder of the site. */
export function demoConfig({ root, outDir, hasDocs }: DemoOptions): UserConfig {
  const place = relative(root, fileURLToPath(new URL('.', import.meta.url)));
  return {
    plugins: [withContentPolicy, navigationPlugin({ hasDocs }), clangPlugin(place === '' ? '' : `${place}/`)],
    define: { 'import.meta.env.VITE_LANEWISE_VERSION': JSON.stringify(version) },
    root,
    base: './',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      rolldownOptions: {
        input: ['index', 'lessons', 'transformer', 'gallery'].map((name) =>
          fileURLToPath(new URL(`${name}.html`, import.meta.url)),
        ),
      },
      // Do not preload modules: the worker loads the same chunks, but does not have a document for
      // preloading.
      modulePreload: false,
    },
    // Allow access to the example kernels, which are part of the test corpus.
    server: { fs: { allow: [fileURLToPath(new URL('..', import.meta.url))] }, headers: sharingHeaders },
    preview: { headers: sharingHeaders },
  };
}

export default defineConfig(
  demoConfig({
    root: fileURLToPath(new URL('.', import.meta.url)),
    outDir: fileURLToPath(new URL('../dist-demo', import.meta.url)),
    hasDocs: false,
  }),
);
