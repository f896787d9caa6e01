// Splits off the constants that were added last to an address.
import { signedConstant } from '../../analysis/address-parts.ts';
import type { Value } from '../../ir/nodes.ts';

export interface Peeled {
  readonly base: Value | undefined;
  /** The constant in bytes; for a 32-bit address, modulo 2^32. */
  readonly constant: number;
}

/**
 * The maximum absolute value of constants that are split off. Sums of a few such constants are
 * exact.
 */
const maxConstant = 2 ** 40;

export function peel(address: Value | undefined, offset: number): Peeled {
  let base = address;
  let constant = offset;
  while (base?.kind === 'result' && base.inst.op === 'iadd' && base.inst.when === undefined) {
    const number: number | undefined = signedConstant(base.inst.args[1]);
    if (number === undefined || Math.abs(constant + number) > maxConstant) break;
    constant += number;
    base = base.inst.args[0];
  }
  const number = signedConstant(base);
  if (number !== undefined && Math.abs(constant + number) <= maxConstant)
    return { base: undefined, constant: constant + number };
  return base?.kind === 'undef' ? { base: undefined, constant } : { base, constant };
}
