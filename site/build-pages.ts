// Builds the pages of the documentation with their scripts and styles. Another build creates the
// demo.
import type { SiteFiles } from './layout.ts';
import { renderSite, type SiteOutput } from './render.ts';
import { buildScript, hashedName } from './scripts.ts';

/** The script that sets the theme of the documentation and of the demo. */
export const themeScript = 'theme.js';

/**
 * Returns every file by its path on the site. Throws an error if the target of a link is missing.
 */
export async function buildPages(root: string): Promise<SiteOutput> {
  const [client, theme] = await Promise.all([buildScript('client'), buildScript('theme')]);
  const files: SiteFiles = {
    script: hashedName('assets/site.js', client.code),
    style: hashedName('assets/site.css', client.style),
    theme: themeScript,
    searchIndex: 'search-index.js',
  };
  return new Map([
    ...renderSite(root, files),
    [files.script, client.code],
    [files.style, client.style],
    [files.theme, theme.code],
  ]);
}
