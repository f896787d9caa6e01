// Translates with the parts of the compiler that a page has loaded, with textures.

import { missing } from '../base/invariants.ts';
import { Part } from '../base/part.ts';
import type { Module } from '../ptx/ast.ts';
import { imageIn } from './image/image-instructions.ts';
import type { lowerImages } from './image/lower-images.ts';
import type { TranslateOptions, TranslateResult } from './options.ts';
import { loadParts, type PartsTarget } from './parts/load.ts';
import { type Tools, translateWith } from './translate.ts';

const imagePart = new Part<{ readonly lowerImages: typeof lowerImages }>('images');

const tools: Tools = {
  provideAllParts: () => undefined,
  lowerImages(module, entry, references) {
    if (references.length === 0 && module.functions.every((fn) => imageIn(fn) === undefined)) return module;
    return imagePart.content.lowerImages(module, entry, references);
  },
  inspector: () => missing('the text of the forms of a kernel'),
};

/** Loads the parts that `translateOnUse` needs for a text of PTX or SASS on a device. */
export async function loadForText(text: string, target: PartsTarget): Promise<void> {
  // SASS is in upper case, but the patterns match lower case.
  const ptx = text.toLowerCase();
  const hasImages = /\b(tex|tld4|txq|su[lsr]\w+|suq|texref|surfref)\b/.test(ptx);
  await Promise.all([
    loadParts(ptx, target),
    hasImages && import('./image/lower-images.ts').then(({ lowerImages }) => imagePart.provide({ lowerImages })),
  ]);
}

/** Loads all parts. */
export async function loadAll(): Promise<void> {
  const { tools: all } = await import('./tools.ts');
  all.provideAllParts();
  imagePart.provide(all);
}

/** Translates as `translate` does. Throws InternalError for a kernel whose parts are not loaded. */
export const translateOnUse = (module: Module, options: TranslateOptions): TranslateResult =>
  translateWith(module, { ...options, tools });
