// Forms of asynchronous copies, updates and barriers: what stands in the kernel, and what must come of it.
import type { IsaRow, Mods } from '../../../isa/index.ts';

/** Threads of a block, and words of 16 bytes, which each thread has in the tile, in the other one and in its result. */
export const threads = 64;
export const words = 4;
/** Bytes of a tile, as PTX has them. */
export const tileBytes = `${4 * words * threads}`;

/** What a block brings: words by place. */
export interface BlockWords {
  /** Of `tile` before the body, where threads lie one behind the other; and of `from`, which is also what global memory holds. */
  readonly tile: (word: number) => number;
  readonly from: (word: number) => number;
}

export interface AsyncForm {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly form: string;
  /** The instruction as reports show it. */
  readonly instruction: string;
  /** Between the prologue (which see in `async-suites.ts` for its registers) and the reading of the result. */
  readonly body: readonly string[];
  /** Arrivals that the mbarrier expects. */
  readonly arrivals: number;
  /** Where the result is: in the tile at the place of the thread's number xor 33, or in global memory, which begins with the tile's words. */
  readonly result: 'peer' | 'global';
  readonly version: string;
  readonly target: string;
  /** Makes words of the block's inputs out of random ones, where not every word is a number of its type. */
  readonly shape?: (random: Uint32Array) => void;
  /** The word at a place of the tile, or of global memory. */
  readonly expected: (block: BlockWords) => (word: number) => number;
}

/** Makes the policy that hints name. */
export const policy = 'createpolicy.fractional.L2::evict_first.b64 %policy;';

/** Waits for the first phase of the mbarrier. */
export const waitForPhase: readonly string[] = [
  'W:',
  'mbarrier.test_wait.parity.shared.b64 %done, [bar], 0;',
  '@!%done bra W;',
];

/** A bulk copy or update by one thread of a whole tile, and the wait for it: on the mbarrier where it goes to shared memory, else for its group. */
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
