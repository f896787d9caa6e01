import type { Dialect } from '../kernels/dialects.ts';
import type { Statement } from '../kernels/tree.ts';
import type { Place } from './masks.ts';
import type { WarpPrinting } from './warp.ts';

/** The state of the printer while it prints a kernel. */
export interface Printing extends WarpPrinting {
  readonly threads: number;
  readonly dialect: Dialect;
  /** Whether a thread may end the launch. */
  traps: boolean;
  /** Whether threads wait for each other in loops. */
  waits: boolean;
  /** The number of blocks of a cluster. */
  readonly clusterBlocks: number;
  /** Whether all blocks of a cluster reach the place together. */
  blocksTogether: boolean;
  /** The number of functions of the kernel. */
  readonly functions: number;
  /** Whether no thread ends early. */
  readonly everyThreadLives: boolean;
  /**
   * The label of the code for threads that end early. That code is written later, when the
   * registers to store are known.
   */
  readonly exits: { readonly label: string; used: boolean };
  /** Prints nested lists of statements, as `printStatements` does. */
  readonly printBody: (printing: Printing, statements: readonly Statement[], place: Place) => void;
}
