// The row of links at the top of every page of the documentation and of the demo.
import { escapeHtml } from './html.ts';

export type Place =
  | 'home' | 'docs' | 'playground' | 'lessons' | 'gallery' | 'transformer' | 'validate' | 'bench' | 'litmus'; // biome-ignore format: one list

interface Item {
  readonly place: Place;
  readonly label: string;
  /** The target, relative to the folder of the demo. */
  readonly target: string;
}

/**
 * The places that are views of the playground's page. The page switches to the view in `data-view`
 * without loading another page.
 */
const views: ReadonlySet<Place> = new Set(['playground', 'validate', 'bench', 'litmus']);

const siteItems: readonly Item[] = [{ place: 'docs', label: 'Docs', target: '../docs/index.html' }];

/** The logo of the project, which replaces its name on a phone. */
const mark = '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3v10M8 3v10M13 3v10M3 4l5 8M8 4l5 8" /></svg>';

const demoItems: readonly Item[] = [
  { place: 'playground', label: 'Playground', target: 'index.html' },
  { place: 'lessons', label: 'Lessons', target: 'lessons.html' },
  { place: 'validate', label: 'Validate', target: 'index.html?view=validate' },
  { place: 'bench', label: 'Bench', target: 'index.html?view=bench' },
  { place: 'litmus', label: 'Litmus', target: 'index.html?view=litmus' },
  { place: 'gallery', label: 'Gallery', target: 'gallery.html' },
  { place: 'transformer', label: 'Transformer', target: 'transformer.html' },
];

export interface NavigationOptions {
  readonly place: Place;
  /** The folder of the demo, relative to the page, such as './' or '../demo/'. */
  readonly demo: string;
  /** Whether the site has documentation. False in a demo that is built without it. */
  readonly hasDocs: boolean;
}

/**
 * Returns the name of the project, the links, and the button that switches between light and dark.
 */
export function navigation({ place, demo, hasDocs }: NavigationOptions): string {
  const items = [...demoItems, ...(hasDocs ? siteItems : [])];
  const link = ({ place: to, label, target }: Item): string => {
    const view = views.has(to) && views.has(place) ? ` data-view="${to}"` : '';
    const current = to === place ? ' aria-current="page"' : '';
    return `<a href="${address(demo, target)}"${view}${current}>${escapeHtml(label)}</a>`;
  };
  const home = address(demo, hasDocs ? '../index.html' : 'index.html');
  return `<a class="brand" href="${home}"${place === 'home' ? ' aria-current="page"' : ''}>${mark}<span>Lanewise</span></a>
      <nav class="site" aria-label="Site">
        ${items.map(link).join('\n        ')}
      </nav>
      <button type="button" class="theme" aria-label="Switch between light and dark"><span aria-hidden="true">◐</span></button>`;
}

/** Joins a relative folder and a relative target, and resolves `..`. */
function address(folder: string, target: string): string {
  const joined = `${folder}${target}`;
  const shorter = joined.replace(/(^|\/)(?!\.\.?\/)[^/]+\/\.\.\//, '$1');
  return shorter === joined ? joined : address('', shorter);
}
