// The names of kernels and parameters in a built module.

import { demangle } from '../base/demangle.ts';

/** Words that cannot name a variable of a module. */
const reserved: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

/** The names that a built module uses for its own variables. */
const own: ReadonlySet<string> = new Set(['launch', 'prepare', 'check', 'built', 'lanewise', 'openBuilt']);

/**
 * Returns a name for each kernel: the C++ name without parameters if no other kernel has the same
 * one, and otherwise the name in the PTX.
 */
export function kernelNames(names: readonly string[]): readonly string[] {
  const bases = names.map((name) => demangle(name)?.base ?? name);
  return names.map((name, at) => {
    const base = bases[at] ?? name;
    return bases.filter((other) => other === base).length === 1 && isIdentifier(base) ? base : name;
  });
}

/**
 * Whether a module can export the kernel under its name. Otherwise, the kernel can be used only
 * through `launch`.
 */
export const isExportable = (name: string): boolean => isIdentifier(name) && !reserved.has(name) && !own.has(name);

const isIdentifier = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);

/** Returns a parameter's name without the prefix that nvcc and clang add. */
export const shortName = (param: string, kernel: string): string =>
  param.startsWith(`${kernel}_`) ? param.slice(kernel.length + 1) : param;

/** Converts a name to a valid label of a tuple element. */
export const labelOf = (name: string): string => name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');
