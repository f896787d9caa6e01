// A finished shader, and the data that a launch needs.
import type { LanePlan } from '../base/lane-plan.ts';
import type { Span } from '../ptx/ast.ts';
import type { MessageKind } from './ir/attributes.ts';

/**
 * How a kernel parameter reaches the shader: in the bytes of the uniform block, or as a buffer with
 * its own binding.
 */
export type ParamPlace =
  | { readonly kind: 'value'; readonly offset: number; readonly bytes: number }
  | {
      readonly kind: 'binding';
      readonly binding: number;
      readonly access: 'read' | 'read_write';
      /**
       * Whether the kernel adds 64-bit numbers from memory or from other parameters to its address.
       * Such a number may be the distance to another buffer, if the kernel can have learned this
       * buffer's address.
       */
      readonly moved: boolean;
    }
  /** The kernel does not read the parameter. */
  | { readonly kind: 'unused' };

/** A place in the PTX text that sends messages, with the number of words of each message. */
export interface MessageSite {
  readonly kind: MessageKind;
  readonly span: Span;
  readonly words: number;
}

export interface StatusBuffer {
  readonly binding: number;
  /** The sites, indexed by the number at the start of a message. */
  readonly sites: readonly MessageSite[];
  /**
   * The initial contents of the module's variables, by address. They contain the strings that
   * messages refer to.
   */
  readonly strings: Uint8Array;
}

/** A WGSL program for one kernel and block size, with the layout of its bindings. */
export interface WgslProgram {
  /** The WGSL code. */
  readonly code: string;
  /** The entry point in `code`. */
  readonly entryPoint: string;
  /** The name of the kernel in the PTX. */
  readonly kernel: string;
  /** The lane plan. */
  readonly plan: LanePlan;
  /**
   * The line numbers of each line of `code` that belongs to a line of the PTX, in order. Both
   * numbers start at 1.
   */
  readonly sourceMap: readonly { readonly wgslLine: number; readonly ptxLine: number }[];
  /**
   * How control flow is written:
   * - `threads`: without warp instructions, one thread per invocation
   * - `structured`: warp instructions in the structure of the PTX
   * - `dispatch`: by the program counter of each lane
   */
  readonly mode: 'threads' | 'structured' | 'dispatch';
  /** The reason why `mode` is `dispatch`; undefined otherwise. */
  readonly reason: string | undefined;
  /** The reason for the shape of the portable plan, if the translator chose it. */
  readonly shapeReason: string | undefined;
  /**
   * How the program uses subgroup matrices, or why it does not; undefined without matrix products.
   */
  readonly matrixNote: string | undefined;
  /** The number of threads in a block. */
  readonly block: readonly [number, number, number];
  /** The number of blocks in a cluster, if a workgroup runs several; undefined for one block. */
  readonly cluster: readonly [number, number, number] | undefined;
  /** The number of invocations in a workgroup. */
  readonly workgroupSize: number;
  /** The size of workgroup memory, in bytes. */
  readonly workgroupBytes: number;
  /** The places of the parameters, in kernel order. */
  readonly params: readonly ParamPlace[];
  /**
   * The numbers of parameters that may be pointers or numbers, if the program depends on this. The
   * program is valid only for launches that agree with `pointerParams`.
   */
  readonly unclearParams: readonly number[];
  /** The uniform buffer of the parameters, if the kernel reads any. */
  readonly paramsBinding: { readonly binding: number; readonly bytes: number } | undefined;
  /** The address in the heap at which the module's variables begin. */
  readonly heapStart: number;
  /** The size of the module's variables, in bytes. No buffer may overlap these addresses. */
  readonly heapBytes: number;
  /**
   * The buffer of module variables and of pointers without a binding; `image` is the initial
   * contents of the module's part.
   */
  readonly heap: { readonly binding: number; readonly image: Uint8Array } | undefined;
  /**
   * The buffer with the instructions of an encoded kernel; undefined for other kernels. Large kernels
   * are encoded, so that drivers compile them in seconds.
   */
  readonly instructions: { readonly binding: number; readonly data: Uint8Array } | undefined;
  /** The buffer of locks for values of several words, initially zero. */
  readonly locks: { readonly binding: number; readonly bytes: number } | undefined;
  /**
   * The buffer of shared and local memory that does not fit in variables; `blockBytes` bytes for
   * each workgroup.
   */
  readonly blockMemory: { readonly binding: number; readonly blockBytes: number } | undefined;
  /**
   * The buffer that reports traps (1), deadlocks (2) and messages; undefined if the program reports
   * nothing.
   */
  readonly status: StatusBuffer | undefined;
  /**
   * The place at which the blocks wait for each other. All blocks must then run at the same time,
   * which WebGPU does not guarantee.
   */
  readonly gridBarrier: Span | undefined;
  /**
   * The size of the grid, if its workgroups are dispatched in rows. `overrides`: the workgroups are
   * dispatched in rows only if the pipeline sets the grid in the constants 0, 1 and 2 of the
   * shader.
   */
  readonly foldedGrid: readonly [number, number, number] | 'overrides' | undefined;
  /** Whether f32 arithmetic is exact. */
  readonly float: 'exact' | 'fast';
}
