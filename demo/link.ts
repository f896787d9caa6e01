// Encodes the whole state in the link's hash: compressed JSON, in characters that are not escaped
// in URLs. Browsers do not send the hash to servers.
import { documentOf, stateOf } from './link-schema.ts';
import type { AppState } from './state.ts';

const key = 's';

/**
 * The maximum number of characters of a hash, and the maximum number of bytes after decompression.
 */
const maxHash = 1 << 20;
export const maxInflated = 2 << 20;

/**
 * The number of bytes to decompress between checks of the size. Deflate compresses by a factor of
 * at most 1,032, so such a piece becomes at most half a megabyte.
 */
const inflateStep = 512;

/**
 * Encodes a state as `s=…`, without fields with their initial values. Returns undefined if the
 * state is too large for a link.
 */
export async function encodeState(state: AppState): Promise<string | undefined> {
  const json = new TextEncoder().encode(JSON.stringify(documentOf(state)));
  if (json.length > maxInflated) return undefined;
  const deflated = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const hash = `${key}=${toUrlBase64(new Uint8Array(await new Response(deflated).arrayBuffer()))}`;
  return hash.length > maxHash ? undefined : hash;
}

/**
 * Returns the state in a hash (`#s=…`), or undefined if the state is missing, damaged or too large.
 * Does not throw errors.
 */
export async function decodeState(hash: string): Promise<AppState | undefined> {
  if (hash.length > maxHash + 1) return undefined;
  try {
    const text = new URLSearchParams(hash.replace(/^#/, '')).get(key);
    if (!text) return undefined;
    const bytes = await inflate(fromUrlBase64(text));
    return bytes && stateOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * Decompresses bytes. Returns undefined if the result exceeds `maxInflated` bytes. Rejects for
 * invalid data.
 */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const reader = readable.getReader();
  const writer = writable.getWriter();
  const written = writeInSteps(writer, bytes);
  // Ignore this error, because the reader reports it too.
  written.catch(() => undefined);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    if (length > maxInflated) {
      await reader.cancel();
      return undefined;
    }
  }
  await written;
  return joined(pieces, length);
}

async function writeInSteps(writer: WritableStreamDefaultWriter, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  for (let at = 0; at < bytes.length; at += inflateStep) {
    await writer.ready;
    await writer.write(bytes.subarray(at, at + inflateStep));
  }
  await writer.close();
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function toUrlBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromUrlBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
