// A kernel by the name that a person gives it.
import { type DemangledName, demangle } from '../../base/demangle.ts';
import { oneLine } from '../../base/printable.ts';
import type { Module, PtxFunction } from '../../ptx/ast.ts';
import { nearest } from '../../ptx/index.ts';

/** The kernels of a module, in its order. */
export const entriesOf = ({ functions }: Module): PtxFunction[] => functions.filter(({ kind }) => kind === 'entry');

/** A kernel's name for a person: C++ as it was written, if the linker's name can be undone. */
export const entryTitle = (name: string): string => demangle(name)?.text ?? name;

/**
 * The kernel that a name means: the linker's, or the C++ name with or without its parameters, template arguments or scopes, if only one kernel has
 * it. Without a name, the only kernel. Throws `RangeError`, which lists the kernels.
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
      `'${asked}' is the name of ${matching.length} kernels of ${file}: add more of it\n${listed(matching)}`,
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
  // `saxpy<float>`, without the scopes of `ns::saxpy<float>`.
  const unscoped = name.name.slice(name.template.length - name.base.length);
  return new Set([name.text, name.name, name.template, name.base, unscoped].map(compact));
}
