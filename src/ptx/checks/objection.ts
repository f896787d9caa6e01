// Reasons why PTX lacks an instruction although each modifier is valid by itself.
import type { Mods } from '../../isa/index.ts';

export interface Objection {
  readonly why: string;
  /** The modifier that makes the instruction valid PTX without a row. */
  readonly unsupported?: string;
  readonly hint?: string;
}

export type Rule = (mods: Mods) => Objection | undefined;

export const when = (bad: boolean, why: string, hint?: string): Objection | undefined =>
  bad ? { why, ...(hint === undefined ? {} : { hint }) } : undefined;
