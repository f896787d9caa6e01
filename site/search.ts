// The search. It loads an index when the field gets the focus, and lists the best matches.
import MiniSearch from 'minisearch';

export type SearchEntry = readonly [address: string, page: string, heading: string, text: string];

const maxResults = 12;

interface Found {
  readonly address: string;
  readonly page: string;
  readonly heading: string;
}

let loading: Promise<MiniSearch> | undefined;

/** Loads the index as a script, which works for a page that is opened as a file, too. */
function loadIndex(address: string): Promise<MiniSearch> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', () => resolve(makeIndex(Reflect.get(globalThis, 'lanewiseSearch'))));
    script.addEventListener('error', () => {
      loading = undefined;
      reject(new Error('The search index cannot be loaded.'));
    });
    document.head.append(script);
  });
  return loading;
}

export function makeIndex(entries: readonly SearchEntry[]): MiniSearch {
  const index = new MiniSearch({
    idField: 'address',
    fields: ['heading', 'page', 'text'],
    storeFields: ['address', 'page', 'heading'],
    // Names such as `shfl.sync` and `--seed` are searched by their words.
    tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''),
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      combineWith: 'AND',
    },
  });
  index.addAll(entries.map(([address, page, heading, text]) => ({ address, page, heading, text })));
  return index;
}

export function find(index: MiniSearch, query: string): { readonly total: number; readonly best: readonly Found[] } {
  const results = index.search(query);
  const best = results
    .slice(0, maxResults)
    .map(({ address, page, heading }) => ({ address: String(address), page: String(page), heading: String(heading) }));
  return { total: results.length, best };
}

/** Connects the search field. `root` is the relative path to the root of the site. */
export function startSearch(field: HTMLInputElement, root: string, indexAddress: string): void {
  const part = (id: string): HTMLElement => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page lacks #${id}`);
    return element;
  };
  const box = part('found');
  const count = part('found-count');
  const list = part('found-list');
  const hide = (): void => {
    box.hidden = true;
  };

  async function show(): Promise<void> {
    const query = field.value.trim();
    if (query === '') return hide();
    let text: string;
    let best: readonly Found[] = [];
    try {
      const found = find(await loadIndex(indexAddress), query);
      if (query !== field.value.trim()) return;
      best = found.best;
      text = found.total === 1 ? '1 result' : `${found.total} results`;
    } catch (error) {
      text = error instanceof Error ? error.message : String(error);
    }
    count.textContent = text;
    list.replaceChildren(...best.map((one) => item(one, root)));
    box.hidden = false;
  }

  field.addEventListener('focus', () => void loadIndex(indexAddress).catch(() => undefined));
  field.addEventListener('input', () => void show());
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !field.form?.contains(target)) hide();
  });
  // A link to an anchor of the same page loads no page, so the list must be hidden here.
  list.addEventListener('click', hide);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !box.hidden) {
      hide();
      field.focus();
    }
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveFocus(event, field, list);
  });
}

/** Moves between the field and the results with the arrow keys. */
function moveFocus(event: KeyboardEvent, field: HTMLElement, list: HTMLElement): void {
  const stops = [field, ...list.querySelectorAll('a')];
  const index = stops.findIndex((stop) => stop.matches(':focus'));
  const next = stops[index + (event.key === 'ArrowDown' ? 1 : -1)];
  if (index === -1 || !next) return;
  event.preventDefault();
  next.focus();
}

function item({ address, page, heading }: Found, root: string): HTMLElement {
  const link = document.createElement('a');
  link.href = `${root}${address}`;
  link.append(heading);
  if (page !== heading) {
    const where = document.createElement('small');
    where.append(page);
    link.append(' ', where);
  }
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}
