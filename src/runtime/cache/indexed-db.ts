// Keeps translations in the IndexedDB of a page's origin.

import { excess, type TranslationStore } from './store.ts';

const database = 'lanewise';
/** The object store of the texts, by key. */
const texts = 'texts';
/** The object store of the size and the time of the last use of each text. */
const entries = 'entries';

interface Entry {
  readonly key: string;
  readonly size: number;
  readonly used: number;
}

/**
 * Returns a store in IndexedDB. Its functions reject if the platform lacks IndexedDB or forbids its
 * use.
 */
export function indexedDbStore(): TranslationStore {
  let opened: Promise<IDBDatabase> | undefined;
  const begin = async (): Promise<IDBTransaction> => {
    opened ??= open();
    // A later call opens the database again.
    opened.catch(() => {
      opened = undefined;
    });
    return (await opened).transaction([texts, entries], 'readwrite');
  };
  return {
    async get(key) {
      const transaction = await begin();
      const text: unknown = await settled(transaction.objectStore(texts).get(key));
      if (typeof text !== 'string') return undefined;
      const entry: Entry = { key, size: text.length, used: Date.now() };
      await settled(transaction.objectStore(entries).put(entry));
      return text;
    },
    async put(key, text) {
      const transaction = await begin();
      const [stored, listed] = [transaction.objectStore(texts), transaction.objectStore(entries)];
      const entry: Entry = { key, size: text.length, used: Date.now() };
      await Promise.all([settled(stored.put(text, key)), settled(listed.put(entry))]);
      const all: readonly Entry[] = await settled(listed.getAll());
      await Promise.all(excess(all).flatMap((old) => [settled(stored.delete(old)), settled(listed.delete(old))]));
    },
  };
}

async function open(): Promise<IDBDatabase> {
  const request = globalThis.indexedDB.open(database, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(texts);
    request.result.createObjectStore(entries, { keyPath: 'key' });
  };
  return await settled(request);
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
