// The page with its state, its views and its workers.

import { openClang } from './clang/client.ts';
import { openCompiler } from './compiler/client.ts';
import { byId, debounce, el } from './dom.ts';
import { exampleItems, firstExample } from './examples.ts';
import { type GpuClient, openGpuClient } from './gpu/client.ts';
import type { GpuInfo } from './gpu/messages.ts';
import { decodeState, encodeState } from './link.ts';
import { Playground } from './playground.ts';
import { clip } from './program/limits.ts';
import { type AppState, initialState, Store, type View } from './state.ts';
import { gpuCard, noGpuHelp } from './views/gpu-card.ts';
import { copyText } from './views/save-text.ts';
import { ValidateView } from './views/validate-view.ts';
import { openProgramClient } from './whole-program/client.ts';

const views: readonly View[] = ['playground', 'validate', 'bench', 'litmus'];

/** The maximum number of characters of a query in the address. */
const maxQuery = 1000;

/**
 * Returns the state in the address's hash. If there is none, the query may name a view
 * (`?view=bench`). A validation in the query (`?q=shfl.sync&run=1`) overrides the view.
 */
async function stateOfAddress(): Promise<AppState> {
  const linked = await decodeState(location.hash);
  const first = exampleItems.find(({ id }) => id === firstExample);
  const query = new URLSearchParams(location.search);
  const view = views.find((name) => name === query.get('view')) ?? initialState.view;
  const state = linked ?? { ...initialState, ...(await first?.load()), view };
  const queries = query.getAll('q');
  return queries.length === 0 ? state : { ...state, view: 'validate', query: clip(queries.join(' '), maxQuery) };
}

function showView(view: View): void {
  for (const name of views) byId(`view-${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll<HTMLElement>('nav [data-view]')) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Returns a function that shows a view. It loads a view that few visitors open when it is first shown. */
function viewOpener(client: GpuClient): (view: View) => void {
  const later = new Map<View, () => Promise<unknown>>([
    ['bench', async () => new (await import('./views/bench-view.ts')).BenchView(client)],
    ['litmus', async () => new (await import('./views/litmus-view.ts')).LitmusView(client)],
  ]);
  return (view) => {
    showView(view);
    void later.get(view)?.();
    later.delete(view);
  };
}

function notify(...children: (Node | string)[]): void {
  const close = el(
    'button',
    { type: 'button', class: 'quiet', onclick: () => byId('notice').replaceChildren() },
    'Dismiss',
  );
  byId('notice').replaceChildren(el('div', { class: 'notice' }, ...children, ' ', close));
}

/** Starts the page. `script` is the address of the page's script, which its workers also run. */
export async function start(script: string): Promise<void> {
  const store = new Store(await stateOfAddress());
  const client = openGpuClient(script, (message) =>
    notify(`The GPU device was lost (${message}). The next run opens a new one; everything else is kept.`),
  );
  const clients = {
    compiler: openCompiler(script),
    reference: openCompiler(script),
    gpu: client,
    clang: openClang(script),
    program: openProgramClient(script),
  };
  const playground = new Playground(store, clients, (info) => showGpu(info));
  const validation = new ValidateView(store, client);
  const show = viewOpener(client);

  function showGpu(info: GpuInfo): void {
    byId('gpu-card').replaceChildren(gpuCard(info));
    showPageTests(() => void client.request('lose', {}));
    playground.setGpu(info);
  }

  const writeLink = debounce(250, () => {
    void encodeState(store.state).then((hash) => {
      const { pathname, search } = location;
      history.replaceState(null, '', hash === undefined ? `${pathname}${search}` : `${pathname}${search}#${hash}`);
    });
  });
  store.listen((state, changed) => {
    if (changed.has('view')) show(state.view);
    writeLink();
  });
  for (const link of document.querySelectorAll<HTMLElement>('nav [data-view]')) {
    link.addEventListener('click', (event) => {
      // The browser opens the link in another tab or window.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      store.set({ view: views.find((view) => view === link.dataset.view) ?? 'playground' });
    });
  }
  window.addEventListener('hashchange', () => {
    void decodeState(location.hash).then((state) => {
      if (state) location.reload();
      else notify('This link is damaged or too large. The page stays as it was.');
    });
  });
  byId('copy-link').addEventListener('click', () => void copyLink(store));
  if (location.hash.length > 1 && !(await decodeState(location.hash)))
    notify('This link is damaged or too large. The page shows the first example.');

  show(store.state.view);
  // If the editor cannot be loaded, the plain text remains.
  import('./editor/editor.ts').then(
    (editor) => playground.useEditor(editor),
    () => undefined,
  );
  const runs = new URLSearchParams(location.search).get('run') === '1';
  if (!('gpu' in navigator)) {
    const reason = window.isSecureContext ? 'navigator.gpu is missing' : 'The page is not in a secure context';
    byId('gpu-card').replaceChildren(el('p', {}, `${reason}.`));
    byId('gpu-help').replaceChildren(noGpuHelp(reason));
    byId('view-validate').prepend(noGpuHelp(reason));
    byId('run').setAttribute('aria-disabled', 'true');
    return;
  }
  if (store.state.view === 'validate' && runs) return void validation.run();
  await openEarly(client, showGpu);
}

/** Opens the GPU in the background, so that the page translates for this GPU. */
async function openEarly(client: GpuClient, onOpen: (info: GpuInfo) => void): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  try {
    onOpen(await client.request('open', { float: 'exact' }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    byId('gpu-card').replaceChildren(el('p', {}, reason));
    byId('gpu-help').replaceChildren(noGpuHelp(reason));
  }
}

/** Shows the controls that test the page itself. */
function showPageTests(onLose: () => void): void {
  const tests = byId('page-tests');
  if (!tests.hidden) return;
  tests.hidden = false;
  tests.append(
    el(
      'button',
      { type: 'button', class: 'quiet', id: 'lose-device', onclick: onLose },
      'Drop the device to see the page recover',
    ),
  );
}

async function copyLink(store: Store): Promise<void> {
  const address = new URL(location.href);
  const hash = await encodeState(store.state);
  const status = byId('copied');
  if (hash === undefined) {
    status.textContent = 'The text is too large for a link';
    return;
  }
  address.hash = hash;
  await copyText(address.href, status, 'The link is in the address bar');
}
