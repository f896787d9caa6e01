// The sparsity selectors of products with a sparse A. The parser needs them without the layouts of
// matrices, which a page loads on use.
import { elementBits, elementType } from './element-types.ts';
import type { Mods } from './row.ts';

/**
 * Returns the greatest selector. The metadata of 16 rows are in words of one, two or four lanes of
 * each four.
 */
export function lastSelector({ shape = '', atype }: Mods): number {
  const columns = Number(/k(\d+)$/.exec(shape)?.[1]);
  const bits = elementBits[elementType(atype)];
  const registers = (columns * bits) / 64;
  const rowBits = registers * (bits < 16 ? 8 : 4);
  return 64 / rowBits - 1;
}
