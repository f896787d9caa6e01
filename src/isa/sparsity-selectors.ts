// The metadata of a sparse A, and the sparsity selectors of its products. The parser needs them
// without the layouts of matrices, which a page loads on use.
import { type ElementType, elementBits, elementType } from './element-types.ts';
import type { Mods } from './row.ts';

/** The number of bits of a unit of A (`sparse.ts`). */
export const unitBits = (type: ElementType): 8 | 16 => (elementBits[type] < 16 ? 8 : 16);

/** The number of bits of metadata for a register of A: two for each unit. */
export const metadataBits = (type: ElementType): number => 64 / unitBits(type);

/**
 * Returns the number of lanes of each four whose words contain the metadata of rows r and r + 8:
 * one, two or four. `k`: the number of stored elements of a row.
 */
export function lanesOfFour(k: number, type: ElementType): number {
  const registers = (k * elementBits[type]) / 32;
  return (2 * registers * metadataBits(type)) / 32;
}

/** Returns the greatest selector. */
export function lastSelector({ shape = '', atype }: Mods): number {
  const columns = Number(/k(\d+)$/.exec(shape)?.[1]);
  return 4 / lanesOfFour(columns / 2, elementType(atype)) - 1;
}
