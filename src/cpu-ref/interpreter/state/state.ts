// The interfaces between the parts of the interpreter: decoded instructions, and the warps, blocks
// and machine that execute them. The classes are in warp.ts, block.ts and machine.ts. Code that
// only uses the state of these classes imports this file instead.
import type { Launch } from '../../../base/launch.ts';
import type { LoopOrder } from '../../../base/loop-order.ts';
import type { ServiceName } from '../../../isa/index.ts';
import type { Instruction, Span } from '../../../ptx/ast.ts';
import type { WarpFunction } from '../../types.ts';
import type { CollectiveRowName } from '../../warp/index.ts';
import type { Access } from '../memory/access.ts';
import type { AddressSpace } from '../memory/address-space.ts';
import type { Destination, FunctionLayout, Place, Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import type { BlockClocks, Moment } from './clocks.ts';
import type { Dim3, FindingLog, FindingPlace, Halt } from './findings.ts';
import type { Frame } from './frame.ts';
import type { Mbarrier } from './mbarrier.ts';
import type { PendingCopies } from './pending-copies.ts';
import type { PendingProducts } from './pending-products.ts';
import type { ProxyFences } from './proxy-fences.ts';
import type { AccessHistory } from './races.ts';
import type { RegisterFences } from './register-fences.ts';
import type { Observer, StepAccess } from './step-event.ts';

/** Executes an instruction that neither branches nor waits, in `lanes` of a frame. */
export type Exec = (warp: Warp, frame: Frame, lanes: number) => void;

/**
 * Executes an instruction that lanes repeat until it succeeds. Returns the lanes in which it
 * succeeds.
 */
export type Look = (warp: Warp, frame: Frame, lanes: number) => number;

export interface WarpWork {
  /**
   * The common operation of the lanes. `exchange`: the function computes the results of all lanes
   * from the operands of all lanes. `access`: the lanes perform a memory access together.
   */
  readonly does:
    | { readonly kind: 'exchange'; readonly row: CollectiveRowName; readonly fn: WarpFunction }
    | { readonly kind: 'access'; readonly exec: (warp: Warp, lanes: number) => void };
  /**
   * A number that identifies the row and its qualifiers. Lanes wait for lanes with the same key and
   * membermask.
   */
  readonly key: number;
  readonly sources: readonly { readonly name: string; readonly source: Source }[];
  readonly destinations: readonly { readonly name: string; readonly destination: Destination | undefined }[];
  /** The membermask; undefined for instructions without `.sync`. */
  readonly membermask: Source | undefined;
}

export interface BarrierWork {
  readonly id: Source;
  readonly count: Source | undefined;
  readonly waits: boolean;
  readonly aligned: boolean;
  readonly reduction:
    | { readonly op: 'popc' | 'and' | 'or'; readonly predicate: Source; readonly destination: Destination | undefined }
    | undefined;
}

/** An arrival or a wait at the cluster's barrier. */
export interface ClusterBarrierWork {
  readonly waits: boolean;
  /** Whether an arrival releases the thread's earlier accesses. */
  readonly releases: boolean;
}

/**
 * The location of an argument or result in the caller or in the callee. A stack offset is relative
 * to the frame of that function.
 */
export type Passed =
  | { readonly kind: 'stack'; readonly offset: number; readonly bytes: number }
  | { readonly kind: 'value'; readonly place: Place; readonly bytes: number };

export interface CallWork {
  /** The index of the callee in the program. */
  readonly callee: number;
  /**
   * Pairs of a location in the caller's frame and a location in the callee's frame. Arguments are
   * copied to the callee, and results to the caller.
   */
  readonly args: readonly (readonly [Passed, Passed])[];
  readonly results: readonly (readonly [Passed, Passed])[];
}

/** A call of a runtime function: the caller's arguments, and the locations for its results. */
export interface ServiceWork {
  readonly service: ServiceName;
  readonly args: readonly Passed[];
  readonly results: readonly Passed[];
}

export type Work =
  | { readonly kind: 'plain'; readonly exec: Exec }
  | { readonly kind: 'look'; readonly look: Look }
  | { readonly kind: 'branch'; readonly target: number }
  | { readonly kind: 'indexed'; readonly index: Source; readonly targets: readonly number[] }
  | { readonly kind: 'call'; readonly call: CallWork }
  | { readonly kind: 'indirect'; readonly address: Source; readonly calls: ReadonlyMap<bigint, CallWork> }
  | { readonly kind: 'service'; readonly service: ServiceWork }
  | { readonly kind: 'return' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap' }
  | { readonly kind: 'warp'; readonly warp: WarpWork }
  | { readonly kind: 'barrier'; readonly barrier: BarrierWork }
  | { readonly kind: 'cluster'; readonly barrier: ClusterBarrierWork }
  /** Waits for the products of a warpgroup, except those of the last `kept` groups. */
  | { readonly kind: 'products'; readonly kept: number };

/** A decoded instruction, whose operands are places in a frame. */
export interface Op {
  readonly work: Work;
  /** The executor of `plain` work, for fast access; undefined for all other work. */
  readonly exec: Exec | undefined;
  /** The instruction; undefined for the implicit return at the end of a function. */
  readonly instruction: Instruction | undefined;
  readonly span: Span;
  /** The index of the function in the program. */
  readonly fn: number;
  readonly guard: Source | undefined;
  /**
   * The sources of which any undefined bit may make the whole result undefined, for the sanitizer.
   */
  readonly reads: readonly Source[];
  /** The destinations. They become undefined if the guard is undefined. */
  readonly writes: readonly Destination[];
  /**
   * The taint indexes of all registers that the instruction accesses, if the run checks the
   * registers of products of warpgroups.
   */
  readonly registers: readonly number[] | undefined;
}

export interface DecodedFunction {
  readonly layout: FunctionLayout;
  /** The index of the first instruction in `ops`. */
  readonly start: number;
}

export interface Program {
  readonly ops: readonly Op[];
  /** The functions. The entry is the first. */
  readonly functions: readonly DecodedFunction[];
  readonly space: AddressSpace;
  /** The size of a cluster in blocks. */
  readonly cluster: Dim3;
  /**
   * The order in which waiting lanes continue, by instruction index; undefined if no lane waits for
   * this order.
   */
  readonly turns: LoopOrder | undefined;
}

/** The state of a launch that all its blocks share. */
export interface Machine {
  readonly program: Program;
  readonly space: AddressSpace;
  readonly launch: Launch;
  readonly log: FindingLog;
  readonly sanitize: boolean;
  /** Whether memory records which of its bits are undefined. */
  readonly tracksUndefined: boolean;
  readonly observe: Observer | undefined;
  /** The accesses since the last step, recorded only if there is an observer. */
  readonly accesses: StepAccess[];
  readonly stepsPerYield: number;
  readonly maxSteps: number;
  readonly stepsPerTurn: number | undefined;
  readonly shuffles: boolean;
  /** Returns the next word with which to fill unwritten registers and memory. */
  readonly fill: () => number;
  /** Returns the access history of a buffer or global variable. */
  globalAccesses(region: Region): AccessHistory;
  steps: number;
  /**
   * Appends a printed text, which uses `words` words of the launch's limit. If the limit is
   * exceeded, the text is not appended.
   */
  print(text: string, words: number): void;
  /** Returns the next value of every clock. The value increases with each read. */
  tick(): bigint;
  /**
   * Returns the numbers from 0 to n-1, with a seed in a random order, and otherwise in ascending
   * order.
   */
  order(n: number): number[];
  /** Ends the launch by throwing `Halt`. */
  halt(code: Halt['code'], message: string): never;
}

/** The part of the state of a block's barrier that reports contain. */
export interface BarrierState {
  readonly id: number;
  /**
   * Lane masks, by warp: the lanes that have arrived in this phase, and the lanes among them that
   * wait.
   */
  readonly arrived: Int32Array;
  readonly waiting: Int32Array;
  /** The number of threads for which the barrier waits; 0 means the whole block. */
  readonly expected: number;
  count(warps: readonly Warp[]): number;
}

/** The part of the state of the cluster's barrier that reports contain. */
export interface ClusterBarrierState {
  /** Lane masks, by block and by warp. */
  readonly arrived: readonly Int32Array[];
  readonly waiting: readonly Int32Array[];
}

/** An access of a block's shared memory by a thread of another block of its cluster. */
export interface Visit extends Moment {
  readonly access: Access;
  readonly place: FindingPlace;
}

/** Blocks that run together and access each other's shared memory, in the order of their ranks. */
export interface Cluster {
  readonly blocks: readonly Block[];
  readonly barrier: ClusterBarrierState;
}

export interface Block {
  readonly machine: Machine;
  readonly cluster: Cluster;
  /** The number of the block in its cluster. */
  readonly rank: number;
  readonly position: Dim3;
  readonly firstGlobalThread: number;
  readonly shared: Region;
  readonly warps: readonly Warp[];
  readonly barriers: readonly BarrierState[];
  /** The vector clocks; undefined unless the run sanitizes. */
  readonly clocks: BlockClocks | undefined;
  /** The fences between proxies; undefined unless the run sanitizes. */
  readonly proxyFences: ProxyFences | undefined;
  readonly sharedAccesses: AccessHistory;
  /** Whether all threads have exited. */
  readonly done: boolean;
  /** Records an access of this block's shared memory by a thread of another block. */
  noteVisit(visit: Visit): void;
  readonly copies: PendingCopies;
  readonly products: PendingProducts;
  /** By warp: the lanes that wait for products. */
  readonly productWaits: { readonly waiting: Int32Array };
  /** The mbarrier objects, by offset in shared memory. */
  readonly mbarriers: Map<number, Mbarrier>;
  /** Executes a barrier instruction for `lanes`, which are all at this instruction. */
  arrive(warp: Warp, op: Op, work: BarrierWork, frame: Frame, lanes: number): void;
  /**
   * Executes an instruction on the cluster's barrier for `lanes`, which are all at this
   * instruction.
   */
  come(warp: Warp, op: Op, work: ClusterBarrierWork, lanes: number): void;
  /** Executes a wait for products for `lanes`, which are all at this instruction. */
  waitForProducts(warp: Warp, kept: number, lanes: number): void;
  /**
   * Completes every barrier at which all expected threads have arrived. Called after arrivals and
   * exits.
   */
  completeBarriers(): void;
  /** Ends the launch because it has executed the maximum number of steps. */
  timeout(): never;
}

/**
 * A warp: 32 lanes, each with its own program counter. Masks have one bit per lane. Lanes without a
 * thread count as exited.
 */
export interface Warp {
  readonly machine: Machine;
  readonly block: Block;
  readonly index: number;
  /** The index of lane 0's thread in the block, and the index in the grid. */
  readonly firstThread: number;
  readonly firstGlobalThread: number;
  readonly pc: Int32Array;
  readonly depth: Int32Array;
  exited: number;
  runnable: number;
  /** The lanes that wait at a `.sync` instruction for lanes with the same key and membermask. */
  atSync: number;
  readonly syncKey: Int32Array;
  readonly syncMask: Int32Array;
  /**
   * The lanes that wait, until no other lane can advance, at a warp instruction without `.sync` or
   * at the head of a loop.
   */
  atConverge: number;
  /**
   * For each lane that waits at the head of a loop, the rank in the order of waiting lanes; -1 for
   * other lanes.
   */
  readonly turn: Int32Array;
  atBarrier: number;
  /** The lanes whose carry flag (CC.CF) is set, and the lanes in which the flag is undefined. */
  carry: number;
  carryUndefined: number;
  /**
   * The number of polling loads and atomics that the current group has executed. A group that polls
   * memory may be waiting for other lanes.
   */
  polls: number;
  /** The accesses of registers since the warp's last `wgmma.fence`. */
  readonly fences: RegisterFences;
  /** The mask of lanes whose thread exists and has not exited. */
  readonly live: number;
  readonly done: boolean;
  place(lanes: number): FindingPlace;
  /** Returns the registers of function `fn` at a call depth. */
  frame(depth: number, fn: number): Frame;
  frameOf(lane: number): Frame;
  /** Returns the instruction at a lane's program counter. */
  opOf(lane: number): Op;
  /** Returns a lane's local memory, which contains its stack. */
  local(lane: number): Region;
  /** Returns the region that a lane accesses in a state space other than global. */
  regionOf(space: Region['space'], lane: number): Region;
  setPc(lanes: number, pc: number): void;
}
