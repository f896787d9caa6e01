// The forms of asynchronous copies, updates and barriers: the body of the kernel, and its expected
// results.
import type { IsaRow, Mods } from '../../../isa/index.ts';

/**
 * The number of threads per block. `words` is the number of 32-bit words per thread. The tile, the
 * source and the result have 16 bytes for each thread.
 */
export const threads = 64;
export const words = 4;
/** The size of a tile in bytes, as a PTX immediate. */
export const tileBytes = `${4 * words * threads}`;

/** The input words of a block, by index. */
export interface BlockWords {
  /**
   * The words of `tile` before the body executes, in the order of threads. `from` are the words of
   * the source, which global memory contains, too.
   */
  readonly tile: (word: number) => number;
  readonly from: (word: number) => number;
}

export interface AsyncForm {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly form: string;
  /** The instruction as reports print it. */
  readonly instruction: string;
  /**
   * The instructions between the prologue and the read of the result. `kernelText` in
   * `async-suites.ts` declares their registers.
   */
  readonly body: readonly string[];
  /**
   * Whether the blocks of a launch are pairs, in clusters. Each block then writes the tile of its
   * peer, so a block has the results of its own tile and of its peer's source.
   */
  readonly isPair?: true;
  /** The number of arrivals that the mbarrier expects. */
  readonly arrivals: number;
  /**
   * The place of the result. `peer` is the slot in the tile of thread number xor 33. `global` is
   * global memory, which initially contains the tile's words.
   */
  readonly result: 'peer' | 'global';
  readonly version: string;
  readonly target: string;
  /** Turns random words into valid inputs. Only for types that do not accept every word. */
  readonly shape?: (random: Uint32Array) => void;
  /** Returns the expected word at an index of the tile or of global memory. */
  readonly expected: (block: BlockWords) => (word: number) => number;
}

/** The instruction that creates the policy for cache hints. */
export const policy = 'createpolicy.fractional.L2::evict_first.b64 %policy;';

/** Instructions that wait for the first phase of the mbarrier. */
export const waitForPhase: readonly string[] = [
  'W:',
  'mbarrier.test_wait.parity.shared.b64 %done, [bar], 0;',
  '@!%done bra W;',
];

/**
 * Returns instructions with which one thread copies or updates a whole tile in bulk and waits. It
 * waits for the mbarrier if the destination is shared memory, and otherwise for its bulk group.
 */
export function bulkBody({ level }: Mods, instruction: string, toShared: boolean): string[] {
  const first = (lines: readonly string[]) => lines.map((line) => `@%first ${line}`);
  return [
    ...(level === undefined ? [] : [policy]),
    'fence.proxy.async;',
    'bar.sync 0;',
    ...(toShared
      ? [...first([`mbarrier.arrive.expect_tx.shared.b64 _, [bar], ${tileBytes};`, instruction]), ...waitForPhase]
      : first([instruction, 'cp.async.bulk.commit_group;', 'cp.async.bulk.wait_group 0;'])),
  ];
}
