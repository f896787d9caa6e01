// Inserts the shared navigation into the pages of the demo.
import type { Plugin } from 'vite';
import { themeScript } from './build-pages.ts';
import { navigation, type Place } from './navigation.ts';
import { buildScript } from './scripts.ts';

const places: readonly Place[] = ['playground', 'lessons', 'gallery', 'transformer'];

/** Replaces `<!-- navigation: place -->` and adds the script that sets the theme. */
export function navigationPlugin({ hasDocs }: { readonly hasDocs: boolean }): Plugin {
  // On the site, the script is at the root, and the demo is in a folder.
  const address = `${hasDocs ? '../' : './'}${themeScript}`;
  return {
    name: 'lanewise:navigation',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [mark, name] = /<!-- navigation: (\w+) -->/.exec(html) ?? [];
        const place = places.find((known) => known === name);
        if (mark === undefined || place === undefined) throw new Error('the page lacks its navigation comment');
        return {
          html: html.replace(mark, navigation({ place, demo: './', hasDocs })),
          tags: [{ tag: 'script', attrs: { src: address }, injectTo: 'head-prepend' }],
        };
      },
    },
    async generateBundle() {
      // The documentation already contains the script.
      if (hasDocs) return;
      this.emitFile({ type: 'asset', fileName: themeScript, source: (await buildScript('theme')).code });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url?.endsWith(`/${themeScript}`) !== true) return next();
        buildScript('theme').then(({ code }) => response.setHeader('content-type', 'text/javascript').end(code), next);
      });
    },
  };
}
