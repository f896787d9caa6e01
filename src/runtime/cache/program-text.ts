// Programs as text, with a checksum.

import { getOrInsert } from '../../base/maps.ts';
import type { WgslProgram } from '../../translate/index.ts';

/** The programs of a module, by the options of their translation. */
export type Programs = ReadonlyMap<string, WgslProgram>;

/** Returns the SHA-256 of a text in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the text of programs. Its checksum also covers `key`. */
export async function programsText(key: string, programs: Programs): Promise<string> {
  const entries = [...programs].map(([options, program]) => `[${JSON.stringify(options)},${textOf(program)}]`);
  const body = `[${entries.join()}]`;
  return `${await sha256(key + body)}${body}`;
}

/** The texts of programs. They are kept, because each write of a module contains all its programs. */
const texts = new WeakMap<WgslProgram, string>();

const textOf = (program: WgslProgram): string =>
  getOrInsert(texts, program, () =>
    JSON.stringify(program, (_, value: unknown) =>
      value instanceof Uint8Array ? { [bytesMark]: base64(value) } : value,
    ),
  );

/** Returns the programs of a text, or undefined if its checksum does not match. */
export async function programsOf(key: string, text: string): Promise<Programs | undefined> {
  const [sum, body] = [text.slice(0, 64), text.slice(64)];
  if ((await sha256(key + body)) !== sum) return undefined;
  // The checksum covers the key, which names the code that wrote the text.
  const entries: readonly (readonly [string, WgslProgram])[] = JSON.parse(body, revived);
  return new Map(entries);
}

/** The key of an object that encodes bytes. Programs have no member of this name. */
const bytesMark = '$bytes';

function revived(_: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && bytesMark in value;
  return isBytes ? Uint8Array.from(atob(String(value[bytesMark])), (character) => character.charCodeAt(0)) : value;
}

function base64(bytes: Uint8Array): string {
  let characters = '';
  // Convert in parts, because a call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 4096) characters += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(characters);
}
