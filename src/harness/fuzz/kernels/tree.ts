// A generated kernel as a tree. Any tree is a valid kernel: registers are counted modulo their number, and the printer chooses masks and
// labels. So a part that is taken out, as shrinking does, never leaves anything invalid behind.
import type { Image } from '../../../base/image.ts';
import type { Dim3 } from '../../../base/launch.ts';
import type { FloatMixture } from './chain-values.ts';
import type { Contention } from './contentions.ts';
import type { Dialect } from './dialects.ts';
import type { Handover } from './handovers.ts';
import type { ImageTemplate } from './image-templates.ts';
import type { LaneTemplate } from './lane-template.ts';
import type { MatrixTemplate } from './matrix-templates.ts';
import type { FlagAccess, FlagSpace, Wait } from './waits.ts';
import type { WarpTemplate } from './warp-templates.ts';

/** A source: the register of that number, or a constant. `negated` is for predicates where the instruction allows it. */
export interface Source {
  readonly register: number;
  readonly constant?: number;
  readonly negated?: boolean;
}

/** A predicate register that decides something. */
export interface Condition {
  readonly register: number;
  readonly negated: boolean;
}

/** Lanes by their numbers, as a mask: all warps have the same ones. */
export interface LaneSet {
  readonly lanes: number;
}

export interface LaneStatement {
  readonly kind: 'lane';
  readonly template: LaneTemplate;
  readonly results: readonly number[];
  readonly sources: readonly Source[];
  readonly guard?: Condition;
}

/** Operands of a warp instruction, by the row's names. */
export interface WarpOperands {
  readonly d: number;
  /** Absent: without `|p`. */
  readonly p?: number;
  readonly a: Source;
  readonly b: Source;
  readonly c: Source;
  /** The member mask from a register, even where it is known when the kernel is written. */
  readonly maskRegister: boolean;
}

export interface WarpStatement {
  readonly kind: 'warp';
  readonly template: WarpTemplate;
  readonly operands: WarpOperands;
  readonly guard?: Condition | LaneSet;
}

/**
 * What decides a branch:
 * - `lane`: a predicate register, each lane for itself
 * - `block`, `warp`: a bit of the block's or the warp's number
 * - `vote`: vote.sync of a predicate register, so the same in all lanes that come
 * - `lanes`: the lane is one of a set, so the member masks of both arms are known when the kernel is written
 */
export type Decision =
  | { readonly kind: 'lane'; readonly on: Condition }
  | { readonly kind: 'block' | 'warp'; readonly bit: number }
  | { readonly kind: 'vote'; readonly mode: 'all' | 'any' | 'uni'; readonly on: Condition }
  | ({ readonly kind: 'lanes' } & LaneSet);

