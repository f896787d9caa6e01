// A store of texts by key, which outlives the page or the process.

/**
 * Keeps translations between visits of a page, or between runs of a program. A store may lose or
 * damage any text: the runtime checks each text, and translates again if necessary.
 */
export interface TranslationStore {
  /** Resolves with the text of a key, or undefined. */
  get(key: string): Promise<string | undefined>;
  /** Keeps a text. The store may remove other texts, to limit its size. */
  put(key: string, text: string): Promise<void>;
}

/**
 * The maximum size of all texts of a store, in characters. The store removes the least recently
 * used texts first.
 */
export const maxStored = 32 * 2 ** 20;

/**
 * Returns the keys of the least recently used texts. After they are removed, the rest has at most
 * `most` characters.
 */
export function excess(
  entries: readonly { readonly key: string; readonly size: number; readonly used: number }[],
  most = maxStored,
): readonly string[] {
  let kept = 0;
  return [...entries]
    .sort((a, b) => b.used - a.used)
    .filter(({ size }) => {
      kept += size;
      return kept > most;
    })
    .map(({ key }) => key);
}
