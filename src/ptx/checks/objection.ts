// Reasons why PTX does not have an instruction although each modifier is valid by itself.
import type { Mods } from '../../isa/index.ts';

export interface Objection {
  readonly why: string;
  /**
   * The modifier because of which the instruction is valid but unsupported PTX, if that is the
   * reason.
   */
  readonly unsupported?: string;
  readonly hint?: string;
}

export type Rule = (mods: Mods) => Objection | undefined;

export const when = (bad: boolean, why: string, hint?: string): Objection | undefined =>
  bad ? { why, ...(hint === undefined ? {} : { hint }) } : undefined;
