// A finished shader, and how to launch it.
import type { LanePlan } from '../base/lane-plan.ts';
import type { Span } from '../ptx/ast.ts';
import type { MessageKind } from './ir/attributes.ts';

/** How a kernel parameter reaches the shader: as bytes of the uniform block, or as a buffer with a binding of its own. */
export type ParamPlace =
  | { readonly kind: 'value'; readonly offset: number; readonly bytes: number }
  | {
      readonly kind: 'binding';
      readonly binding: number;
      readonly access: 'read' | 'read_write';
      /**
       * Whether 64-bit numbers from memory or from other parameters move its address. They may be the
       * distance to another buffer, if the kernel can have learned this one's address.
       */
      readonly moved: boolean;
    }
  /** Not read by the kernel. */
  | { readonly kind: 'unused' };

/** A place in the PTX text that leaves messages of so many words. */
export interface MessageSite {
  readonly kind: MessageKind;
  readonly span: Span;
  readonly words: number;
}

export interface StatusBuffer {
  readonly binding: number;
  /** By the number with which a message begins. */
  readonly sites: readonly MessageSite[];
  /** The module's variables by their addresses, before the launch: the strings that messages name. */
  readonly strings: Uint8Array;
}

export interface WgslProgram {
  readonly code: string;
  readonly entryPoint: string;
  readonly kernel: string;
  readonly plan: LanePlan;
  /** By line of `code` (from 1), in order: the line of the PTX that it comes from. Lines that come from none are left out. */
  readonly sourceMap: readonly { readonly wgslLine: number; readonly ptxLine: number }[];
  /**
   * `threads`: no warp instructions, a thread is an invocation; `structured`: warp instructions in PTX's own structure; `dispatch`: by each
   * lane's program counter.
   */
  readonly mode: 'threads' | 'structured' | 'dispatch';
  /** Why the kernel is dispatched. */
  readonly reason: string | undefined;
  /** Why the portable plan has the shape that it has, where it was chosen. */
  readonly shapeReason: string | undefined;
  readonly block: readonly [number, number, number];
  readonly workgroupSize: number;
  /** Bytes of the workgroup's memory. */
  readonly workgroupBytes: number;
  /** By parameter, in kernel order. */
  readonly params: readonly ParamPlace[];
  /**
   * Parameters, by number, that may be pointers or numbers as far as PTX says, where the program
   * depends on it: it was made for `pointerParams`, and is right for launches that agree on these.
   */
  readonly unclearParams: readonly number[];
  /** Uniform block of parameters, if any is read. */
  readonly paramsBinding: { readonly binding: number; readonly bytes: number } | undefined;
  /** The address from which the heap is the module's, where `heap.image` and `status.strings` begin. */
  readonly heapStart: number;
  /** Bytes of the heap from there that are the module's, whether the kernel reaches the heap or not: no buffer may have their addresses. */
  readonly heapBytes: number;
  /** Memory of module variables and of pointers without a binding: the module's part as it is at first, which the launch's buffers may follow. */
  readonly heap: { readonly binding: number; readonly image: Uint8Array } | undefined;
  /** Words of zeros that lanes lock values of several words with. */
  readonly locks: { readonly binding: number; readonly bytes: number } | undefined;
  /** Local memory that is too large for variables, for each block of the grid. */
  readonly local: { readonly binding: number; readonly blockBytes: number } | undefined;
  /** What the shader tells: a word that is not zero after a trap (1) or a deadlock (2); where there are `sites`, messages too. */
  readonly status: StatusBuffer | undefined;
  /** Where the blocks of the grid wait for each other: all of them must run at the same time, which WebGPU does not promise. */
  readonly gridBarrier: Span | undefined;
  /** The grid the program was made for, where its workgroups are numbered in one row. */
  readonly foldedGrid: readonly [number, number, number] | undefined;
  /** Whether f32 arithmetic is exact on an adapter of the profile it was made for. */
  readonly float: 'exact' | 'fast';
}
