// The whole state in the link's hash: JSON, deflated, in the letters that a URL takes as they are. No server sees it.
import { documentOf, stateOf } from './link-schema.ts';
import type { AppState } from './state.ts';

const key = 's';

/** Characters of a hash, and bytes that it may inflate to. */
const maxHash = 1 << 20;
export const maxInflated = 2 << 20;

/** Deflate makes a byte into 1,032 at most: so much at a time inflates to half a megabyte, after which we look. */
const inflateStep = 512;

/** `s=…`, without what is as at the start. Undefined for a state that is too large for a link. */
export async function encodeState(state: AppState): Promise<string | undefined> {
  const json = new TextEncoder().encode(JSON.stringify(documentOf(state)));
  if (json.length > maxInflated) return undefined;
  const deflated = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const hash = `${key}=${toUrlBase64(new Uint8Array(await new Response(deflated).arrayBuffer()))}`;
  return hash.length > maxHash ? undefined : hash;
}

/** What a hash (`#s=…`) holds, or undefined for none and for one that is damaged or too large. Never throws. */
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

/** Undefined where more than `maxInflated` bytes come out. Rejects for what was not deflated. */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const reader = readable.getReader();
  const writer = writable.getWriter();
  const written = writeInSteps(writer, bytes);
  // Its failure comes out of the reader as well.
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
