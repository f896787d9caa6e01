// Why PTX has no instruction with certain modifiers, though each of them is in its place.
import type { Mods } from '../../isa/index.ts';

export interface Objection {
  readonly why: string;
  /** The modifier that makes it a form of PTX that no row covers. */
  readonly unsupported?: string;
  readonly hint?: string;
}

export type Rule = (mods: Mods) => Objection | undefined;

export const when = (bad: boolean, why: string, hint?: string): Objection | undefined =>
  bad ? { why, ...(hint === undefined ? {} : { hint }) } : undefined;