export interface IfStatement {
  readonly kind: 'if';
  readonly decision: Decision;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

/** How often a loop runs: `count` times; as often as a register's low two bits say, per lane; or that of the minimum over all lanes that come. */
export type Trips =
  | { readonly kind: 'constant'; readonly count: number }
  | { readonly kind: 'lane' | 'redux'; readonly register: number };

/** `quiet` loops hold nothing that waits, so lanes may leave them from anywhere; others keep the mask of the lanes still in them. */
export interface LoopStatement {
  readonly kind: 'loop';
  readonly trips: Trips;
  readonly testLast: boolean;
  readonly quiet: boolean;
  readonly body: readonly Statement[];
  /** Some lanes leave in the middle; `rest` follows. */
  readonly leave?: Condition;
  readonly rest: readonly Statement[];
}

/** Leaves the innermost loop that is quiet. */
export interface LeaveStatement {
  readonly kind: 'leave';
  readonly on: Condition;
}

/** Some threads end, after storing their registers. */
export interface ExitStatement {
  readonly kind: 'exit';
  readonly on: Condition;
  /** By a branch to the kernel's end, or with stores and `exit` in place. */
  readonly branch: boolean;
}

/** All lanes come to `body` together, with member masks of those that share the low bits of a register. */
export interface GroupsStatement {
  readonly kind: 'groups';
  readonly register: number;
  readonly bits: number;
  readonly body: readonly Statement[];
}

/** Both arms of a branch come to the same warp instruction, each to its own copy, under the mask of both. */
export interface Meeting {
  readonly template: WarpTemplate;
  readonly before: readonly Statement[];
  readonly operands: WarpOperands;
  readonly otherBefore: readonly Statement[];
  readonly otherOperands: WarpOperands;
}

export interface ArmsStatement {
  readonly kind: 'arms';
  readonly on: Condition;
  readonly meetings: readonly Meeting[];
  /** The first arm repeats the first meeting in a loop; the other arm is written out. */
  readonly rounds: number;
}

/** `brx.idx` on a register's low bits; each arm has a group of its own. A uniform one is on those of the block's number, and all its threads stay together. */
export interface SwitchStatement {
  readonly kind: 'switch';
  readonly uniform: boolean;
  readonly register: number;
  readonly cases: readonly (readonly Statement[])[];
}

/** A loop that some lanes enter in the middle. */
export interface TangleStatement {
  readonly kind: 'tangle';
  readonly into: Condition;
  readonly count: number;
  readonly first: readonly Statement[];
  readonly second: readonly Statement[];
}

/**
 * Threads pass a value on through shared memory: to others of the block, or of the lanes that come; or add to a cell of another thread.
 * Of `arrivals` some warps wait, and others only arrive.
 */
export interface ExchangeStatement {
  readonly kind: 'exchange';
  readonly among: 'block' | 'lanes' | 'atomic' | 'arrivals';
  /** The barrier of `block` and `atomic`. */
  readonly barrier: string;
  /** At which warps arrive. */
  readonly arrival: string;
  /** Of `atomic`: red's operation. */
  readonly operation: string;
  readonly d: number;
  readonly a: Source;
  readonly from: Source;
}

/** Threads of a block change cells of each other at once, in shared memory or in their part of a buffer, and read them after a barrier. */
export interface ContendStatement {
  readonly kind: 'contend';
  readonly contention: Contention;
  readonly space: Contention['spaces'][number];
  readonly barrier: string;
  readonly d: number;
  readonly a: number;
  /** Says whose cell, and with what it starts. */
  readonly from: number;
}

/** Threads of a block hand words on by a barrier in memory, or by copies. */
export interface HandoverStatement {
  readonly kind: 'handover';
  readonly how: Handover;
  readonly d: number;
  readonly a: number;
  readonly from: number;
  /** Chooses among the forms of its instructions. */
  readonly form: number;
}

/** Threads or warps of a block wait for each other by flags in memory. */
export interface WaitStatement {
  readonly kind: 'wait';
  readonly how: Wait;
  readonly access: FlagAccess;
  readonly space: FlagSpace;
  readonly d: number;
  readonly a: number;
  /** Chooses scopes, the shapes of loops, and which threads wait for which. */
  readonly form: number;
}

/** Calls one of the kernel's functions: by name, or through a table at a place that a register says; or one that takes and gives nothing. */
export interface CallStatement {
  readonly kind: 'call';
  readonly how: 'name' | 'table' | 'nothing';
  readonly index: number;
  readonly d: number;
  readonly a: number;
  readonly b: number;
}

/** Ends the launch where a thread comes here for which the condition holds; without one, none does. */
export interface TrapStatement {
  readonly kind: 'trap';
  readonly on?: Condition;
}

/** Prints a line of text. */
export interface PrintStatement {
  readonly kind: 'print';
  readonly format: number;
  readonly sources: readonly number[];
}

/** An instruction of the whole warp on matrices, whose registers are those from `from` on, `step` from each to the next; `d` is changed by all results. */
export interface MatrixStatement {
  readonly kind: 'matrix';
  readonly template: MatrixTemplate;
  readonly d: number;
  readonly from: number;
  readonly step: number;
  /** Of products of floating point: addends are subnormal and products are 0, so that each result is its addend. */
  readonly subnormal?: true;
}

/**
 * An instruction on a texture or surface that no other has. Coordinates and values are registers from `from` on, `step` from each to the next; `wild`
 * ones are floats as they are. `d` is changed by all results.
 */
export interface ImageStatement {
  readonly kind: 'image';
  readonly template: ImageTemplate;
  readonly image: Image;
  readonly name: string;
  /** Of the texels. */
  readonly seed: number;
  readonly d: number;
  readonly from: number;
  readonly step: number;
  readonly wild: boolean;
}

/** What a chain of f32 computes with: a sum that it passes on, a value that it loaded, a register of the kernel's, or a constant. */
export type ChainOperand =
  | { readonly kind: 'sum' | 'value' | 'register'; readonly index: number }
  | { readonly kind: 'constant'; readonly bits: number };

/** One operation of a chain; as many of its sources count as the operation has. */
export interface ChainLink {
  readonly operation: string;
  readonly d: number;
  readonly sources: readonly ChainOperand[];
  readonly guard?: Condition;
}

/**
 * Operations on f32, each on results of those before it, in rounds of a loop. All sums show in the end.
 * - `once`, `each`, `vector`: values are loaded from a buffer, before the loop or in each round, one by one or together
 * - `shared`: threads put values into shared memory before, and take those of others in each round
 * - `passed`: a sum goes to another thread by shared memory in each round
 */
export interface ChainStatement {
  readonly kind: 'chain';
  /** Of its buffer, what that holds, and with which seed. */
  readonly name: string;
  readonly values: FloatMixture;
  readonly seed: number;
  readonly trips: Extract<Trips, { kind: 'constant' }> | { readonly kind: 'lane'; readonly register: number };
  readonly loads: 'once' | 'each' | 'vector' | 'shared' | 'passed';
  readonly starts: readonly ChainOperand[];
  /** From a thread's values to the next one's. */
  readonly stride: number;
  readonly links: readonly ChainLink[];
  readonly d: number;
}

/** Statements that name no memory, on registers of the function's own. It takes two words and gives one; a recursive one calls itself a few times. */
export interface FuzzFunction {
  readonly body: readonly LaneStatement[];
  readonly recursive: boolean;
}

export type Statement =
  | LaneStatement
  | WarpStatement
  | IfStatement
  | LoopStatement
  | LeaveStatement
  | ExitStatement
  | GroupsStatement
  | ArmsStatement
  | SwitchStatement
  | TangleStatement
  | ExchangeStatement
  | ContendStatement
  | HandoverStatement
  | WaitStatement
  | CallStatement
  | PrintStatement
  | TrapStatement
  | MatrixStatement
  | ImageStatement
  | ChainStatement;

export interface FuzzKernel {
  readonly id: string;
  readonly dialect: Dialect;
  readonly block: Dim3;
  readonly blocks: number;
  /** Contents of the input: random ones of this seed, or plain numbers. */
  readonly data: number | 'plain';
  /** Names of registers, labels and variables: drawn with this seed from those that a translator may trip over, or plain ones. */
  readonly names: number | 'plain';
  readonly body: readonly Statement[];
  readonly functions: readonly FuzzFunction[];
}
