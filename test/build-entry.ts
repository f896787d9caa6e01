import type { Module, PtxFunction } from '../src/ptx/ast.ts';
import { buildProgram } from '../src/translate/build/index.ts';
import { referencesIn } from '../src/translate/image/image-instructions.ts';
import { lowerImages } from '../src/translate/image/lower-images.ts';

/** Returns the IR of an entry of a module, after the same preparation as in `translate`. */
export function buildEntry(
  module: Module,
  entry: PtxFunction,
  options: Parameters<typeof buildProgram>[2],
): ReturnType<typeof buildProgram> {
  const lowered = lowerImages(module, entry, referencesIn(entry));
  const kernel = lowered.functions.find(({ name }) => name === entry.name);
  if (kernel === undefined) throw new Error(`${entry.name} was lost`);
  return buildProgram(lowered, kernel, options);
}
