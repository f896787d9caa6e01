// The state of a launch that all its blocks share.
import type { Launch } from '../../base/launch.ts';
import { getOrInsert } from '../../base/maps.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import { type Printed, printedWords } from '../../base/printed.ts';
import type { AddressSpace } from './memory/address-space.ts';
import type { Region } from './memory/region.ts';
import type { KeptMemory } from './memory/variables.ts';
import { type FindingCode, FindingLog, Halt } from './state/findings.ts';
import { AccessHistory } from './state/races.ts';
import type { Machine, Program } from './state/state.ts';
import type { Observer, StepAccess } from './state/step-event.ts';

/** Options of the reference interpreter. */
export interface MachineOptions {
  /**
   * The seed of random numbers for unwritten registers and memory, and for the order of blocks,
   * warps and atomics. Without a seed, unwritten registers and memory are zero, and the order is
   * ascending.
   */
  readonly seed?: number;
  /**
   * The maximum number of executed instructions. An instruction that several lanes of a warp
   * execute together counts once. The default is 50 million.
   */
  readonly maxSteps?: number;
  /**
   * The number of steps that a diverged group executes before another group of its warp continues.
   * Small values test that results do not depend on the order.
   */
  readonly stepsPerYield?: number;
  /**
   * The number of steps that a warp, or a block, executes before the next one continues. Small
   * values interleave warps and blocks. The default is 16,384 for a warp. For a block, it is
   * 262,144 until all blocks have started, and then 16,384. Blocks whose threads only poll memory
   * let the next one continue earlier.
   */
  readonly stepsPerTurn?: number;
  /** Called after each step of each warp. */
  readonly observe?: Observer;
  /**
   * Whether to detect races, reads of unwritten registers and memory, divergent barriers, and uses
   * of undefined values.
   */
  readonly sanitize?: boolean;
  /** Whether a finding ends the launch. */
  readonly endsAt?: (code: FindingCode) => boolean;
  /** Whether to record the thread that wrote each byte of a buffer last. */
  readonly trackWriters?: boolean;
  /**
   * The matrix mode: how the products of floating-point matrices are added. The default is
   * `hopper`.
   */
  readonly matrix?: MatrixMode;
  /**
   * Memory that outlives the launch. Its variables must be those of the launch's module. Without it,
   * a launch has memory of its own.
   */
  readonly memory?: KeptMemory;
}

/** Returns a generator of pseudorandom words (xorshift32). */
function randomWords(seed: number): () => number {
  let state = seed | 0 || 0x9e37_79b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

export class LaunchMachine implements Machine {
  readonly program: Program;
  readonly space: AddressSpace;
  readonly launch: Launch;
  readonly log: FindingLog;
  readonly sanitize: boolean;
  readonly tracksUndefined: boolean;
  readonly observe: Observer | undefined;
  readonly accesses: StepAccess[] = [];
  readonly stepsPerYield: number;
  readonly maxSteps: number;
  readonly stepsPerTurn: number | undefined;
  readonly shuffles: boolean;
  /** Returns the next word with which to fill unwritten registers and memory. */
  readonly fill: () => number;
  steps = 0;
  /** The number of reads of a clock. */
  clockReads = 0;
  readonly #texts: string[] = [];
  #printedWords = 0;
  #dropped = 0;
  readonly #globalAccesses = new Map<Region, AccessHistory>();

  constructor(program: Program, launch: Launch, options: MachineOptions) {
    this.program = program;
    this.space = program.space;
    this.launch = launch;
    this.sanitize = options.sanitize ?? false;
    // The undefined bits of kept memory have no reader.
    this.tracksUndefined = this.sanitize || options.memory === undefined;
    this.log = new FindingLog(this.sanitize, options.endsAt);
    this.observe = options.observe;
    this.stepsPerYield = options.stepsPerYield ?? 4096;
    this.maxSteps = options.maxSteps ?? 50_000_000;
    this.stepsPerTurn = options.stepsPerTurn;
    this.shuffles = options.seed !== undefined;
    this.fill = options.seed === undefined ? () => 0 : randomWords(options.seed);
  }

  print(text: string, words: number): void {
    if (this.#printedWords + words > printedWords) this.#dropped++;
    else {
      this.#texts.push(text);
      this.#printedWords += words;
    }
  }

  get printed(): Printed {
    return { texts: this.#texts, dropped: this.#dropped };
  }

  globalAccesses(region: Region): AccessHistory {
    return getOrInsert(this.#globalAccesses, region, () => new AccessHistory());
  }

  /** Returns the next value of every clock. The value increases with each read. */
  tick(): bigint {
    this.clockReads++;
    return 32n * BigInt(this.clockReads) + BigInt(this.steps);
  }

  /**
   * Returns the numbers from 0 to n-1: with a seed, in a random order that is not ascending, and
   * otherwise in ascending order.
   */
  order(n: number): number[] {
    const list = Array.from({ length: n }, (_, i) => i);
    if (!this.shuffles) return list;
    for (let i = n - 1; i > 0; i--) {
      const j = this.fill() % (i + 1);
      const held = list[i] ?? 0;
      list[i] = list[j] ?? 0;
      list[j] = held;
    }
    return list.every((value, at) => value === at) ? list.reverse() : list;
  }

  /** Ends the launch by throwing `Halt`. */
  halt(code: Halt['code'], message: string): never {
    throw new Halt(code, message);
  }
}
