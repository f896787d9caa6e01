import type { Dialect } from '../kernels/dialects.ts';
import type { Statement } from '../kernels/tree.ts';
import type { Place } from './masks.ts';
import type { WarpPrinting } from './warp.ts';

/** What statements need to know of their kernel. */
export interface Printing extends WarpPrinting {
  readonly threads: number;
  readonly dialect: Dialect;
  /** Some thread may end the launch. */
  traps: boolean;
  /** How many the kernel has. */
  readonly functions: number;
  /** No thread ends early. */
  readonly everyThreadLives: boolean;
  /** Some threads end early. The stores of such an end are written later, when it is known which registers there are. */
  readonly exits: { readonly label: string; used: boolean };
  /** `printStatements`: for statements that hold others. */
  readonly printBody: (printing: Printing, statements: readonly Statement[], place: Place) => void;
}
