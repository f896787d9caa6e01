// The scopes, orders and spaces that the modifiers of instructions name.
import type { Instruction } from '../../ptx/ast.ts';
import type { Fence, MemorySpace, Scope } from '../event.ts';

/** The scopes of `membar`. */
export const levels: ReadonlyMap<string, Scope> = new Map([
  ['cta', 'cta'],
  ['gl', 'gpu'],
  ['sys', 'sys'],
]);

/** The memory of the modifier of `fence.proxy.async`. */
export const spaces: ReadonlyMap<string | undefined, MemorySpace> = new Map([
  ['global', 'global'],
  ['shared::cta', 'shared'],
  ['shared::cluster', 'shared'],
]);

export function fenceOrder(sem: string | undefined): Fence['order'] {
  return sem === 'sc' || sem === 'acquire' || sem === 'release' ? sem : 'acq_rel';
}

/** The scope of a load or store; undefined if it is weak. Volatile accesses have system scope. */
export function scopeOf({ mods }: Instruction): Scope | undefined {
  if (mods.sem === undefined || mods.sem === 'weak') return undefined;
  return mods.sem === 'volatile' ? 'sys' : ((mods.scope ?? 'gpu') as Scope);
}
