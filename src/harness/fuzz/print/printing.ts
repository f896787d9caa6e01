import type { Dialect } from '../kernels/dialects.ts';
import type { Statement } from '../kernels/tree.ts';
import type { Place } from './masks.ts';
import type { WarpPrinting } from './warp.ts';

/** The state of printing a kernel. */
export interface Printing extends WarpPrinting {
  readonly threads: number;
  readonly dialect: Dialect;
  /** Whether a thread may end the launch. */
  traps: boolean;
  /** The number of the kernel's functions. */
  readonly functions: number;
  /** Whether no thread ends early. */
  readonly everyThreadLives: boolean;
  /**
   * Present if some threads end early. Their stores are written later, when the registers are
   * known.
   */
  readonly exits: { readonly label: string; used: boolean };
  /** `printStatements`, for statements with nested lists. */
  readonly printBody: (printing: Printing, statements: readonly Statement[], place: Place) => void;
}
