// The cached translations of one module. The runtime reads these translations when it loads the
// module, because a launch cannot wait. After it translates new programs, it writes them to the
// cache.

import { buildStamp } from '../../base/build-stamp.ts';
import type { TranslateOptions, WgslProgram } from '../../translate/index.ts';
import { type Programs, programsOf, programsText, sha256 } from './program-text.ts';
import type { TranslationStore } from './store.ts';

/**
 * The maximum number of cached programs of a module, and their maximum size in characters. If a
 * module has more programs, only the first are cached.
 */
const mostPrograms = 64;
const mostCharacters = 8 * 2 ** 20;
/**
 * The delay in milliseconds before new programs are written. During the delay, further launches may
 * add programs.
 */
const writeDelay = 50;

export class ModuleCache {
  readonly #store: TranslationStore;
  readonly #key: string;
  readonly #programs: Map<string, WgslProgram>;
  #isScheduled = false;
  /** Whether the programs exceed the maximum size. */
  #isFull = false;

  private constructor(store: TranslationStore, key: string, programs: Programs) {
    this.#store = store;
    this.#key = key;
    this.#programs = new Map(programs);
  }

  /**
   * Reads the cached programs of a PTX text. If the store fails, or the text is damaged, there are
   * no cached programs.
   */
  static async open(store: TranslationStore, ptx: string): Promise<ModuleCache> {
    const key = await sha256(JSON.stringify([buildStamp ?? 'sources', ptx]));
    try {
      const text = await store.get(key);
      const programs = text === undefined ? undefined : await programsOf(key, text);
      return new ModuleCache(store, key, programs ?? new Map());
    } catch {
      return new ModuleCache(store, key, new Map());
    }
  }

  /**
   * Returns the cached program for the options. If there is none, calls `translate` and caches its
   * program. A translation depends only on the PTX text and the options.
   */
  program(options: TranslateOptions, translate: () => WgslProgram): WgslProgram {
    const name = JSON.stringify(options, (_, value: unknown) => (value instanceof Set ? [...value] : value));
    const known = this.#programs.get(name);
    if (known) return known;
    const made = translate();
    if (this.#isFull || this.#programs.size >= mostPrograms) return made;
    this.#programs.set(name, made);
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setTimeout(() => {
        this.#isScheduled = false;
        // If the write fails, the next visit translates again.
        this.#write().catch(() => undefined);
      }, writeDelay);
    }
    return made;
  }

  async #write(): Promise<void> {
    const text = await programsText(this.#key, this.#programs);
    if (text.length > mostCharacters) this.#isFull = true;
    else await this.#store.put(this.#key, text);
  }
}
