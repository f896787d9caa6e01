// Compiles the source in the CUDA pane: controls the button, and shows the progress of the download
// and the messages of clang.
import type { ClangClient } from '../clang/client.ts';
import { isCached } from '../clang/files.ts';
import { byId, el } from '../dom.ts';
import type { CodeView } from '../editor/code-view.ts';
import { clangMessages } from '../program/clang-messages.ts';
import { LineFinder } from '../program/line-finder.ts';
import type { Message } from '../program/messages.ts';
import type { Store } from '../state.ts';
import { lintOf, messageItems } from './message-list.ts';

const { VITE_CLANG_BYTES: bytes, VITE_CLANG_VERSION: version } = import.meta.env;

export interface CudaCompilerOptions {
  readonly store: Store;
  readonly clang: ClangClient;
  /** The current view of the CUDA source. */
  readonly view: () => CodeView;
}

export class CudaCompiler {
  readonly #options: CudaCompilerOptions;
  readonly #base = new URL('clang/', document.baseURI).href;
  #isLoaded = false;
  #isRunning = false;
  #messages: readonly Message[] = [];

  constructor(options: CudaCompilerOptions) {
    this.#options = options;
    const button = byId('cuda-compile');
    button.textContent = `Download the compiler (${(bytes / 1e6).toFixed(0)} MB) and compile`;
    button.addEventListener('click', () => void this.compile());
    void isCached(this.#base, version).then((isHere) => {
      if (isHere) this.#setLoaded();
    });
  }

  /** Compiles the source and shows the PTX in its editor, or shows the messages of the compiler. */
  async compile(): Promise<void> {
    const source = this.#options.view().text;
    if (this.#isRunning) return;
    if (source.trim() === '') return this.#say('Write or paste CUDA first');
    this.#isRunning = true;
    byId('cuda-compile').setAttribute('aria-disabled', 'true');
    this.#say('Starting the compiler…');
    const start = performance.now();
    try {
      const { ptx, messages } = await this.#options.clang.request('compile', { base: this.#base, source }, (now) =>
        this.#showProgress(now.bytes),
      );
      this.#setLoaded();
      this.#show(clangMessages(messages, source), source);
      // If the message has no position, it is the compiler's whole output.
      if (ptx === undefined) return this.#say(this.#messages.length === 0 ? messages : 'Not compiled');
      this.#say(`Compiled in ${((performance.now() - start) / 1000).toFixed(1)} s`);
      this.#options.store.set({ text: ptx, cuda: source, step: 0 });
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isRunning = false;
      byId('cuda-compile').setAttribute('aria-disabled', 'false');
    }
  }

  /** Shows the messages again after another view has replaced the view of the source. */
  refresh(): void {
    this.#options.view().setLint(lintOf(this.#messages));
  }

  #setLoaded(): void {
    this.#isLoaded = true;
    byId('cuda-compile').textContent = 'Compile to PTX';
  }

  #say(...content: (Node | string)[]): void {
    byId('cuda-status').replaceChildren(...content);
  }

  #showProgress(done: number): void {
    // The small files are loaded after the browser has compiled the large one.
    if (done >= 0.99 * bytes) return this.#say('Starting the compiler…');
    const doing = this.#isLoaded ? 'Reading' : 'Downloading';
    const text = `${doing} the compiler: ${(done / 1e6).toFixed(0)} of ${(bytes / 1e6).toFixed(0)} MB `;
    this.#say(text, el('progress', { value: done, max: bytes, 'aria-label': `${doing} the compiler` }));
  }

  #show(messages: readonly Message[], source: string): void {
    this.#messages = messages;
    this.refresh();
    const places = { lines: new LineFinder(source), onJump: (offset: number) => this.#options.view().goTo(offset) };
    byId('cuda-diagnostics').replaceChildren(...messageItems(messages, ['text', 'page'], places));
  }
}
