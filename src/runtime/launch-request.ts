// The request for a launch.

import type { Dim3 } from '../base/launch.ts';
import type { Module, PtxFunction } from '../ptx/ast.ts';
import type { Compiled } from './compiled.ts';
import type { KernelArgument } from './launch/arguments.ts';
import type { ParameterShape } from './launch/signature.ts';
import type { Allocation, PointerArgument } from './memory/allocation.ts';

/** The kernel and the launch as requested, for observers. */
export interface LaunchFacts {
  readonly module: Module;
  readonly entry: PtxFunction;
  /** The memory of the module's variables. */
  readonly variables: Allocation | undefined;
  readonly parameters: readonly ParameterShape[];
  readonly args: readonly KernelArgument[];
  readonly block: Dim3;
  /** The size of a cluster, if the launch sets it. */
  readonly cluster: Dim3 | undefined;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
}

export interface LaunchRequest {
  readonly grid: Dim3;
  /**
   * The pointers by parameter: `null` for a null pointer, undefined for arguments that are not
   * pointers.
   */
  readonly pointers: readonly (PointerArgument | null | undefined)[];
  readonly facts: LaunchFacts;
  /** Returns the shader in which these pointer parameters have no binding of their own. */
  readonly shaderFor: (heapParams: ReadonlySet<number>) => Compiled;
  /** Writes an argument that is not a pointer. */
  readonly write: (param: number, to: DataView) => void;
  /** Throws an error for an argument whose memory is unknown. */
  readonly refuse: (param: number) => never;
}

/** Called before the commands of a launch. Returns a function to call after them, or undefined. */
export type LaunchObserver = (request: LaunchRequest) => (() => void) | undefined;
