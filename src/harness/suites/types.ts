// The types of validation suites: kernels around instructions, and the expected results of each
// lane.
import type { Launch } from '../../base/launch.ts';
import type { MatrixMode } from '../../base/matrix-mode.ts';
import type { Geometry } from './geometry.ts';

/**
 * One instruction (a row with its modifiers) in one form, over many warps. Case n is instruction n
 * % variants in warp floor(n / variants).
 */
export interface Suite {
  /** The id that queries select: `row:mods:form`, or `row:form` for a row without modifiers. */
  readonly id: string;
  readonly row: string;
  /** The modifiers, for example `up` or `min.abs.NaN`; empty for a row without modifiers. */
  readonly mods: string;
  readonly form: string;
  /** The number of the kernel's instructions that differ only in their immediate operands. */
  readonly variants: number;
  /** Present if the results of native hardware may differ from the reference. */
  readonly native?: NativeNote;
}

/**
 * A note for suites whose results PTX leaves to the hardware. Every translation must still match
 * the reference.
 */
export interface NativeNote {
  /** Whether native hardware can run the suite. */
  readonly runs: boolean;
  readonly why: string;
}

/** Suites that share kernels, so that each shader tests about a dozen instructions. */
export interface SuiteGroup {
  readonly suites: readonly Suite[];
  /** The number of warps in a block. A launch consists of whole blocks. */
  readonly blockWarps: number;
  /**
   * The numbers of warps in a default run and in an `--exhaustive` run: all warps, or as many as
   * are useful.
   */
  readonly warps: { readonly sample: number; readonly exhaustive: number };
  /**
   * The maximum number of warps in one launch, which takes less than a second on a software
   * adapter.
   */
  readonly launchWarps: number;
  /**
   * The cost of computing the operands and expected results of one instruction in a warp, relative
   * to the cost of an instruction whose lanes are independent.
   */
  readonly cost?: number;
  /**
   * The kernel's name, for groups that share a kernel and differ only in their data. A run compiles
   * the shader of such groups once.
   */
  readonly kernel?: string;
  /**
   * Whether a run excludes the group, unless the run is `--exhaustive` or a query selects the
   * group.
   */
  readonly onlyAsked?: boolean;
  build(choice: Choice): Batch;
}

export interface Choice {
  /** The ids of the group's suites to include in the kernel. */
  readonly ids: ReadonlySet<string>;
  /** The number of the only variant to include; undefined to include all variants. */
  readonly variant: number | undefined;
  /** The number of the first warp, a multiple of `blockWarps`. */
  readonly firstWarp: number;
  readonly warps: number;
  readonly seed: number;
}

/**
 * The matrix mode of an executor: how the executor adds products, if its results equal those of a
 * mode bit by bit.
 */
export interface ExecutorSums {
  readonly matrix?: MatrixMode | undefined;
}

/** One launch and its expected results. */
export interface Batch {
  readonly launch: Launch;
  readonly geometry: Geometry;
  readonly slots: readonly Slot[];
  /** Returns a lane's operands and the masks in effect, for a report. */
  describe(slot: Slot, warp: number, lane: number): Readonly<Record<string, string>>;
  /**
   * Returns the lanes that take part in the instruction of `slot` in a warp. Without this method,
   * every lane of the block takes part.
   */
  roles?(slot: Slot, warp: number): WarpRoles;
  /** Returns why PTX leaves a lane's result undefined, and the values that hardware may return. */
  undefinedLane?(slot: Slot, warp: number, lane: number): UndefinedLane;
}

/** The lane masks of one warp at one instruction. */
export interface WarpRoles {
  readonly executing: number;
  readonly exited: number;
  /** The lanes that execute the same instruction in the other arm of a branch. */
  readonly secondArm?: number;
  /** The membermask of each lane, if the instruction has a membermask. */
  readonly membermask?: readonly number[];
}

/**
 * The reasons why PTX does not define a lane's result. A report contains the first reason that
 * applies. `source` is the lane that a shuffle names.
 */
export const undefinedCauses = [
  'not in its own membermask',
  'source does not exist',
  'source has exited',
  'source predicated off',
  'source on another path',
  'source in another membermask',
  'joined by lanes outside its membermask',
  'left to the hardware',
] as const;
export type UndefinedCause = (typeof undefinedCauses)[number];

export interface UndefinedLane {
  readonly cause: UndefinedCause;
  /** The lane's own first operand. */
  readonly own?: number;
  /** The first operand of the lane that a shuffle names, whether or not that lane takes part. */
  readonly source?: number;
}

/**
 * The requirement on one thread's result:
 * - `defined`: the result has the expected bits
 * - `undefined`: PTX does not define the result
 * - `untouched`: the result has its previous value, because the thread does not write it
 */
export const state = { undefined: 0, defined: 1, untouched: 2 } as const;

let defined = new Uint8Array();

/**
 * Returns the states of a result that every thread writes. Slots share the array, so callers must
 * not modify it.
 */
export function everyDefined(threads: number): Uint8Array {
  if (defined.length < threads) defined = new Uint8Array(threads).fill(state.defined);
  return defined.subarray(0, threads);
}

/**
 * One result of one instruction, in every thread of the launch. The word is at `thread * stride +
 * offset` of buffer parameter `param`.
 */
export interface Slot {
  readonly suite: Suite;
  readonly variant: number;
  /** The line of the kernel's PTX that contains the instruction. */
  readonly instruction: string;
  /** The name of the destination: `d`, `p`, or a register of a fragment. */
  readonly result: string;
  readonly param: number;
  readonly stride: number;
  readonly offset: number;
  /** The expected word of each thread of the launch. */
  readonly expected: Uint32Array;
  readonly state: Uint8Array;
  /**
   * Whether a word other than the expected one is also correct, because PTX does not define a
   * result's last bits.
   */
  readonly allows?: (thread: number, got: number, executor: ExecutorSums) => boolean;
}

export const hex = (bits: number | bigint): string =>
  `0x${bits.toString(16).padStart(typeof bits === 'bigint' ? 16 : 8, '0')}`;

/** The possible keys of `roleTexts`. */
export const roleNames: readonly string[] = ['executing', 'exited', 'second arm'];

/** Returns the masks of `roles` as texts for a mismatch report. */
export function roleTexts({ executing, exited, secondArm = 0 }: WarpRoles): Readonly<Record<string, string>> {
  return {
    executing: hex(executing),
    exited: hex(exited),
    ...(secondArm === 0 ? {} : { 'second arm': hex(secondArm) }),
  };
}
