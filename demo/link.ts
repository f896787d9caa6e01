// The whole state in the link's hash: JSON, deflated, in the letters that a URL takes as they are. No server sees it.
import { type AppState, initialState } from './state.ts';

const key = 's';

/// `s=…`, without what is as at the start.
export async function encodeState(state: AppState): Promise<string> {
  const initial = new Map<string, unknown>(Object.entries(initialState));
  const different = Object.entries(state).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial.get(name)),
  );
  const json = new TextEncoder().encode(JSON.stringify(Object.fromEntries(different)));
  return `${key}=${toUrlBase64(await through(json, new CompressionStream('deflate-raw')))}`;
}

/// What a hash (`#s=…`) holds, or undefined for none and for one that is damaged.
export async function decodeState(hash: string): Promise<AppState | undefined> {
  const text = new URLSearchParams(hash.replace(/^#/, '')).get(key);
  if (!text) return undefined;
  try {
    const bytes = await through(fromUrlBase64(text), new DecompressionStream('deflate-raw'));
    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/// Takes the known keys whose values are of the right kind: a link may come from anywhere.
function checked(given: unknown): AppState | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const values = new Map<string, unknown>(Object.entries(given));
  const merged = Object.entries(initialState).map(([name, initial]) => {
    const value = values.get(name);
    return [name, typeof value === typeof initial && value !== null && allowed(name, value) ? value : initial];
  });
  return Object.fromEntries(merged);
}

const lists: Readonly<Record<string, readonly string[]>> = {
  view: ['playground', 'validate', 'bench'],
  format: ['auto', 'unsigned', 'signed', 'hex', 'float'],
  plan: ['auto', '4', '8', '16', '32', '64', '128', '0'],
  float: ['exact', 'fast'],
};

const patterns = ['lane', 'one-based', 'random', 'constant', 'alternate', 'values'];

function allowed(name: string, value: unknown): boolean {
  const list = lists[name];
  if (list) return list.some((item) => item === value);
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
  if (name !== 'inputs') return true;
  return Object.values(Object(value)).every((spec) => {
    const { pattern, value: text } = Object(spec);
    return patterns.includes(pattern) && typeof text === 'string';
  });
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const output = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream);
  return new Uint8Array(await new Response(output).arrayBuffer());
}

function toUrlBase64(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromUrlBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
