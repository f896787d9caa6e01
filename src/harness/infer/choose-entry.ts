// Finds a kernel by a name from the user.
import { type DemangledName, demangle } from '../../base/demangle.ts';
import { oneLine } from '../../base/printable.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { nearest } from '../../ptx/index.ts';

/** Returns the kernels of a module in their order. */
export const entriesOf = ({ functions }: Module): PtxFunction[] => functions.filter(({ kind }) => kind === 'entry');

/** Returns a kernel's readable name: the demangled C++ name, if the name is mangled. */
export const entryTitle = (name: string): string => demangle(name)?.text ?? name;

/**
 * Returns the kernel with a name: the linker's name, or the C++ name with or without its
 * parameters, template arguments or scopes, if that is unique. Without a name, returns the only
 * kernel. Throws a `RangeError` that lists the kernels.
 */
export function chooseEntry(module: Module, wanted: string | undefined): PtxFunction {
  const entries = entriesOf(module);
  const [only, ...more] = entries;
  const { file } = module.source;
  if (only === undefined) throw new RangeError(`${file} has no kernel`);
  if (wanted === undefined) {
    if (more.length === 0) return only;
    throw new RangeError(`${file} has ${entries.length} kernels: choose one with --entry\n${listed(entries)}`);
  }
  const exact = entries.find(({ name }) => name === wanted);
  if (exact !== undefined) return exact;
  const matching = entries.filter(({ name }) => namesOf(demangle(name)).has(compact(wanted)));
  const [found, ...others] = matching;
  if (found !== undefined && others.length === 0) return found;
  const asked = oneLine(wanted, 200);
  if (found !== undefined) {
    throw new RangeError(
      `'${asked}' matches ${matching.length} kernels of ${file}: use a longer part of the name\n${listed(matching)}`,
    );
  }
  const names = entries.flatMap(({ name }) => [
    name,
    ...(demangle(name) === undefined ? [] : [demangle(name)?.base ?? name]),
  ]);
  const near = nearest(wanted, names);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  throw new RangeError(`unknown kernel '${asked}' of ${file}${hint}\n${listed(entries)}`);
}

const maxListed = 40;

function listed(entries: readonly PtxFunction[]): string {
  const lines = entries.slice(0, maxListed).map(({ name }) => `  ${oneLine(entryTitle(name), 300)}`);
  const left = entries.length - lines.length;
  return [...lines, ...(left > 0 ? [`  … and ${left} more`] : [])].join('\n');
}

const compact = (name: string): string => name.replace(/\s+/g, '');

function namesOf(name: DemangledName | undefined): Set<string> {
  if (name === undefined) return new Set();
  // For `ns::saxpy<float>`, this is `saxpy<float>`.
  const unscoped = name.name.slice(name.template.length - name.base.length);
  return new Set([name.text, name.name, name.template, name.base, unscoped].map(compact));
}
