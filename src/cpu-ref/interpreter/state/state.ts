// What the parts of the interpreter know of each other: decoded instructions, and the warps, blocks and machine that run them. The classes
// are in warp.ts, block.ts and machine.ts; whoever only works on their state needs no more than this.
import type { Launch } from '../../../base/launch.ts';
import type { LoopOrder } from '../../../base/loop-order.ts';
import type { ServiceName } from '../../../isa/index.ts';
import type { Instruction, Span } from '../../../ptx/ast.ts';
import type { WarpFunction } from '../../types.ts';
import type { CollectiveRowName } from '../../warp/index.ts';
import type { AddressSpace } from '../memory/address-space.ts';
import type { Destination, FunctionLayout, Place, Source } from '../memory/layout.ts';
import type { Region } from '../memory/region.ts';
import type { BlockClocks } from './clocks.ts';
import type { Dim3, FindingLog, FindingPlace, Halt } from './findings.ts';
import type { Frame } from './frame.ts';
import type { Mbarrier } from './mbarrier.ts';
import type { PendingCopies } from './pending-copies.ts';
import type { AccessHistory } from './races.ts';
import type { Observer } from './step-event.ts';

/** Executes an instruction that neither branches nor waits, in `lanes` of a frame. */
export type Exec = (warp: Warp, frame: Frame, lanes: number) => void;

/** Executes an instruction that lanes repeat until it says yes; gives the lanes for which it does. */
export type Look = (warp: Warp, frame: Frame, lanes: number) => number;

