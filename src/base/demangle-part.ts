// C++ names: a part of the compiler that a page loads for a module with mangled names.

import type { demangle, demangledText } from './demangle.ts';
import { Part } from './part.ts';

export const demanglePart = new Part<{
  readonly demangle: typeof demangle;
  readonly demangledText: typeof demangledText;
}>('names');

/**
 * Returns a text in which C++ names replace mangled names. Returns the text unchanged if this part
 * is not loaded; it is loaded before a module with mangled names is compiled.
 */
export const demangledIfLoaded = (text: string): string => demanglePart.ifLoaded?.demangledText(text) ?? text;
