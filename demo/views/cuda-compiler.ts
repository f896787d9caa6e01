// Compiles the source in the CUDA pane: controls the button, and shows the progress of the download
// and the messages of clang.

import type { CompiledProgram } from '../../src/nvptx/clang/compile-program.ts';
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
  /** Called when the compiler no longer needs a download. */
  readonly onLoaded: () => void;
}

export class CudaCompiler {
  readonly #options: CudaCompilerOptions;
  readonly #loader: ClangLoader;
  #isRunning = false;
  #messages: readonly Message[] = [];
  /** The last program that was compiled. */
  #program: { readonly source: string; readonly compiled: CompiledProgram } | undefined;

  constructor(options: CudaCompilerOptions) {
    this.#options = options;
    const button = byId('cuda-compile');
    button.textContent = `Download the compiler (${clangSize}) and compile`;
    button.addEventListener('click', () => void this.compile());
    this.#loader = new ClangLoader(options.clang, () => {
      byId('cuda-compile').textContent = 'Compile to PTX';
      options.onLoaded();
    });
    byId('cuda').addEventListener('focusin', () => this.#loader.start());
  }

  /** Compiles the source and shows the PTX in its editor, or shows the messages of the compiler. */
  async compile(): Promise<void> {
    const source = this.#options.view().text;
    const ptx = await this.#compile(source, async () => {
      const { ptx, messages } = await this.#loader.compile(source, this.#say);
      return { made: ptx, messages };
    });
    if (ptx !== undefined) this.#options.store.set({ text: ptx, cuda: source, step: 0 });
  }

  /**
   * Compiles both halves of the program in the source, or shows the messages of the compiler. Returns
   * the last program if the source is still the same.
   */
  async compileProgram(): Promise<CompiledProgram | undefined> {
    const source = this.#options.view().text;
    if (this.#program?.source === source) return this.#program.compiled;
    const compiled = await this.#compile(source, async () => {
      const result = await this.#loader.compileProgram(source, this.#say);
      return 'compiled' in result ? { made: result.compiled, messages: '' } : { made: undefined, ...result };
    });
    if (compiled !== undefined) this.#program = { source, compiled };
    return compiled;
  }

  /** Returns the result of `work`; undefined after an error, or if a compilation is already running. */
  async #compile<T>(
    source: string,
    work: () => Promise<{ readonly made: T | undefined; readonly messages: string }>,
  ): Promise<T | undefined> {
    if (this.#isRunning) return undefined;
    if (source.trim() === '') {
      this.#say('Write or paste CUDA first');
      return undefined;
    }
    this.#isRunning = true;
    byId('cuda-compile').setAttribute('aria-disabled', 'true');
    const start = performance.now();
    try {
      const { made, messages } = await work();
      this.#show(clangMessages(messages, source), source);
      // Messages without a position are the compiler's whole output.
      if (made === undefined) this.#say(this.#messages.length === 0 ? messages : 'Not compiled');
      else this.#say(`Compiled in ${((performance.now() - start) / 1000).toFixed(1)} s`);
      return made;
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      this.#isRunning = false;
      byId('cuda-compile').setAttribute('aria-disabled', 'false');
    }
  }

  /** Whether the compiler needs no download. */
  get isLoaded(): boolean {
    return this.#loader.isLoaded;
  }

  /** Shows the messages again after another view has replaced the view of the source. */
  refresh(): void {
    this.#options.view().setLint(lintOf(this.#messages));
  }

  /** Removes the messages about an earlier source, unless a compilation is running. */
  clear(): void {
    if (this.#isRunning) return;
    this.#show([], '');
    this.#say();
  }

  readonly #say = (...content: (Node | string)[]): void => byId('cuda-status').replaceChildren(...content);

  #show(messages: readonly Message[], source: string): void {
    this.#messages = messages;
    this.refresh();
    const places = { lines: new LineFinder(source), onJump: (offset: number) => this.#options.view().goTo(offset) };
    byId('cuda-diagnostics').replaceChildren(...messageItems(messages, ['text', 'page'], places));
  }
}