export interface WarpWork {
  /** What all lanes get from what all bring; or, where the lanes access memory together, what that does. */
  readonly does:
    | { readonly kind: 'exchange'; readonly row: CollectiveRowName; readonly fn: WarpFunction }
    | { readonly kind: 'access'; readonly exec: (warp: Warp, lanes: number) => void };
  /** Same number, same qualifiers: lanes wait for each other by this and their membermask. */
  readonly key: number;
  readonly sources: readonly { readonly name: string; readonly source: Source }[];
  readonly destinations: readonly { readonly name: string; readonly destination: Destination | undefined }[];
  /** Undefined for instructions without `.sync`. */
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

/** An arrival at the cluster's barrier, or a wait there. */
export interface ClusterBarrierWork {
  readonly waits: boolean;
  /** Whether an arrival lets others see what the thread did before it. */
  readonly releases: boolean;
}

/** How one argument or result crosses a call. Stack offsets are those of its own function's frame. */
export type Passed =
  | { readonly kind: 'stack'; readonly offset: number; readonly bytes: number }
  | { readonly kind: 'value'; readonly place: Place; readonly bytes: number };

export interface CallWork {
  /** Index of the callee in the program. */
  readonly callee: number;
  /** From the caller's frame, and into the callee's, pairwise; results the other way round. */
  readonly args: readonly (readonly [Passed, Passed])[];
  readonly results: readonly (readonly [Passed, Passed])[];
}

/** A call of a function of the run-time: what the caller passes, and where it wants results. */
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
  | { readonly kind: 'cluster'; readonly barrier: ClusterBarrierWork };

/** A decoded instruction: operands as places, everything about its text already worked out. */
export interface Op {
  readonly work: Work;
  /** The plain work's function, for the hot loop; undefined for all others. */
  readonly exec: Exec | undefined;
  /** Undefined for the return that a body's end implies. */
  readonly instruction: Instruction | undefined;
  readonly span: Span;
  /** Index of the function in the program. */
  readonly fn: number;
  readonly guard: Source | undefined;
  /** The register sources on whose every bit the result may depend, for the sanitizer. */
  readonly reads: readonly Source[];
  /** What it writes, for a guard that is undefined. */
  readonly writes: readonly Destination[];
}

export interface DecodedFunction {
  readonly layout: FunctionLayout;
  /** Index of the first instruction in `ops`. */
  readonly start: number;
}

export interface Program {
  readonly ops: readonly Op[];
  /** The entry is the first. */
  readonly functions: readonly DecodedFunction[];
  readonly space: AddressSpace;
  /** Of the instructions, by number; undefined if lanes take no turns. */
  readonly turns: LoopOrder | undefined;
}

/** What all blocks of a launch share. */
export interface Machine {
  readonly program: Program;
  readonly space: AddressSpace;
  readonly launch: Launch;
  readonly log: FindingLog;
  readonly sanitize: boolean;
  readonly observe: Observer | undefined;
  readonly stepsPerYield: number;
  readonly maxSteps: number;
  readonly stepsPerTurn: number | undefined;
  readonly shuffles: boolean;
  /** A word of what unwritten registers and memory hold. */
  readonly fill: () => number;
  /** Of every buffer and global variable. */
  globalAccesses(region: Region): AccessHistory;
  steps: number;
  /** Keeps a text that takes so many words of what a launch may print. */
  print(text: string, words: number): void;
  /** The next value of every clock: it grows with each reading. */
  tick(): bigint;
  /** A random order of 0 to n-1, or the plain one without a seed. */
  order(n: number): number[];
  /** Ends the launch. */
  halt(code: Halt['code'], message: string): never;
}

/** One of a block's barriers, as reports see it. */
export interface BarrierState {
  readonly id: number;
  /** Masks of lanes by warp: arrived in this phase, and those of them that wait. */
  readonly arrived: Int32Array;
  readonly waiting: Int32Array;
  /** Threads expected; 0 means all of the block. */
  readonly expected: number;
  count(warps: readonly Warp[]): number;
}

/** The cluster's barrier, as reports see it: masks of lanes by warp. */
export interface ClusterBarrierState {
  readonly arrived: Int32Array;
  readonly waiting: Int32Array;
}

export interface Block {
  readonly machine: Machine;
  readonly position: Dim3;
  readonly firstGlobalThread: number;
  readonly shared: Region;
  readonly warps: readonly Warp[];
  readonly barriers: readonly BarrierState[];
  readonly clusterBarrier: ClusterBarrierState;
  /** Where races are looked for. */
  readonly clocks: BlockClocks | undefined;
  readonly sharedAccesses: AccessHistory;
  readonly copies: PendingCopies;
  /** By offset in shared memory. */
  readonly mbarriers: Map<number, Mbarrier>;
  /** `lanes` come to a barrier instruction; each has its program counter on it. */
  arrive(warp: Warp, op: Op, work: BarrierWork, frame: Frame, lanes: number): void;
  /** The same of the cluster's. */
  come(warp: Warp, op: Op, work: ClusterBarrierWork, lanes: number): void;
  /** Releases every barrier whose threads have all come: after an arrival, or after threads have exited. */
  completeBarriers(): void;
  /** Ends the launch: it has taken all the steps it was given. */
  timeout(): never;
}

/** 32 lanes, each with its own program counter. Masks have a bit a lane; lanes that never existed count as exited. */
export interface Warp {
  readonly machine: Machine;
  readonly block: Block;
  readonly index: number;
  /** Number of lane 0's thread in the block, and in the grid. */
  readonly firstThread: number;
  readonly firstGlobalThread: number;
  readonly pc: Int32Array;
  readonly depth: Int32Array;
  exited: number;
  runnable: number;
  /** Waiting at a .sync instruction: for lanes with the same key and membermask. */
  atSync: number;
  readonly syncKey: Int32Array;
  readonly syncMask: Int32Array;
  /** Waiting at a warp instruction without .sync, or for their turn at a loop's head, until no other lane can move. */
  atConverge: number;
  /** By lane: the rank of the turn that it waits for; -1 at an instruction. */
  readonly turn: Int32Array;
  atBarrier: number;
  /** The carry flag (CC.CF) of each lane, and where it is undefined. */
  carry: number;
  carryUndefined: number;
  /** Strong loads and atomics executed since the last change of lanes: the lanes may be waiting for others. */
  polls: number;
  /** Lanes that exist and have not exited. */
  readonly live: number;
  readonly done: boolean;
  place(lanes: number): FindingPlace;
  /** The registers of function `fn` at a call depth. */
  frame(depth: number, fn: number): Frame;
  /** The frame a lane runs in now. */
  frameOf(lane: number): Frame;
  /** The instruction a lane stands at. */
  opOf(lane: number): Op;
  /** A lane's local memory: its stack. */
  local(lane: number): Region;
  /** The region of a space other than global, as a lane sees it. */
  regionOf(space: Region['space'], lane: number): Region;
  setPc(lanes: number, pc: number): void;
}
