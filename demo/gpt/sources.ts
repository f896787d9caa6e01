// The text to learn and the kernels. They are bundled with the page.

import { readText } from './text.ts';
import rawText from './text.txt?raw';
import type { KernelFile } from './trainer.ts';

const raw = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const named = (found: Record<string, string>): readonly { readonly name: string; readonly text: string }[] =>
  Object.entries(found).map(([path, text]) => ({ name: raw(path), text }));

/** The text to learn, which is the beginning of Shakespeare's Coriolanus. */
export const alphabet = readText(rawText);

export const kernelFiles: readonly KernelFile[] = named(
  import.meta.glob<string>('./kernels/*.ptx', { query: '?raw', import: 'default', eager: true }),
).map(({ name, text }) => ({ name, ptx: text }));

/** CUDA by file name. */
export const cudaSources: ReadonlyMap<string, string> = new Map(
  named(import.meta.glob<string>('./kernels/*.{cu,cuh}', { query: '?raw', import: 'default', eager: true })).map(
    ({ name, text }) => [name, text],
  ),
);
