// Finds the names of a kernel's parameters in the CUDA source or in debug information, because PTX
// from a compiler only numbers the parameters.

import { demangle } from '../../base/demangle.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { debugParameters } from './debug-parameters.ts';

/**
 * Returns the names of a kernel's parameters. They come from the CUDA source if the module has it,
 * or from debug information. Otherwise they are the numbered names of the PTX, without the name of
 * the kernel.
 */
export function parameterNamesOf({ source }: Pick<Module, 'source'>, entry: PtxFunction): string[] {
  const base = demangle(entry.name)?.base ?? entry.name;
  for (const { text } of source.origins ?? []) {
    const names = parameterNames(text, base, entry.params.length);
    if (names !== undefined) return names;
  }
  const debugNames = debugParameters(source.text, entry.name, entry.params.length);
  if (debugNames !== undefined) return debugNames;
  return entry.params.map(({ name }) => (name.startsWith(`${entry.name}_`) ? name.slice(entry.name.length + 1) : name));
}

/**
 * Returns the parameter names in the declaration of the kernel `name` (without scopes). Returns
 * undefined if the text contains no such declaration with `count` parameters.
 */
export function parameterNames(cuda: string, name: string, count: number): string[] | undefined {
  const escaped = name.replace(/[$]/g, '\\$&');
  const declaration = new RegExp(`__global__\\b[^;{}]*?\\b${escaped}\\s*\\(`, 'g');
  for (const match of withoutComments(cuda).matchAll(declaration)) {
    const parameters = splitList(match.input.slice(match.index + match[0].length));
    const names = parameters.flatMap((text) => nameOf(text) ?? []);
    if (parameters.length === count && names.length === count && new Set(names).size === count) return names;
  }
  return undefined;
}

const withoutComments = (text: string): string => text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ');

/** Splits a list at its commas, up to the closing parenthesis. */
function splitList(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (')]>}'.includes(character) && --depth < 0) break;
    if ('([<{'.includes(character)) depth++;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.length === 1 && parts[0]?.trim() === '' ? [] : parts;
}

/**
 * Returns the name in the declaration of a parameter: `x` for `float *__restrict__ x = nullptr`.
 */
function nameOf(parameter: string): string | undefined {
  const declared = parameter.replace(/=[\s\S]*$/, '').replace(/\[[^\]]*\]/g, '');
  return /([A-Za-z_]\w*)\s*$/.exec(declared)?.[1];
}
