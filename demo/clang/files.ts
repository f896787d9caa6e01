// The names of clang's files, and functions that load and cache them.

/**
 * The files of `@yowasp/clang` that its script fetches. The page serves them compressed by gzip.
 */
export const clangFiles: readonly string[] = [
  'llvm.core.wasm',
  'llvm.core2.wasm',
  'llvm.core3.wasm',
  'llvm.core4.wasm',
  'llvm-resources.tar',
];

export const clangScript = 'bundle.js';

/**
 * Returns the name of a compressed file. It does not end with `.gz`, because some servers would
 * then send a `content-encoding` header, and the browser would decompress the file.
 */
export const packedName = (name: string): string => `${name}.packed`;

const cachePrefix = 'lanewise-clang-';
const cacheName = (version: string): string => `${cachePrefix}${version}`;

/**
 * Returns the browser's cache for a version, and deletes the caches of other versions. Returns
 * undefined if the browser does not provide caches.
 */
async function openCache(version: string): Promise<Cache | undefined> {
  if (typeof caches === 'undefined') return undefined;
  const name = cacheName(version);
  for (const other of await caches.keys())
    if (other.startsWith(cachePrefix) && other !== name) await caches.delete(other);
  return await caches.open(name);
}

/**
 * Whether the browser has cached all files of a version. `base` is the address of the folder with
 * these files.
 */
export async function isCached(base: string, version: string): Promise<boolean> {
  try {
    if (typeof caches === 'undefined' || !(await caches.has(cacheName(version)))) return false;
    const cache = await caches.open(cacheName(version));
    const found = await Promise.all(clangFiles.map((name) => cache.match(new URL(packedName(name), base))));
    return found.every((response) => response !== undefined);
  } catch {
    // The browser does not allow access to its storage.
    return false;
  }
}

/**
 * Loads a compressed file from the cache or the server. Calls `onBytes` with the number of bytes in
 * each piece that arrives.
 */
async function load(url: URL, cache: Cache | undefined, onBytes: (bytes: number) => void): Promise<Blob> {
  const response = (await cache?.match(url)) ?? (await fetch(url));
  if (!response.ok || response.body === null) throw new Error(`cannot load ${url.href}: status ${response.status}`);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(read.value);
    onBytes(read.value.length);
  }
  return new Blob(pieces);
}

/** Returns a replacement of `fetch` for clang's script. */
export async function clangFetch(
  base: string,
  version: string,
  onBytes: (bytes: number) => void,
): Promise<(url: URL | RequestInfo) => Promise<Response>> {
  const cache = await openCache(version).catch(() => undefined);
  const ask = async (given: URL | RequestInfo): Promise<Response> => {
    // `at` never returns undefined, because `split` returns at least one item.
    const name = new URL(String(given)).pathname.split('/').at(-1) ?? '';
    const url = new URL(packedName(name), base);
    const body = await load(url, cache, onBytes);
    // If the disk is full, download the file again on the next visit.
    await cache?.put(url, new Response(body)).catch(() => undefined);
    const type = name.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
    return new Response(body.stream().pipeThrough(new DecompressionStream('gzip')), {
      headers: { 'content-type': type },
    });
  };
  return ask;
}
