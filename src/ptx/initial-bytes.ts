import type { Variable } from './ast.ts';

/** Returns the initial contents of a variable. Bytes that hold addresses are 0. */
export function initialBytes({ bytes, initializers }: Variable): Uint8Array {
  const contents = new Uint8Array(bytes);
  for (const part of initializers) if (part.kind === 'bytes') contents.set(part.bytes, part.offset);
  return contents;
}
