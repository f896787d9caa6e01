// The cached translations of one module. The runtime reads them when it loads the module, because a
// launch cannot wait. It writes them after it translates new programs.

import { buildStamp } from '../../base/build-stamp.ts';
import type { TranslateOptions, WgslProgram } from '../../translate/index.ts';
import { type Programs, programsOf, programsText, sha256 } from './program-text.ts';
import type { TranslationStore } from './store.ts';

/** A module with more programs, or longer ones, caches only the first of them. */
const mostPrograms = 64;
const mostCharacters = 8 * 2 ** 20;
/** The time for further launches before new programs are written, in milliseconds. */
const writeDelay = 50;

export class ModuleCache {
  readonly #store: TranslationStore;
  readonly #key: string;
  readonly #programs: Map<string, WgslProgram>;
  #isScheduled = false;

  private constructor(store: TranslationStore, key: string, programs: Programs) {
    this.#store = store;
    this.#key = key;
    this.#programs = new Map(programs);
  }

  /**
   * Reads the programs of a PTX text. A store that fails, and a damaged text, count as empty.
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
    if (this.#programs.size >= mostPrograms) return made;
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
    if (text.length <= mostCharacters) await this.#store.put(this.#key, text);
  }
}
