// A decoded instruction: operands as places, everything about its text already worked out.
import type { WarpRowName } from '../../isa/index.ts';
import type { Instruction, Span } from '../../ptx/ast.ts';
import type { WarpFunction } from '../types.ts';
import type { Frame } from './frame.ts';
import type { Destination, Place, Source } from './layout.ts';
import type { Warp } from './warp.ts';

/// Executes an instruction that neither branches nor waits, in `lanes` of a frame.
export type Exec = (warp: Warp, frame: Frame, lanes: number) => void;

export interface WarpWork {
  readonly row: WarpRowName;
  readonly fn: WarpFunction;
  /// Same number, same qualifiers: lanes wait for each other by this and their membermask.
  readonly key: number;
  readonly sources: readonly { readonly name: string; readonly source: Source }[];
  readonly destinations: readonly { readonly name: string; readonly destination: Destination | undefined }[];
  /// Undefined for instructions without `.sync`.
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

/// How one argument or result crosses a call. Stack offsets are those of its own function's frame.
export type Passed =
  | { readonly kind: 'stack'; readonly offset: number; readonly bytes: number }
  | { readonly kind: 'value'; readonly place: Place; readonly bytes: number };

export interface CallWork {
  /// Index of the callee in the program.
  readonly callee: number;
  /// From the caller's frame, and into the callee's, pairwise; results the other way round.
  readonly args: readonly (readonly [Passed, Passed])[];
  readonly results: readonly (readonly [Passed, Passed])[];
}

export type Work =
  | { readonly kind: 'plain'; readonly exec: Exec }
  | { readonly kind: 'branch'; readonly target: number }
  | { readonly kind: 'indexed'; readonly index: Source; readonly targets: readonly number[] }
  | { readonly kind: 'call'; readonly call: CallWork }
  | { readonly kind: 'return' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'trap' }
  | { readonly kind: 'warp'; readonly warp: WarpWork }
  | { readonly kind: 'barrier'; readonly barrier: BarrierWork };

export interface Op {
  readonly work: Work;
  /// The plain work's function, for the hot loop; undefined for all others.
  readonly exec: Exec | undefined;
  /// Undefined for the return that a body's end implies.
  readonly instruction: Instruction | undefined;
  readonly span: Span;
  /// Index of the function in the program.
  readonly fn: number;
  readonly guard: Source | undefined;
  /// All register sources, for the sanitizer.
  readonly reads: readonly Source[];
  /// What it writes, for a guard that is undefined.
  readonly writes: readonly Destination[];
}
