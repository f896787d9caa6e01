// Compiles the source in the CUDA pane: controls the button, and shows the progress of the download
// and the messages of clang.
import type { ClangClient } from '../clang/client.ts';
import { ClangLoader, clangSize } from '../clang/loader.ts';
import { byId } from '../dom.ts';
import type { CodeView } from '../editor/code-view.ts';
import { clangMessages } from '../program/clang-messages.ts';
import { LineFinder } from '../program/line-finder.ts';
import type { Message } from '../program/messages.ts';
import type { Store } from '../state.ts';
import { lintOf, messageItems } from './message-list.ts';

export interface CudaCompilerOptions {
  readonly store: Store;
  readonly clang: ClangClient;
  /** The current view of the CUDA source. */
  readonly view: () => CodeView;
}

export class CudaCompiler {
  readonly #options: CudaCompilerOptions;
  readonly #loader: ClangLoader;
  #isRunning = false;
  #messages: readonly Message[] = [];

  constructor(options: CudaCompilerOptions) {
    this.#options = options;
    const button = byId('cuda-compile');
    button.textContent = `Download the compiler (${clangSize}) and compile`;
    button.addEventListener('click', () => void this.compile());
    this.#loader = new ClangLoader(options.clang, () => {
      byId('cuda-compile').textContent = 'Compile to PTX';
    });
  }

  /** Compiles the source and shows the PTX in its editor, or shows the messages of the compiler. */
  async compile(): Promise<void> {
    const source = this.#options.view().text;
    if (this.#isRunning) return;
    if (source.trim() === '') return this.#say('Write or paste CUDA first');
    this.#isRunning = true;
    byId('cuda-compile').setAttribute('aria-disabled', 'true');
    const start = performance.now();
    try {
      const { ptx, messages } = await this.#loader.compile(source, (...content) => this.#say(...content));
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

  #say(...content: (Node | string)[]): void {
    byId('cuda-status').replaceChildren(...content);
  }

  #show(messages: readonly Message[], source: string): void {
    this.#messages = messages;
    this.refresh();
    const places = { lines: new LineFinder(source), onJump: (offset: number) => this.#options.view().goTo(offset) };
    byId('cuda-diagnostics').replaceChildren(...messageItems(messages, ['text', 'page'], places));
  }
}
