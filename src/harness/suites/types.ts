// What a validation suite is: kernels around instructions, and what each lane must get.
import type { Launch } from '../../base/launch.ts';
import type { Geometry } from './geometry.ts';

/**
 * One instruction (a row with its modifiers) in one form, over many warps. Case n is warp floor(n / variants),
 * instruction n % variants.
 */
export interface Suite {
  /** `row:mods:form`, or `row:form` for a row without modifiers: what a query selects. */
  readonly id: string;
  readonly row: string;
  /** `up`, `min.abs.NaN`; empty for a row without modifiers. */
  readonly mods: string;
  readonly form: string;
  /** Instructions in the kernel that differ in their immediate operands only. */
  readonly variants: number;
  /** Where native hardware is not held to the reference. */
  readonly native?: NativeNote;
}

/** A suite that every translation is held to, but whose results PTX leaves to the hardware. */
export interface NativeNote {
  /** Whether it can be run there at all. */
  readonly runs: boolean;
  readonly why: string;
}

/** Suites that share kernels, so that a shader is compiled for a dozen instructions and not for one. */
export interface SuiteGroup {
  readonly suites: readonly Suite[];
  /** Warps of a block; a launch is a whole number of blocks. */
  readonly blockWarps: number;
  /** Warps that a run takes by default, and all there are (or as many as make sense) for `--exhaustive`. */
  readonly warps: { readonly sample: number; readonly exhaustive: number };
  /** Warps of one launch at most: below a second on a software adapter. */
  readonly launchWarps: number;
  /** How long operands and expected results of one instruction in a warp take, where it is about so many times as long as those of an instruction of lanes. */
  readonly cost?: number;
  /** What names the kernel, where groups have the same one and only their data differ: who runs all of them compiles one shader. */
  readonly kernel?: string;
  /** Left out of a run that is neither `--exhaustive` nor asked for it by a query. */
  readonly onlyAsked?: boolean;
  build(choice: Choice): Batch;
}

export interface Choice {
  /** Ids of the group's suites to put into the kernel. */
  readonly ids: ReadonlySet<string>;
  /** Only this instruction of a suite with several. */
  readonly variant: number | undefined;
  /** A multiple of `blockWarps`. */
  readonly firstWarp: number;
  readonly warps: number;
  readonly seed: number;
}

/** One launch and what it must write. */
export interface Batch {
  readonly launch: Launch;
  readonly geometry: Geometry;
  readonly slots: readonly Slot[];
  /** The operands of a lane and the masks it runs under, for a report. */
  describe(slot: Slot, warp: number, lane: number): Readonly<Record<string, string>>;
  /** Which lanes take part in the instruction of `slot`, in that warp; without it, every lane that the block has. */
  roles?(slot: Slot, warp: number): WarpRoles;
  /** Of a lane whose result PTX leaves undefined: why, and the values that hardware may give it. */
  undefinedLane?(slot: Slot, warp: number, lane: number): UndefinedLane;
}

/** Lane masks of one warp at one instruction. */
export interface WarpRoles {
  readonly executing: number;
  readonly exited: number;
  /** Lanes that execute it in the other arm of a branch. */
  readonly secondArm?: number;
  /** By lane; absent for an instruction without one. */
  readonly membermask?: readonly number[];
}

/** Why PTX leaves a lane's result undefined; `source` is the lane that a shuffle names. The first that holds. */
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
 * What must be in a result of one thread:
 * - `defined`: these bits
 * - `undefined`: PTX does not say
 * - `untouched`: what was there before, since the thread writes nothing
 */
export const state = { undefined: 0, defined: 1, untouched: 2 } as const;

let defined = new Uint8Array();

/** The states of a result that every thread writes. Its slots share them: nobody may change one. */
export function everyDefined(threads: number): Uint8Array {
  if (defined.length < threads) defined = new Uint8Array(threads).fill(state.defined);
  return defined.subarray(0, threads);
}

/** One result of one instruction, in every thread of the launch. The word is at `thread * stride + offset` of buffer parameter `param`. */
export interface Slot {
  readonly suite: Suite;
  readonly variant: number;
  /** The PTX line, as it stands in the kernel. */
  readonly instruction: string;
  /** Name of the destination: `d`, `p`, or a register of a fragment. */
  readonly result: string;
  readonly param: number;
  readonly stride: number;
  readonly offset: number;
  /** By thread of the launch. */
  readonly expected: Uint32Array;
  readonly state: Uint8Array;
  /** Whether another word than the expected one is right, too, where PTX leaves the last places of a result open. */
  readonly allows?: (thread: number, got: number) => boolean;
}

export const hex = (bits: number | bigint): string =>
  `0x${bits.toString(16).padStart(typeof bits === 'bigint' ? 16 : 8, '0')}`;

/** What `roleTexts` may hold. */
export const roleNames: readonly string[] = ['executing', 'exited', 'second arm'];

/** The masks of `roles` as a mismatch tells them, beside the operands. */
export function roleTexts({ executing, exited, secondArm = 0 }: WarpRoles): Readonly<Record<string, string>> {
  return {
    executing: hex(executing),
    exited: hex(exited),
    ...(secondArm === 0 ? {} : { 'second arm': hex(secondArm) }),
  };
}
