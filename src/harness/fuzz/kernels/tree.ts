// A generated kernel as a tree. Any tree is a valid kernel, because register numbers are reduced
// modulo their count, and the printer chooses masks and labels. So the shrinker may remove any
// part.
import type { Image } from '../../../base/image.ts';
import type { Dim3 } from '../../../base/launch.ts';
import type { FloatMixture } from './chain-values.ts';
import type { Contention } from './contentions.ts';
import type { Dialect } from './dialects.ts';
import type { Handover } from './handovers.ts';
import type { ImageTemplate } from './image-templates.ts';
import type { LaneTemplate } from './lane-template.ts';
import type { MapOrigin } from './map-origins.ts';
import type { MatrixTemplate } from './matrix-templates.ts';
import type { MatrixValues } from './matrix-values.ts';
import type { Remote } from './remotes.ts';
import type { FlagAccess, FlagSpace, Wait } from './waits.ts';
import type { WarpTemplate } from './warp-templates.ts';

/**
 * A source: a register number or a constant. `negated` applies to predicates, if the instruction
 * supports it.
 */
export interface Source {
  readonly register: number;
  readonly constant?: number;
  readonly negated?: boolean;
}

/** A predicate register that is tested. */
export interface Condition {
  readonly register: number;
  readonly negated: boolean;
}

/** A set of lane numbers as a mask, the same in all warps. */
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
  /** The number of the predicate register; undefined for a form without `|p`. */
  readonly p?: number;
  readonly a: Source;
  readonly b: Source;
  readonly c: Source;
  /** Whether the membermask is in a register, even if it is statically known. */
  readonly maskRegister: boolean;
}

export interface WarpStatement {
  readonly kind: 'warp';
  readonly template: WarpTemplate;
  readonly operands: WarpOperands;
  readonly guard?: Condition | LaneSet;
}

/**
 * The condition of a branch.
 * - `lane`: a predicate register, for each lane separately.
 * - `block`, `warp`: a bit of the block's or the warp's number.
 * - `vote`: vote.sync of a predicate register, so the condition is the same in all lanes that reach
 * the branch.
 * - `lanes`: a set of lanes, so the membermasks of both arms are statically known.
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

/**
 * The trip count of a loop: `count`; the low two bits of a register, for each lane; or the minimum
 * of these bits over all lanes that reach the loop.
 */
export type Trips =
  | { readonly kind: 'constant'; readonly count: number }
  | { readonly kind: 'lane' | 'redux'; readonly register: number };

/**
 * A loop. `quiet` loops contain no statement that waits, so lanes may leave them anywhere. Other
 * loops maintain the mask of the lanes that are still inside.
 */
export interface LoopStatement {
  readonly kind: 'loop';
  readonly trips: Trips;
  readonly testLast: boolean;
  readonly quiet: boolean;
  readonly body: readonly Statement[];
  /** The condition under which lanes leave in the middle of the loop. `rest` follows. */
  readonly leave?: Condition;
  readonly rest: readonly Statement[];
}

/** Leaves the innermost quiet loop. */
export interface LeaveStatement {
  readonly kind: 'leave';
  readonly on: Condition;
}

/** Some threads store their registers and end. */
export interface ExitStatement {
  readonly kind: 'exit';
  readonly on: Condition;
  /**
   * Whether the threads branch to the kernel's end. Otherwise they store their registers and `exit`
   * in place.
   */
  readonly branch: boolean;
}

/**
 * Statements that all lanes reach together. Each membermask in `body` names the lanes with the same
 * low bits of a register.
 */
export interface GroupsStatement {
  readonly kind: 'groups';
  readonly register: number;
  readonly bits: number;
  readonly body: readonly Statement[];
}

/**
 * A branch whose arms execute the same warp instruction, each with a copy of its own, under a mask
 * of both arms.
 */
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
  /** The first arm repeats the first meeting in a loop; the other arm is unrolled. */
  readonly rounds: number;
}

/**
 * A `brx.idx` on a register's low bits. Each arm has a mask of its own lanes. A uniform switch uses
 * the block's number, so all threads of a block stay together.
 */
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
 * Threads pass a value through shared memory to other threads of the block or to other active
 * lanes, or they add to another thread's cell. With `arrivals`, some warps wait and other warps
 * only arrive.
 */
export interface ExchangeStatement {
  readonly kind: 'exchange';
  readonly among: 'block' | 'lanes' | 'atomic' | 'arrivals';
  /** The barrier of `block` and `atomic`. */
  readonly barrier: string;
  /** The barrier at which warps only arrive. */
  readonly arrival: string;
  /** For `atomic`: the operation of its `red` instruction. */
  readonly operation: string;
  readonly d: number;
  readonly a: Source;
  readonly from: Source;
}

/**
 * Threads of a block concurrently change each other's cells, in shared memory or in a buffer, and
 * read them after a barrier.
 */
export interface ContendStatement {
  readonly kind: 'contend';
  readonly contention: Contention;
  readonly space: Contention['spaces'][number];
  readonly barrier: string;
  readonly d: number;
  readonly a: number;
  /** The register that selects the cell and its initial value. */
  readonly from: number;
}

/** Threads of a block pass words through an mbarrier or asynchronous copies. */
export interface HandoverStatement {
  readonly kind: 'handover';
  readonly how: Handover;
  readonly d: number;
  readonly a: number;
  readonly from: number;
  /** A number that selects among the forms of the instructions. */
  readonly form: number;
}

