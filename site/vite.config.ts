// The site: the documentation, with the demo in a folder of it. It works from any folder of any
// server.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { demoConfig } from '../demo/vite.config.ts';
import { buildPages } from './build-pages.ts';
import { checkSite } from './check-site.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Adds the pages of the documentation to the build of the demo. */
const pagesPlugin: Plugin = {
  name: 'lanewise:pages',
  enforce: 'post',
  generateBundle: {
    // The documentation is added after Vite has written the demo's pages.
    order: 'post',
    async handler(_, bundle) {
      const output = new Map(await buildPages(root));
      for (const [fileName, source] of output) this.emitFile({ type: 'asset', fileName, source });
      for (const [name, file] of Object.entries(bundle))
        if (!output.has(name)) output.set(name, file.type === 'chunk' ? file.code : file.source);
      const problems = checkSite(output);
      if (problems.length > 0) this.error(`the site has broken links:\n${problems.join('\n')}`);
    },
  },
};

const demo = demoConfig({ root, outDir: join(root, 'dist-site'), hasDocs: true });

export default defineConfig({ ...demo, plugins: [demo.plugins, pagesPlugin] });
