// Compiles CUDA in the worker, and shows the progress of the compiler's download.
import type { WasmClangResult } from '../../src/nvptx/clang/compile.ts';
import { el } from '../dom.ts';
import type { ClangClient } from './client.ts';
import { isCached } from './files.ts';
import type { ClangRequests, ProgramResult } from './messages.ts';

const { VITE_CLANG_BYTES: bytes, VITE_CLANG_VERSION: version } = import.meta.env;

/** The size of the download, such as '27 MB'. */
export const clangSize = `${(bytes / 1e6).toFixed(0)} MB`;

/** Shows the progress of a compilation. */
type Say = (...content: (Node | string)[]) => void;

export class ClangLoader {
  readonly #clang: ClangClient;
  readonly #onLoaded: () => void;
  readonly #base = new URL('clang/', document.baseURI).href;
  #isLoaded = false;
  /** Whether the worker has received a source. */
  #isStarted = false;

  /** `onLoaded` is called when the compiler no longer needs a download. */
  constructor(clang: ClangClient, onLoaded: () => void) {
    this.#clang = clang;
    this.#onLoaded = onLoaded;
    void isCached(this.#base, version).then((isHere) => {
      if (isHere) this.#setLoaded();
    });
  }

  /** Whether the compiler has run, or the browser has cached it. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /**
   * Starts the compiler, if it needs no download. The browser compiles most of it during the first
   * compilation, so this function compiles an empty source.
   */
  start(): void {
    if (this.#isStarted || !this.#isLoaded) return;
    // A failure is reported by the next request, which starts the compiler again.
    this.#request('compile', '', () => undefined).catch(() => undefined);
  }

  /**
   * Compiles a source. The first call downloads the compiler, unless the browser has cached it.
   * Calls `say` with the content that describes the progress. Rejects if the download fails.
   */
  compile(source: string, say: Say): Promise<WasmClangResult> {
    return this.#request('compile', source, say);
  }

  /** Compiles a program with a `main`, as `compile` does. */
  compileProgram(source: string, say: Say): Promise<ProgramResult> {
    return this.#request('compileProgram', source, say);
  }

  async #request<K extends keyof ClangRequests>(
    kind: K,
    source: string,
    say: Say,
  ): Promise<ClangRequests[K]['result']> {
    this.#isStarted = true;
    say('Starting the compiler…');
    const result = await this.#clang.request(kind, { base: this.#base, source }, (now) =>
      say(...this.#progress(now.bytes)),
    );
    this.#setLoaded();
    return result;
  }

  #setLoaded(): void {
    this.#isLoaded = true;
    this.#onLoaded();
  }

  #progress(done: number): (Node | string)[] {
    // The small files are loaded after the browser has compiled the large one.
    if (done >= 0.99 * bytes) return ['Starting the compiler…'];
    const doing = this.#isLoaded ? 'Reading' : 'Downloading';
    const text = `${doing} the compiler: ${(done / 1e6).toFixed(0)} of ${clangSize} `;
    return [text, el('progress', { value: done, max: bytes, 'aria-label': `${doing} the compiler` })];
  }
}