/** Threads or warps of a block wait for each other on flags in memory. */
export interface WaitStatement {
  readonly kind: 'wait';
  readonly how: Wait;
  readonly access: FlagAccess;
  readonly space: FlagSpace;
  readonly d: number;
  readonly a: number;
  /** A number that selects scopes, the shapes of loops, and the order in which threads wait. */
  readonly form: number;
}

/** A copy of a box of a tensor, by the first thread of a block. */
export interface BoxStatement {
  readonly kind: 'box';
  /** The name of the instruction's row. */
  readonly row: string;
  readonly d: number;
  readonly from: number;
  /** A number that selects the form of the instruction, the tensor, the box and changes of the map. */
  readonly form: number;
  readonly map: MapOrigin;
}

/** A product of a warpgroup. */
export interface WarpgroupStatement {
  readonly kind: 'warpgroup';
  /** The name of the instruction's row. */
  readonly row: string;
  readonly d: number;
  readonly from: number;
  /** A number that selects the form of the instruction and the layouts of the matrices. */
  readonly form: number;
}

/**
 * Threads access the shared memory of other blocks of their cluster, between barriers of the
 * cluster.
 */
export interface ClusterStatement {
  readonly kind: 'cluster';
  readonly how: Remote;
  readonly d: number;
  readonly a: number;
  readonly from: number;
  /** A number that selects the blocks, and the forms of the instructions. */
  readonly form: number;
}

/**
 * A call of one of the kernel's functions: directly by name, through a table indexed by a register,
 * or of a function without parameters and results.
 */
export interface CallStatement {
  readonly kind: 'call';
  readonly how: 'name' | 'table' | 'nothing';
  readonly index: number;
  readonly d: number;
  readonly a: number;
  readonly b: number;
}

/**
 * A trap that ends the launch if the condition is true in a thread that reaches it. Without a
 * condition, the trap never executes.
 */
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

/**
 * A matrix instruction of the whole warp. Its registers begin at `from`, and are `step` apart. All
 * results are combined into `d`.
 */
export interface MatrixStatement {
  readonly kind: 'matrix';
  readonly template: MatrixTemplate;
  readonly d: number;
  readonly from: number;
  readonly step: number;
  /** The values of the operands of floating-point products. */
  readonly values: MatrixValues;
}

/**
 * An instruction on a separate texture or surface. Coordinates and values are registers that begin
 * at `from`, and are `step` apart; `wild` coordinates are arbitrary floats. All results are
 * combined into `d`.
 */
export interface ImageStatement {
  readonly kind: 'image';
  readonly template: ImageTemplate;
  readonly image: Image;
  readonly name: string;
  /** The seed of the texels. */
  readonly seed: number;
  readonly d: number;
  readonly from: number;
  readonly step: number;
  readonly wild: boolean;
}

/**
 * An operand of an f32 chain: one of its sums, a loaded value, a register of the kernel, or a
 * constant.
 */
export type ChainOperand =
  | { readonly kind: 'sum' | 'value' | 'register'; readonly index: number }
  | { readonly kind: 'constant'; readonly bits: number };

/** One operation of a chain. It reads as many of the sources as it has operands. */
export interface ChainLink {
  readonly operation: string;
  readonly d: number;
  readonly sources: readonly ChainOperand[];
  readonly guard?: Condition;
}

/**
 * A chain of f32 operations on earlier results, in rounds of a loop. All sums affect the kernel's
 * output.
 * - `once`, `each`, `vector`: values are loaded from a buffer, before the loop or in each round,
 * separately or as a vector.
 * - `shared`: threads store values into shared memory before the loop, and load other threads'
 * values in each round.
 * - `passed`: each round passes a sum to another thread through shared memory.
 */
export interface ChainStatement {
  readonly kind: 'chain';
  /** The name of the chain's buffer, the kind of its values, and their seed. */
  readonly name: string;
  readonly values: FloatMixture;
  readonly seed: number;
  readonly trips: Extract<Trips, { kind: 'constant' }> | { readonly kind: 'lane'; readonly register: number };
  readonly loads: 'once' | 'each' | 'vector' | 'shared' | 'passed';
  readonly starts: readonly ChainOperand[];
  /** The distance between the values of consecutive threads. */
  readonly stride: number;
  readonly links: readonly ChainLink[];
  readonly d: number;
}

/**
 * A function: statements without memory accesses, on the function's own registers. It has two
 * parameters and one result, each a word. A recursive function calls itself a few times.
 */
export interface FuzzFunction {
  readonly body: readonly LaneStatement[];
  readonly recursive: boolean;
  /**
   * The variables of the function in local memory. With `dynamic`, the function reads a variable at
   * a computed offset.
   */
  readonly frame: 'none' | 'constant' | 'dynamic';
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
  | BoxStatement
  | WarpgroupStatement
  | ClusterStatement
  | ImageStatement
  | ChainStatement;

export interface FuzzKernel {
  readonly id: string;
  readonly dialect: Dialect;
  readonly block: Dim3;
  readonly blocks: number;
  /** The number of blocks of a cluster, if it is not 1. It divides the number of blocks. */
  readonly cluster?: number;
  /** The contents of the input: random words with this seed, or plain numbers. */
  readonly data: number | 'plain';
  /**
   * The names of registers, labels and variables: plain names, or names that may confuse a
   * translator, drawn with this seed.
   */
  readonly names: number | 'plain';
  readonly body: readonly Statement[];
  readonly functions: readonly FuzzFunction[];
  /**
   * The number of bytes of dynamic shared memory before the cells and tiles, which are then dynamic,
   * too. Absent: they are variables.
   */
  readonly farBytes?: number;
}
